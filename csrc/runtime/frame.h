// The memory of one call of a plan: an arena, a tensor for every slot, and ready-made arguments.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "runtime/plan.h"

namespace rushlight {

class Frame {
 public:
  /// `weights` are the tensors of the plan's Weight slots.
  Frame(std::shared_ptr<const Plan> plan, const Graph& graph,
        std::span<const std::pair<Slot, Tensor>> weights, const Regions* regions = nullptr);

  /// Gives a Bound slot its tensor for this call (contiguous, of the planned sizes).
  void bind(Slot slot, const Tensor& tensor);
  /// Gives a number of the graph another value of the same type. What planning made of it (sizes,
  /// dtypes) stays.
  void set_number(ValueId value, const Argument& number);
  /// Runs all steps. Errors of kernels name the node.
  void run();
  /// A tensor of the graph after `run`; it shares no memory with the arena.
  const Tensor& tensor(Slot slot) const { return slots_[static_cast<size_t>(slot)]; }
  /// A number of the graph after `run`.
  const Argument& number(ValueId value) const { return numbers_[static_cast<size_t>(value)]; }
  /// Lets go of everything that belongs to the call.
  void clear();

 private:
  // What a step hands to its kernel; pointers into `slots_`.
  struct Call {
    std::vector<Argument> args;
    std::vector<Tensor*> outs;
    std::vector<const Tensor*> inputs;
    const PointwiseProgram* program = nullptr;
  };
  // Where a number of the graph stands ready for a kernel.
  struct NumberUse {
    ValueId number;
    Argument* argument;
    Scalar* scalar;
  };
  void name_numbers(const Step& step, Call& call);
  Argument argument(const Operand& operand) const;
  void place(Slot slot);
  void prepare();
  void run_step(const Step& step, Call& call);
  void run_kernel(const Step& step, Call& call);
  void run_call(const Step& step);
  void run_scatter(const Step& step);
  void run_scatter_call(const Step& step);
  void release(const Step& step);
  void run_regions(const Step& step);
  void set_dynamic(Slot slot, Tensor tensor);

  std::shared_ptr<const Plan> plan_;
  const Graph& graph_;
  const Regions* regions_;
  StoragePtr arena_;
  std::vector<Tensor> slots_;
  std::vector<Argument> numbers_;
  std::vector<Call> calls_;
  std::deque<PointwiseProgram> programs_;  // those with numbers of the graph in them
  std::vector<NumberUse> uses_;            // by number
};

}  // namespace rushlight
