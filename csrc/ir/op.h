// What an operator is: its schema, kind, shape rule and kernel. Every `OpDef` comes from one row
// of ops/*.yaml, through tools/generate_ops.py.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/argument.h"
#include "kernels/pointwise.h"

namespace rushlight {

enum class OpKind : uint8_t {
  Pointwise,  // one tile function; broadcasting, dtypes and fusion come from the driver
  View,       // no kernel: the shape rule describes the same memory
  Kernel,     // shape rule first, then a kernel fills the outputs
  Dynamic,    // output sizes depend on data: the kernel allocates
  Scalar,     // gives a number (sizes, arithmetic on symbols, item), not a tensor
  Check,      // no output: raises if a condition fails
  Composite,  // written in terms of other operators
  InPlace,    // a functional twin, whose results are written back into arguments
};

enum class ArgType : uint8_t {
  Tensor,
  Int,
  Float,
  Bool,
  Number,
  Str,
  DType,
  MemoryFormat,
  Device,
  Layout,
  Generator,
};

struct ArgumentSpec {
  std::string_view name;
  ArgType type;
  bool list = false;
  bool optional = false;           // None is allowed
  bool optional_elements = false;  // Tensor?[]
  bool keyword_only = false;
  bool written = false;  // Tensor(a!)
  int list_size = 0;     // N of int[N]: one int stands for N equal ones
  bool has_default = false;
  Argument default_value{};
};

/// Fills in dtype, sizes and strides (for views `view_offset` too) of every output. `outs` comes
/// with one entry per declared return; the rule of a list return resizes it.
using ShapeFn = void (*)(std::span<const Argument> args, std::vector<TensorMeta>& outs);
/// Computes outputs that are already allocated (Dynamic: allocates them).
using KernelFn = void (*)(std::span<const Argument> args, std::span<Tensor* const> outs,
                          const Epilogue& epilogue);
using ScalarFn = Argument (*)(std::span<const Argument> args);

struct CustomCalls;

struct OpDef {
  std::string_view name;    // "aten.add.Tensor"
  std::string_view schema;  // as in the op table
  OpKind kind = OpKind::Kernel;
  std::vector<ArgumentSpec> arguments;
  int returns = 1;            // number of returns; a Tensor[] counts as one
  bool returns_list = false;  // the one return is Tensor[]
  bool aliases = false;       // an output shares memory with the first argument
  bool may_alias = false;     // … or is a copy, depending on strides or dtype (reshape, to)
  bool random = false;
  bool epilogue = false;  // the kernel applies a fused pointwise program to what it writes
  ShapeFn shape = nullptr;
  KernelFn kernel = nullptr;
  ScalarFn scalar = nullptr;
  /// Pointwise: positions of the operands and of the parameters, and the tile functions.
  std::vector<uint8_t> operands;
  std::vector<uint8_t> parameters;
  PointwiseRule pointwise;
  /// InPlace: name of the functional twin. It takes the arguments of the same names and returns
  /// what this operator returns anew, then the new contents of every written argument.
  std::string_view functional;
  /// InPlace: positions of the written arguments.
  std::vector<uint8_t> written;
  /// Name of the operator that stands for this one when its argument `train` or `training` is
  /// true, or "".
  std::string_view training;
  /// Composite: the expression in the table.
  std::string_view decompose;

  /// What an operator that is not in the table does instead of `shape`, `kernel` and `scalar`.
  std::shared_ptr<const CustomCalls> custom;

  /// Calls the shape rule, the kernel, the function that gives a number.
  void infer(std::span<const Argument> args, std::vector<TensorMeta>& outs) const;
  void compute(std::span<const Argument> args, std::span<Tensor* const> outs,
               const Epilogue& tail) const;
  Argument give_number(std::span<const Argument> args) const;

  /// Position of the argument, or -1.
  int find_argument(std::string_view argument) const;
};

/// True for operators that give a number from metadata alone (sizes, strides, arithmetic on
/// numbers); other Scalar operators read elements.
bool reads_metadata_only(const OpDef& op);
/// The operator that a call of `op` means: its `training` twin when the arguments ask for that.
const OpDef& resolve_training(const OpDef& op, std::span<const Argument> args);
/// Positions in `from` of the arguments that `to` takes, by name; -1 where `from` has none.
std::vector<int> arguments_by_name(const OpDef& from, const OpDef& to);
/// The arguments of `to` from those of `from`, by name; defaults where `from` has none.
std::vector<Argument> renamed(const OpDef& from, std::span<const Argument> args, const OpDef& to);

/// The operator called `name` ("aten.add.Tensor"), or null. The table is built once, on first use,
/// for the CPU capability in force, and never changes; custom operators (ir/custom_op.h) are found
/// after it.
const OpDef* find_op(std::string_view name);
/// All operators of the table, sorted by name.
std::span<const OpDef> all_ops();
/// The closest known name for a misspelt one, or "".
std::string_view suggest_op(std::string_view name);

/// Checks one argument against its specification and brings it to the form kernels expect (an
/// int for int[2] becomes two ints, an int for a float a double). Throws PyTorch's TypeError
/// naming operator, argument, expected type and what came.
Argument coerce_argument(const OpDef& op, const ArgumentSpec& spec, Argument value);

}  // namespace rushlight
