// Builds a Plan: shape rules in order, pointwise chains fused, then memory by lifetime.
#include "runtime/planner.h"

#include "ir/alias.h"
#include "ir/shape/rules.h"
#include "runtime/scatter_region.h"

namespace rushlight {
namespace {

// Checks of metadata and numbers: the planner has their answer.
bool is_checked_by_planner(const OpDef& op) {
  if (op.name == "aten._assert_tensor_metadata.default") return true;
  if (op.name == "aten._print.default") return false;
  return std::none_of(op.arguments.begin(), op.arguments.end(),
                      [](const ArgumentSpec& a) { return a.type == ArgType::Tensor; });
}

}  // namespace

Planner::Planner(const Graph& graph, std::span<const PlanInput> inputs, const Regions* regions)
    : graph_(graph),
      regions_(regions),
      plan_(std::make_shared<Plan>()),
      tensors_(graph.values.size()),
      known_(graph.values.size()),
      defined_at_(graph.values.size(), -1) {
  plan_->slots.resize(graph.values.size());
  plan_->numbers.resize(graph.values.size());
  for (const PlanInput& input : inputs) bind(input);
  count_uses();
}

std::shared_ptr<const Plan> Planner::run() {
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    node_ = static_cast<int32_t>(i);
    try {
      plan_node(graph_.nodes[i]);
    } catch (const Error& error) {
      const Node& node = graph_.nodes[i];
      throw Error(error.kind(), detail::concat(node.name, " (", node.target, "): ", error.what()));
    }
  }
  for (ValueId v : graph_.outputs) materialise(v);
  finish_tails();
  for (ValueId v : graph_.outputs)
    plan_->output_metas.push_back(known(v) ? std::optional(slot(v).meta) : std::nullopt);
  place_outputs();
  assign_memory(graph_, *plan_);
  return plan_;
}

void Planner::bind(const PlanInput& input) {
  const auto v = static_cast<size_t>(input.value);
  if (graph_.at(input.value).type != ValueType::Tensor) {
    if (!is_none(input.number)) plan_->numbers[v] = input.number;
    return;
  }
  set_meta(input.value, input.tensor);
  slot(input.value).place = input.place;
}

void Planner::set_meta(Slot s, const TensorMeta& meta) {
  // Planning sees tensors without memory.
  tensor(s) = Tensor(meta, nullptr, nullptr);
  known_[static_cast<size_t>(s)] = true;
  slot(s).meta = meta;
  slot(s).meta.view_offset = 0;
}

void Planner::count_uses() {
  uses_.assign(graph_.values.size(), 0);
  consumer_.assign(graph_.values.size(), -1);
  for (size_t i = 0; i < graph_.nodes.size(); ++i)
    for_each_value(graph_.nodes[i].operands, [&](ValueId v) {
      ++uses_[static_cast<size_t>(v)];
      consumer_[static_cast<size_t>(v)] = static_cast<int32_t>(i);
    });
  for (ValueId v : graph_.outputs) uses_[static_cast<size_t>(v)] += 2;  // never fused away
}

void Planner::plan_node(const Node& node) {
  if (!node.op) {
    if (const ControlFlowOp* op = find_control_flow(node.target))
      return plan_control_flow(node, *op);
    RL_ASSERT(node.target == kScatterView, node.target, " has no operator");
    return plan_scatter(node);
  }
  const OpDef& op = *node.op;
  if (op.kind == OpKind::Pointwise) {
    if (const auto args = arguments(node.operands)) return plan_pointwise_node(node, *args);
    return plan_call(node);
  }
  materialise_operands(node);
  const auto args = arguments(node.operands);
  if (!args || op.kind == OpKind::Dynamic) return plan_call(node);
  switch (op.kind) {
    case OpKind::Scalar:
      if (!reads_metadata_only(op)) return plan_call(node);
      plan_->numbers[static_cast<size_t>(node.outputs.at(0))] = op.scalar(*args);
      return;
    case OpKind::Check:
      if (is_checked_by_planner(op)) {
        op.kernel(*args, {}, Epilogue{});
        return;
      }
      return plan_call(node);
    case OpKind::View:
    case OpKind::Kernel:
      return plan_kernel(node, *args);
    default:
      RL_ASSERT(false, op.name, " should have been rewritten before planning");
  }
}

void Planner::plan_kernel(const Node& node, const std::vector<Argument>& args) {
  const OpDef& op = *node.op;
  std::vector<TensorMeta> metas(static_cast<size_t>(op.returns));
  op.infer(args, metas);
  // A mask as an index, for example: the kernel finds the sizes.
  for (const TensorMeta& meta : metas)
    if (is_data_dependent(meta)) return plan_call(node);
  RL_CHECK(!op.returns_list || metas.size() == node.outputs.size(), Runtime, "gives ", metas.size(),
           " tensors, the graph expects ", node.outputs.size());
  if (op.kind == OpKind::View) {
    for (size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i] != kNoValue) add_view(node.outputs[i], node.operands[0].value, metas[i]);
    return;
  }
  if (op.may_alias && node.operands[0].is_value() && !asks_for_copy(op, args)) {
    const Slot self = node.operands[0].value;
    if (const auto view = alias_instead_of_copy(slot(self).meta, metas[0]))
      return add_view(node.outputs[0], self, *view);
  }
  Step step{Step::Kind::Kernel, &op, node_};
  step.operands = node.operands;
  for (size_t i = 0; i < metas.size(); ++i) {
    Slot out = i < node.outputs.size() ? node.outputs[i] : kNoValue;
    if (out == kNoValue) out = extra_slot();
    define(out, metas[i]);
    step.outs.push_back(out);
  }
  const Slot first = step.outs[0];
  const size_t index = add_step(std::move(step));
  if (op.epilogue) {
    tails_[first] = static_cast<int32_t>(index);
    tail_chains_[index] = {};
  }
}

Slot Planner::extra_slot() {
  plan_->slots.emplace_back();
  tensors_.emplace_back();
  known_.push_back(false);
  defined_at_.push_back(-1);
  uses_.push_back(2);
  return static_cast<Slot>(plan_->slots.size() - 1);
}

void Planner::define(Slot out, const TensorMeta& meta) {
  set_meta(out, meta);
  slot(out).place = Place::Arena;
  slot(out).offset = -1;  // until memory is assigned
  defined_at_[static_cast<size_t>(out)] = static_cast<int32_t>(plan_->steps.size());
}

void Planner::add_view(Slot out, Slot of, const TensorMeta& meta) {
  SlotPlan& s = slot(out);
  set_meta(out, meta);
  s.place = Place::View;
  s.root = root(of);
  s.offset = meta.view_offset * item_size(meta.dtype);
  if (slot(of).place == Place::View) s.offset += slot(of).offset;
  defined_at_[static_cast<size_t>(out)] = defined_at_[static_cast<size_t>(s.root)];
}

size_t Planner::add_step(Step step) {
  plan_->steps.push_back(std::move(step));
  return plan_->steps.size() - 1;
}

void Planner::plan_call(const Node& node) {
  materialise_operands(node);
  Step step{Step::Kind::Call, node.op, node_};
  step.operands = node.operands;
  for (ValueId out : node.outputs) {
    step.outs.push_back(out);
    if (out != kNoValue && graph_.at(out).type == ValueType::Tensor)
      slot(out).place = Place::Dynamic;
  }
  add_step(std::move(step));
}

void Planner::plan_scatter(const Node& node) {
  materialise_operands(node);
  const Slot base = node.operands[0].value, source = node.operands[1].value;
  std::vector<Operand> numbers(node.operands.begin() + 2, node.operands.end());
  const auto args = arguments(numbers);
  if (!known(base) || !known(source) || !args) return plan_call(node);
  const TensorMeta meta = scattered(slot(base).meta);
  const TensorMeta region = region_for(*node.regions[0], meta, *args, slot(source).meta);
  Step step{Step::Kind::Scatter, nullptr, node_};
  step.region = region;
  step.inputs = {base, source};
  step.outs = {node.outputs[0]};
  define(node.outputs[0], meta);
  add_step(std::move(step));
}

void Planner::place_outputs() {
  for (ValueId v : graph_.outputs) {
    if (graph_.at(v).type != ValueType::Tensor) continue;
    const Slot r = root(v);
    if (slot(r).place != Place::Arena) continue;
    slot(r).place = Place::Output;
    plan_->outputs.push_back(r);
  }
}

std::shared_ptr<const Plan> make_plan(const Graph& graph, std::span<const PlanInput> inputs,
                                      const Regions* regions) {
  return Planner(graph, inputs, regions).run();
}

}  // namespace rushlight
