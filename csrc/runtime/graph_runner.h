// Runs a graph: a plan for each set of input sizes, and frames for each plan. May be called from
// many threads at once.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "passes/pipeline.h"
#include "runtime/frame.h"
#include "runtime/run_value.h"

namespace rushlight {

class Regions;

class GraphRunner {
 public:
  enum class Numbers : uint8_t {
    Planned,  // a plan for each value of a number: sizes may follow from it
    Varying,  // numbers are looked at when the graph runs: counters of loops
  };
  /// Takes the passes of the pipeline through `prepared`. Inputs of the graph that have no constant
  /// are given with each call.
  explicit GraphRunner(PreparedGraph prepared, Numbers numbers = Numbers::Planned);
  ~GraphRunner();

  const Graph& graph() const { return prepared_.graph; }
  /// What a call gives, in order.
  std::span<const ValueId> inputs() const { return inputs_; }
  bool keeps(const StoragePtr& storage) const;

  /// The plan for inputs like these; tensors need no data.
  std::shared_ptr<const Plan> plan(std::span<const RunValue> inputs);

  /// A frame after a run; it goes back to its plan in the end.
  class Result;
  Result run(std::span<const RunValue> inputs);
  /// The graph's outputs. They share no memory with constants of the graph.
  std::vector<RunValue> call(std::span<const RunValue> inputs);

 private:
  // A plan and the frames made for it that no call is using.
  struct Planned {
    std::vector<int64_t> key;
    std::shared_ptr<const Plan> plan;
    std::mutex mutex;
    std::vector<std::unique_ptr<Frame>> idle;
  };
  static constexpr size_t kMaxPlans = 16;
  static constexpr size_t kMaxIdleFrames = 4;

  std::vector<int64_t> plan_key(std::span<const RunValue> inputs) const;
  std::shared_ptr<Planned> planned(std::span<const RunValue> inputs);
  std::unique_ptr<Frame> borrow(Planned& planned);

  PreparedGraph prepared_;
  Numbers numbers_;
  std::vector<ValueId> inputs_;
  std::vector<std::pair<Slot, Tensor>> weights_;
  std::unique_ptr<const Regions> regions_;
  std::mutex mutex_;                           // guards what follows
  std::list<std::shared_ptr<Planned>> plans_;  // most recently used first
};

class GraphRunner::Result {
 public:
  Result(std::shared_ptr<Planned> planned, std::unique_ptr<Frame> frame)
      : planned_(std::move(planned)), frame_(std::move(frame)) {}
  Result(Result&&) = default;
  ~Result();
  const Frame& frame() const { return *frame_; }

 private:
  std::shared_ptr<Planned> planned_;
  std::unique_ptr<Frame> frame_;
};

}  // namespace rushlight
