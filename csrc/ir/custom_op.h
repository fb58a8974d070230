// Operators that users bring: defined at run time, found like those of the op table.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op.h"

namespace rushlight {

/// What a custom operator does. An operator that gives tensors has `allocate`, or `shape` and
/// `fill`; one that gives a number has `number`; one that gives nothing has `fill`.
struct CustomCalls {
  using Arguments = std::span<const Argument>;
  /// Gives new tensors, whose sizes nobody knows before.
  std::function<std::vector<Tensor>(Arguments)> allocate;
  /// The shape rule, and the kernel that fills what the engine allocated.
  std::function<void(Arguments, std::vector<TensorMeta>&)> shape;
  std::function<void(Arguments, std::span<Tensor* const>)> fill;
  std::function<Argument(Arguments)> number;
  /// Never recorded by lazy tensors: it may look at more than its arguments.
  bool runs_at_call = false;
  /// How often lazy tensors called it at once.
  std::shared_ptr<std::atomic<int64_t>> eager = std::make_shared<std::atomic<int64_t>>(0);
};

/// A schema as PyTorch writes it, in parts: `mylib::scale.out(Tensor x) -> Tensor`.
struct OperatorName {
  /// "mylib.scale.out"; the overload is "default" where the schema names none.
  std::string name;
  /// The arguments and returns: "(Tensor x) -> Tensor".
  std::string signature;
};
/// Throws `Error(Value)` that says where in the text the schema breaks PyTorch's grammar.
OperatorName check_schema(std::string_view schema);
/// What a checked schema returns, without the parentheses: "(…) -> (Tensor, Tensor)" gives
/// "Tensor, Tensor".
std::string_view returns_of(std::string_view schema);

/// Defines an operator, or replaces one defined before; programs that hold that one keep it.
/// Throws `Error(Runtime)` for names of the op table and for calls that don't fit the schema.
const OpDef& define_op(std::string_view schema, CustomCalls calls);
/// False if there is none of that name.
bool undefine_op(std::string_view name);

const OpDef* find_custom_op(std::string_view name);
/// Those that names find now, sorted by name.
std::vector<const OpDef*> custom_ops();

}  // namespace rushlight
