// The arguments of a node while planning: numbers and metadata, no data.
#include "runtime/planner.h"

namespace rushlight {

std::optional<std::vector<Argument>> Planner::arguments(const std::vector<Operand>& operands) {
  std::vector<Argument> args;
  args.reserve(operands.size());
  for (const Operand& operand : operands) {
    auto arg = argument(operand);
    if (!arg) return std::nullopt;
    args.push_back(std::move(*arg));
  }
  return args;
}

std::optional<Argument> Planner::argument(const Operand& operand) {
  if (operand.kind == Operand::Kind::Literal) return operand.literal;
  if (operand.kind == Operand::Kind::Value) return value(operand.value);
  return list_argument(operand.items);
}

std::optional<Argument> Planner::value(ValueId v) {
  if (graph_.at(v).type == ValueType::Tensor) {
    if (!known(v)) return std::nullopt;
    return Argument{static_cast<const Tensor*>(&tensor(v))};
  }
  return plan_->numbers[static_cast<size_t>(v)];
}

std::optional<Argument> Planner::list_argument(const std::vector<Operand>& items) {
  std::vector<const Tensor*> tensors;
  Dims ints;
  bool any_tensor = false;
  for (const Operand& item : items) {
    const auto arg = argument(item);
    if (!arg) return std::nullopt;
    if (const auto* t = std::get_if<const Tensor*>(&*arg)) {
      tensors.push_back(*t);
      any_tensor = true;
    } else if (is_none(*arg)) {
      tensors.push_back(nullptr);
      any_tensor = true;
    } else {
      ints.push_back(unpack<int64_t>::from(*arg));
    }
  }
  if (any_tensor) return tensors;
  return ints;
}

}  // namespace rushlight
