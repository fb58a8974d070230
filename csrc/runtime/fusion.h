// Chains of pointwise operators on the way to becoming one `PointwiseProgram`.
#pragma once

#include <vector>

#include "ir/pointwise_plan.h"
#include "runtime/plan.h"

namespace rushlight {

/// A program whose tensor operands are slots. Operand 0 may be `kKernelOutput`: what the kernel
/// that the chain follows has just written.
class Chain {
 public:
  static constexpr Slot kKernelOutput = -2;
  static constexpr size_t kMaxOperands = 12;
  static constexpr size_t kMaxSteps = 24;

  Chain() = default;
  /// One operator; `slots` are its tensor operands in order.
  Chain(const PointwiseCall& call, std::span<const Slot> slots);

  bool empty() const { return steps_.empty(); }
  /// The result of the last step, before it is converted to the output's dtype.
  DType result() const { return steps_.back().step.result; }
  bool reads(Slot slot) const;
  /// Tensor operands, each once.
  std::vector<Slot> slots() const;

  /// Replaces the operand `slot` by the result of `inner`; false (and unchanged) if it grows too
  /// large.
  bool inline_operand(Slot slot, const Chain& inner);
  /// Renames an operand and moves it to the front.
  void make_first(Slot slot, Slot name);

  /// The program and the slots it reads, in the order `run_pointwise` wants. Operand 0 is left out
  /// of `inputs` if it is kKernelOutput.
  PointwiseProgram program(std::vector<Slot>& inputs) const;

 private:
  struct Input {
    std::optional<Scalar> constant;
    Slot slot = -1;
    DType dtype;
    int32_t number = kLiteral;
  };
  // References are operands (>= 0) or steps (~index).
  struct Link {
    PointwiseStep step;
    std::vector<int> inputs;
  };
  int find_or_add(const Input& input);

  std::vector<Input> operands_;
  std::vector<Link> steps_;
};

}  // namespace rushlight
