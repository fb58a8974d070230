// What to do for one set of input sizes: every step with its kernel, arguments and place in memory.
//
// Planning runs all shape rules once, so that running is a loop over kernels. What depends on data
// (nonzero, item, …) is planned as a call whose output sizes are found at run time, and so is all
// that depends on it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "kernels/pointwise.h"

namespace rushlight {

class Regions;

/// A slot holds one tensor of a frame; slots have the number of their value in the graph.
using Slot = int32_t;

/// Where the memory of a slot comes from.
enum class Place : uint8_t {
  None,     // not needed: fused away, or a number
  Arena,    // `offset` bytes into the frame's arena
  Bound,    // given with each call: a user input or a buffer the program writes
  Weight,   // fixed for the life of the program
  Output,   // allocated with each call and handed to the caller
  View,     // `offset` bytes into the memory of slot `root`
  Dynamic,  // allocated by the step that computes it
};

struct SlotPlan {
  Place place = Place::None;
  bool sized = false;  // Dynamic: `meta` is known before the step that allocates
  TensorMeta meta;
  Slot root = -1;
  int64_t offset = 0;
};

struct Step {
  enum class Kind : uint8_t {
    Kernel,     // a kernel into planned memory, with a fused tail if `program` has steps
    Pointwise,  // `program` over `inputs`
    Scatter,    // copy `inputs[0]` unless it is the output's memory, then `inputs[1]` into a view
    Call,       // output sizes known only now
    Regions,    // control flow: runs graphs with plans of their own
  };
  Kind kind;
  const OpDef* op = nullptr;
  int32_t node = -1;              // in the graph, for messages and profiles
  std::vector<Operand> operands;  // Kernel, Call: values are slots
  std::vector<Slot> outs;
  PointwiseProgram program;
  std::vector<Slot> inputs;   // Pointwise: operands; Kernel: further operands of the tail
  TensorMeta region;          // Scatter: the view of the output that is written
  bool in_place = false;      // Scatter: the output is the base's memory
  std::vector<Slot> rebind;   // views of Dynamic slots that this step computes
  std::vector<Slot> release;  // Dynamic slots that nobody reads after this step
};

struct Plan {
  std::vector<SlotPlan> slots;
  std::vector<Step> steps;
  /// Numbers known from the input sizes, by value.
  std::vector<std::optional<Argument>> numbers;
  size_t arena_bytes = 0;
  /// Slots whose address changes with each call: views of Bound and Output slots.
  std::vector<Slot> rebound;
  std::vector<Slot> outputs;  // Output slots, to be allocated before the first step
  /// Of the graph's outputs: what they look like, where that does not depend on data.
  std::vector<std::optional<TensorMeta>> output_metas;
};

/// What the planner is told about the graph's inputs: for tensors sizes (contiguous), for numbers
/// their value, for weights the tensor itself.
struct PlanInput {
  ValueId value;
  Place place;  // Bound or Weight
  Tensor tensor;
  Argument number{};
};

/// The slot that owns the memory which `s` is a view of; `s` itself if it is none.
Slot root_of(const Plan& plan, Slot s);
/// Lays out the arena and collects the slots whose address changes with each call: the last part
/// of planning.
void assign_memory(const Graph& graph, Plan& plan);

/// `regions` are those of the graph's control flow; a graph without any needs none.
std::shared_ptr<const Plan> make_plan(const Graph& graph, std::span<const PlanInput> inputs,
                                      const Regions* regions = nullptr);

}  // namespace rushlight
