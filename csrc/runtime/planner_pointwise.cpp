// Pointwise fusion: chains wait until somebody needs their result, so that consumers absorb them.
#include "runtime/planner.h"

namespace rushlight {

namespace {

// Numbers of the graph keep their name in the program, so that a frame can change them.
void name_numbers(const Node& node, PointwiseCall& call) {
  const auto number = [&](uint8_t position) {
    const Operand& operand = node.operands[position];
    return operand.is_value() ? operand.value : kLiteral;
  };
  for (size_t i = 0; i < node.op->operands.size(); ++i)
    if (call.program.operands[i].constant)
      call.program.operands[i].number = number(node.op->operands[i]);
  for (size_t i = 0; i < node.op->parameters.size(); ++i)
    call.program.steps[0].params.numbers[i] = number(node.op->parameters[i]);
}

}  // namespace

void Planner::plan_pointwise_node(const Node& node, const std::vector<Argument>& args) {
  PointwiseCall call = plan_pointwise(*node.op, args);
  name_numbers(node, call);
  std::vector<Slot> slots;
  for (int i : call.tensor_args) slots.push_back(node.operands[static_cast<size_t>(i)].value);
  const Slot out = node.outputs.at(0);
  set_meta(out, call.out);
  Chain chain(call, slots);
  for (Slot s : chain.slots()) absorb(chain, s, call.out);
  if (append_to_kernel(chain, out)) return;
  const auto v = static_cast<size_t>(out);
  const bool may_wait =
      uses_[v] == 1 && consumer_[v] >= 0 && graph_.nodes[static_cast<size_t>(consumer_[v])].op &&
      graph_.nodes[static_cast<size_t>(consumer_[v])].op->kind == OpKind::Pointwise &&
      chain.result() == call.out.dtype;
  pending_[out] = std::move(chain);
  if (!may_wait) materialise(out);
}

void Planner::absorb(Chain& chain, Slot s, const TensorMeta& out) {
  const auto it = pending_.find(s);
  if (it == pending_.end()) return;
  if (slot(s).meta.sizes == out.sizes && chain.inline_operand(s, it->second)) {
    pending_.erase(it);
    return;
  }
  materialise(s);
}

bool Planner::append_to_kernel(Chain& chain, Slot out) {
  int32_t best = -1;
  Slot anchor = -1;
  for (Slot s : chain.slots()) {
    const auto it = tails_.find(s);
    if (it == tails_.end() || uses_[static_cast<size_t>(s)] != 1) continue;
    if (it->second > best) {
      best = it->second;
      anchor = s;
    }
  }
  if (anchor < 0) return false;
  const TensorMeta& written = slot(anchor).meta;
  const TensorMeta& result = slot(out).meta;
  if (written.sizes != result.sizes || written.dtype != result.dtype ||
      chain.result() != written.dtype || !written.is_contiguous())
    return false;
  for (Slot s : chain.slots())
    if (s != anchor && (defined_at_[static_cast<size_t>(s)] >= best || root(s) == anchor))
      return false;
  Chain& tail = tail_chains_[static_cast<size_t>(best)];
  chain.make_first(anchor, Chain::kKernelOutput);
  if (!tail.empty() && !chain.inline_operand(Chain::kKernelOutput, tail)) {
    chain.make_first(Chain::kKernelOutput, anchor);
    return false;
  }
  if (!tail.empty()) chain.make_first(Chain::kKernelOutput, Chain::kKernelOutput);
  tail = std::move(chain);
  Step& step = plan_->steps[static_cast<size_t>(best)];
  slot(out) = slot(anchor);
  set_meta(out, result);
  slot(out).meta.strides = tensor(out).strides = slot(anchor).meta.strides;
  slot(out).place = Place::Arena;
  slot(out).offset = -1;
  slot(anchor).place = Place::None;
  defined_at_[static_cast<size_t>(out)] = best;
  step.outs[0] = out;
  tails_.erase(anchor);
  tails_[out] = best;
  return true;
}

void Planner::materialise_operands(const Node& node) {
  for_each_value(node.operands, [&](ValueId v) { materialise(v); });
}

void Planner::materialise(Slot s) {
  const auto it = pending_.find(s);
  if (it == pending_.end()) return;
  Step step{Step::Kind::Pointwise, nullptr, node_};
  step.program = it->second.program(step.inputs);
  step.outs = {s};
  pending_.erase(it);
  const TensorMeta meta = slot(s).meta;
  define(s, meta);
  add_step(std::move(step));
}

void Planner::finish_tails() {
  for (auto& [index, tail] : tail_chains_) {
    if (tail.empty()) continue;
    Step& step = plan_->steps[index];
    step.program = tail.program(step.inputs);
  }
}

}  // namespace rushlight
