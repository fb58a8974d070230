// Pointwise operators as data: a program of tile functions that runs over any broadcast operands.
//
// A tile function computes one operator for `n` consecutive elements of one compute dtype. The
// driver cuts the output into tiles that stay in the L1 cache, brings every operand to contiguous
// form and compute dtype, and runs all steps of the program on a tile before the next one. A single
// operator is a program of one step; a fused chain is a longer one.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/argument.h"

namespace rushlight {

/// Elements of a tile.
inline constexpr int64_t kTile = 1024;

/// Operands and steps that one program may have, together.
inline constexpr size_t kMaxRegisters = 64;

/// Stands for the graph's number where a value is no number of the graph.
inline constexpr int32_t kLiteral = -1;

/// The arguments of the operator that are not operands, in schema order (alpha, slope, bounds, …).
/// None is recorded as NaN with `present` false.
struct TileParams {
  std::array<Scalar, 4> values{};
  std::array<bool, 4> present{};
  /// Bit i: operand i was None (clamp without a bound); its tile holds zeros.
  uint8_t absent_operands = 0;
  /// The promoted dtype, which is narrower than the compute dtype for half types.
  DType dtype = DType::Float32;
  /// The graph's number that a value is; kLiteral if it never changes.
  std::array<int32_t, 4> numbers{kLiteral, kLiteral, kLiteral, kLiteral};
  template <class T>
  T get(int i) const {
    return values[i].to<T>();
  }
};

/// `out` may be the same memory as an input of the same item size.
using TileFn = void (*)(const TileParams& params, const void* const* in, void* out, int64_t n);

/// How the compute dtype follows from the operands.
enum class ComputeRule : uint8_t {
  Promote,       // PyTorch's promotion of all operands
  PromoteFloat,  // the same, integers and bools become float32
  PromoteDiv,    // PromoteFloat without a rounding mode, Promote with one
  First,         // the dtype of the first operand
};
/// How the output dtype follows from the compute dtype.
enum class ResultRule : uint8_t { Same, Bool, Real, Complex };

struct PointwiseRule {
  ComputeRule compute = ComputeRule::Promote;
  ResultRule result = ResultRule::Same;
  /// The tile function for a compute dtype among bool, the integers, float32, float64 and the
  /// complex types; null where the operator has none. Half types compute in float32. `string` is
  /// the value of the operator's one string parameter (rounding_mode, approximate), else "".
  TileFn (*select)(DType compute, std::string_view string) = nullptr;
};

struct PointwiseStep {
  TileFn fn;
  TileParams params;
  DType compute;                // dtype of the inputs the tile function reads
  DType result;                 // dtype of the tile it writes
  uint8_t inputs;               // how many
  uint8_t masks = 0;            // bit i: input i is read as bool, whatever the compute dtype
  std::array<uint8_t, 4> in{};  // registers: 0.. operands, then one per step
};

/// Registers are the operands in order, then the result of each step in order. A step's inputs
/// that are not of its compute dtype are converted; the result of an output's step is converted to
/// the output's dtype when stored.
struct PointwiseProgram {
  struct Operand {
    std::optional<Scalar> constant;  // a number baked into the program; otherwise the next tensor
    DType dtype;                     // what its register holds: a compute dtype
    int32_t number = kLiteral;       // the graph's number that the constant is
  };
  std::vector<Operand> operands;
  std::vector<PointwiseStep> steps;
  std::vector<uint8_t> outputs;  // registers stored to the output tensors, in order
};

/// The dtype arithmetic happens in: float32 for half types, else the type itself.
constexpr DType compute_dtype(DType t) {
  return t == DType::Float16 || t == DType::BFloat16 ? DType::Float32 : t;
}

/// Runs `program` over `inputs` (the operands that are not constants, each broadcastable to the
/// outputs' common sizes; any strides, any dtypes) into `outputs` (any strides). An output may be
/// the same memory, with the same strides, as an input of the same item size. Threaded.
void run_pointwise(const PointwiseProgram& program, TensorList inputs,
                   std::span<Tensor* const> outputs);

/// A fused tail of a kernel that writes its output piece by piece: the kernel calls `apply` on
/// each finished piece while that is still in the cache.
class Epilogue {
 public:
  Epilogue() = default;
  /// Operand 0 of `program` is the kernel's own output, `extra` the rest; the result replaces it.
  Epilogue(const PointwiseProgram* program, TensorList extra) : program_(program), extra_(extra) {}
  bool empty() const { return program_ == nullptr; }
  /// Applies the program to `n` elements of the contiguous tensor `out`, from flat index `begin`.
  void apply(Tensor& out, int64_t begin, int64_t n) const;

 private:
  const PointwiseProgram* program_ = nullptr;
  TensorList extra_;
};

}  // namespace rushlight
