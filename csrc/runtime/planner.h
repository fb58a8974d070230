// The planner at work: what it knows of each slot while it walks over the graph.
#pragma once

#include <unordered_map>

#include "runtime/fusion.h"
#include "runtime/plan.h"
#include "runtime/regions.h"

namespace rushlight {

class Planner {
 public:
  Planner(const Graph& graph, std::span<const PlanInput> inputs, const Regions* regions);
  std::shared_ptr<const Plan> run();

 private:
  SlotPlan& slot(Slot s) { return plan_->slots[static_cast<size_t>(s)]; }
  Tensor& tensor(Slot s) { return tensors_[static_cast<size_t>(s)]; }
  bool known(Slot s) const { return known_[static_cast<size_t>(s)]; }
  Slot root(Slot s) const { return root_of(*plan_, s); }

  // planner.cpp: nodes
  void bind(const PlanInput& input);
  void set_meta(Slot s, const TensorMeta& meta);
  void count_uses();
  void plan_node(const Node& node);
  void plan_kernel(const Node& node, const std::vector<Argument>& args);
  void plan_call(const Node& node);
  void plan_scatter(const Node& node);
  void plan_control_flow(const Node& node, const ControlFlowOp& op);
  /// The operands as far as planning knows them; nothing if one depends on data.
  std::optional<RunGroups> planned_operands(const Node& node);
  Slot extra_slot();
  void define(Slot out, const TensorMeta& meta);
  void add_view(Slot out, Slot of, const TensorMeta& meta);
  size_t add_step(Step step);
  void place_outputs();

  // planner_arguments.cpp
  /// The operands as arguments over metadata; nothing if one depends on data.
  std::optional<std::vector<Argument>> arguments(const std::vector<Operand>& operands);
  std::optional<Argument> argument(const Operand& operand);
  std::optional<Argument> value(ValueId v);
  std::optional<Argument> list_argument(const std::vector<Operand>& items);

  // planner_pointwise.cpp
  void plan_pointwise_node(const Node& node, const std::vector<Argument>& args);
  /// Takes a waiting chain that computes operand `s` into `chain`, or has it computed on its own.
  void absorb(Chain& chain, Slot s, const TensorMeta& out);
  /// The kernel that has just written one of the operands can apply the chain on the way.
  bool append_to_kernel(Chain& chain, Slot out);
  void materialise_operands(const Node& node);
  void materialise(Slot s);
  void finish_tails();

  const Graph& graph_;
  const Regions* regions_;
  std::shared_ptr<Plan> plan_;
  std::vector<Tensor> tensors_;      // metadata of every slot, as rules see it
  std::vector<bool> known_;          // false for what depends on data
  std::vector<int32_t> defined_at_;  // step that writes the slot's memory; -1 for inputs
  std::vector<int> uses_;
  std::vector<int32_t> consumer_;                  // the last node that uses a value
  std::unordered_map<Slot, Chain> pending_;        // chains whose result nobody has needed yet
  std::unordered_map<Slot, int32_t> tails_;        // output of a kernel with a tail -> its step
  std::unordered_map<size_t, Chain> tail_chains_;  // by step
  int32_t node_ = -1;
};

}  // namespace rushlight
