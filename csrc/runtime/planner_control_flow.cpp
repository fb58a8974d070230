// Control flow in a plan: a step that runs graphs, whose outputs are allocated when it runs.
#include "runtime/planner.h"

namespace rushlight {

std::optional<RunGroups> Planner::planned_operands(const Node& node) {
  RunGroups groups;
  const auto add = [&](const Operand& operand) {
    const auto arg = argument(operand);
    if (!arg) return false;
    if (const auto* t = std::get_if<const Tensor*>(&*arg))
      groups.back().push_back({**t, {}});
    else
      groups.back().push_back({std::nullopt, *arg});
    return true;
  };
  for (const Operand& operand : node.operands) {
    groups.emplace_back();
    if (operand.kind != Operand::Kind::List) {
      // Both branches are planned, whatever the predicate.
      if (!add(operand)) groups.back().push_back({});
      continue;
    }
    for (const Operand& item : operand.items)
      if (!add(item)) return std::nullopt;
  }
  return groups;
}

void Planner::plan_control_flow(const Node& node, const ControlFlowOp& op) {
  RL_ASSERT(regions_, node.target, " needs regions");
  materialise_operands(node);
  const auto operands = planned_operands(node);
  std::vector<std::optional<TensorMeta>> metas;
  if (operands) metas = regions_->infer(static_cast<size_t>(node_), op, *operands);
  metas.resize(node.outputs.size());
  Step step{Step::Kind::Regions, nullptr, node_};
  step.operands = node.operands;
  step.outs = node.outputs;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId out = node.outputs[i];
    if (out == kNoValue || graph_.at(out).type != ValueType::Tensor) continue;
    if (metas[i]) {
      set_meta(out, *metas[i]);
      slot(out).sized = true;
    }
    slot(out).place = Place::Dynamic;
    defined_at_[static_cast<size_t>(out)] = static_cast<int32_t>(plan_->steps.size());
  }
  add_step(std::move(step));
}

}  // namespace rushlight
