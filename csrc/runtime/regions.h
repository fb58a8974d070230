// Control flow at run time: the graphs inside a graph, each with its own plans.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ir/control_flow.h"
#include "passes/pipeline.h"
#include "runtime/run_value.h"

namespace rushlight {

class GraphRunner;

/// A region of a node, ready to run. Operands that are constants are constants inside, too.
struct Region {
  std::unique_ptr<GraphRunner> runner;
  std::vector<size_t> given;  // positions, among the region's inputs, of what each run is given

  std::vector<RunValue> select(std::span<const RunValue> inputs) const;
};

/// The values of a node's operands, by group.
using RunGroups = std::vector<std::vector<RunValue>>;

class Regions {
 public:
  explicit Regions(const PreparedGraph& prepared);
  ~Regions();

  /// Runs node number `node` of the graph: one value for each output. The errors are PyTorch's.
  std::vector<RunValue> run(size_t node, const ControlFlowOp& op, const RunGroups& operands) const;
  /// What the outputs look like, from operands of which only sizes are known; nothing for outputs
  /// whose sizes depend on data or on the way that a call takes.
  std::vector<std::optional<TensorMeta>> infer(size_t node, const ControlFlowOp& op,
                                               const RunGroups& operands) const;

 private:
  std::vector<std::vector<Region>> by_node_;
};

}  // namespace rushlight
