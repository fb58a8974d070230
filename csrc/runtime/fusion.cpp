#include "fusion.h"

namespace rushlight {

Chain::Chain(const PointwiseCall& call, std::span<const Slot> slots) {
  std::vector<int> registers;  // of `call.program` -> reference
  size_t next = 0;
  for (const PointwiseProgram::Operand& operand : call.program.operands) {
    const Slot slot = operand.constant ? -1 : slots[next++];
    registers.push_back(find_or_add({operand.constant, slot, operand.dtype, operand.number}));
  }
  for (const PointwiseStep& step : call.program.steps) {
    Link link{step, {}};
    for (int i = 0; i < step.inputs; ++i)
      link.inputs.push_back(registers[step.in[static_cast<size_t>(i)]]);
    registers.push_back(~static_cast<int>(steps_.size()));
    steps_.push_back(std::move(link));
  }
}

int Chain::find_or_add(const Input& input) {
  for (size_t i = 0; i < operands_.size(); ++i) {
    const Input& o = operands_[i];
    if (!input.constant && !o.constant && o.slot == input.slot && o.dtype == input.dtype)
      return static_cast<int>(i);
  }
  operands_.push_back(input);
  return static_cast<int>(operands_.size() - 1);
}

bool Chain::reads(Slot slot) const {
  for (const Input& o : operands_)
    if (!o.constant && o.slot == slot) return true;
  return false;
}

std::vector<Slot> Chain::slots() const {
  std::vector<Slot> out;
  for (const Input& o : operands_)
    if (!o.constant && std::find(out.begin(), out.end(), o.slot) == out.end())
      out.push_back(o.slot);
  return out;
}

bool Chain::inline_operand(Slot slot, const Chain& inner) {
  if (operands_.size() + inner.operands_.size() > kMaxOperands + 1 ||
      steps_.size() + inner.steps_.size() > kMaxSteps)
    return false;
  Chain merged;
  std::vector<int> inner_operands, outer_operands;
  for (const Input& o : inner.operands_) inner_operands.push_back(merged.find_or_add(o));
  for (const Link& link : inner.steps_) {
    Link copy = link;
    for (int& ref : copy.inputs)
      if (ref >= 0) ref = inner_operands[static_cast<size_t>(ref)];
    merged.steps_.push_back(std::move(copy));
  }
  const int shift = static_cast<int>(inner.steps_.size());
  const int result = ~(shift - 1);
  for (const Input& o : operands_)
    outer_operands.push_back(!o.constant && o.slot == slot ? result : merged.find_or_add(o));
  for (const Link& link : steps_) {
    Link copy = link;
    for (int& ref : copy.inputs)
      ref = ref >= 0 ? outer_operands[static_cast<size_t>(ref)] : ref - shift;
    merged.steps_.push_back(std::move(copy));
  }
  *this = std::move(merged);
  return true;
}

void Chain::make_first(Slot slot, Slot name) {
  for (size_t i = 0; i < operands_.size(); ++i) {
    if (operands_[i].constant || operands_[i].slot != slot) continue;
    operands_[i].slot = name;
    std::swap(operands_[0], operands_[i]);
    for (Link& link : steps_)
      for (int& ref : link.inputs)
        ref = ref == 0 ? static_cast<int>(i) : ref == static_cast<int>(i) ? 0 : ref;
    return;
  }
  RL_ASSERT(false, "the chain does not read slot ", slot);
}

PointwiseProgram Chain::program(std::vector<Slot>& inputs) const {
  PointwiseProgram out;
  for (const Input& o : operands_) {
    out.operands.push_back({o.constant, o.dtype, o.number});
    if (!o.constant && o.slot != kKernelOutput) inputs.push_back(o.slot);
  }
  for (const Link& link : steps_) {
    PointwiseStep step = link.step;
    for (size_t i = 0; i < link.inputs.size(); ++i) {
      const int ref = link.inputs[i];
      step.in[i] = static_cast<uint8_t>(ref >= 0 ? ref : static_cast<int>(operands_.size()) + ~ref);
    }
    out.steps.push_back(step);
  }
  out.outputs = {static_cast<uint8_t>(operands_.size() + steps_.size() - 1)};
  return out;
}

}  // namespace rushlight
