// Builds a Plan: shape rules in order, pointwise chains fused, then memory by lifetime.
#include <unordered_map>

#include "ir/alias.h"
#include "ir/shape/rules.h"
#include "runtime/arena.h"
#include "runtime/fusion.h"
#include "runtime/plan.h"

namespace rushlight {
namespace {

// Scalar operators that look at metadata only; the others (item, …) need the data.
bool reads_metadata_only(const OpDef& op) {
  return op.name.starts_with("aten.sym_") || op.name.starts_with("_operator.") ||
         op.name.starts_with("torch.");
}

class Planner {
 public:
  Planner(const Graph& graph, std::span<const PlanInput> inputs)
      : graph_(graph),
        plan_(std::make_shared<Plan>()),
        tensors_(graph.values.size()),
        known_(graph.values.size()),
        defined_at_(graph.values.size(), -1) {
    plan_->slots.resize(graph.values.size());
    plan_->numbers.resize(graph.values.size());
    for (const PlanInput& input : inputs) bind(input);
    count_uses();
  }

  std::shared_ptr<const Plan> run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      node_ = static_cast<int32_t>(i);
      try {
        plan_node(graph_.nodes[i]);
      } catch (const Error& error) {
        const Node& node = graph_.nodes[i];
        throw Error(error.kind(),
                    detail::concat(node.name, " (", node.target, "): ", error.what()));
      }
    }
    for (ValueId v : graph_.outputs) materialise(v);
    place_outputs();
    assign_memory();
    collect_rebound();
    return plan_;
  }

 private:
  SlotPlan& slot(Slot s) { return plan_->slots[static_cast<size_t>(s)]; }
  Tensor& tensor(Slot s) { return tensors_[static_cast<size_t>(s)]; }
  bool known(Slot s) const { return known_[static_cast<size_t>(s)]; }
  Slot root(Slot s) {
    while (slot(s).place == Place::View) s = slot(s).root;
    return s;
  }

  void bind(const PlanInput& input) {
    const auto v = static_cast<size_t>(input.value);
    if (graph_.at(input.value).type != ValueType::Tensor) {
      plan_->numbers[v] = input.number;
      return;
    }
    set_meta(input.value, input.tensor);
    slot(input.value).place = input.place;
  }

  void set_meta(Slot s, const TensorMeta& meta) {
    // Planning sees tensors without memory.
    tensor(s) = Tensor(meta, nullptr, nullptr);
    known_[static_cast<size_t>(s)] = true;
    slot(s).meta = meta;
    slot(s).meta.view_offset = 0;
  }

  void count_uses() {
    uses_.assign(graph_.values.size(), 0);
    consumer_.assign(graph_.values.size(), -1);
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      for_each_value(graph_.nodes[i].operands, [&](ValueId v) {
        ++uses_[static_cast<size_t>(v)];
        consumer_[static_cast<size_t>(v)] = static_cast<int32_t>(i);
      });
    for (ValueId v : graph_.outputs) uses_[static_cast<size_t>(v)] += 2;  // never fused away
  }

  // ---- arguments ----

  // The operands as arguments over metadata; nothing if one depends on data.
  std::optional<std::vector<Argument>> arguments(const std::vector<Operand>& operands) {
    std::vector<Argument> args;
    args.reserve(operands.size());
    for (const Operand& operand : operands) {
      auto arg = argument(operand);
      if (!arg) return std::nullopt;
      args.push_back(std::move(*arg));
    }
    return args;
  }

  std::optional<Argument> argument(const Operand& operand) {
    if (operand.kind == Operand::Kind::Literal) return operand.literal;
    if (operand.kind == Operand::Kind::Value) return value(operand.value);
    return list_argument(operand.items);
  }

  std::optional<Argument> value(ValueId v) {
    if (graph_.at(v).type == ValueType::Tensor) {
      if (!known(v)) return std::nullopt;
      return Argument{static_cast<const Tensor*>(&tensor(v))};
    }
    return plan_->numbers[static_cast<size_t>(v)];
  }

  std::optional<Argument> list_argument(const std::vector<Operand>& items) {
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

  // ---- nodes ----

  void plan_node(const Node& node) {
    if (!node.op) {
      RL_ASSERT(node.target == kScatterView, node.target, " has no operator");
      return plan_scatter(node);
    }
    const OpDef& op = *node.op;
    if (op.kind == OpKind::Pointwise) {
      if (const auto args = arguments(node.operands)) return plan_pointwise_node(node, *args);
      return plan_call(node);
    }
    materialise_operands(node);
    const auto args = arguments(node.operands);
    if (!args || op.kind == OpKind::Dynamic) return plan_call(node);
    switch (op.kind) {
      case OpKind::Scalar:
        if (!reads_metadata_only(op)) return plan_call(node);
        plan_->numbers[static_cast<size_t>(node.outputs.at(0))] = op.scalar(*args);
        return;
      case OpKind::Check:
        // A check of metadata or numbers has its answer now.
        if (op.name != "aten._assert_async.msg" && op.name != "aten._assert_async.default") {
          op.kernel(*args, {}, Epilogue{});
          return;
        }
        return plan_call(node);
      case OpKind::View:
      case OpKind::Kernel:
        return plan_kernel(node, *args);
      default:
        RL_ASSERT(false, op.name, " should have been rewritten before planning");
    }
  }

  void plan_kernel(const Node& node, const std::vector<Argument>& args) {
    const OpDef& op = *node.op;
    std::vector<TensorMeta> metas(static_cast<size_t>(op.returns));
    op.shape(args, metas);
    // A mask as an index, for example: the kernel finds the sizes.
    for (const TensorMeta& meta : metas)
      if (is_data_dependent(meta)) return plan_call(node);
    RL_CHECK(!op.returns_list || metas.size() == node.outputs.size(), Runtime, "gives ",
             metas.size(), " tensors, the graph expects ", node.outputs.size());
    if (op.kind == OpKind::View) {
      for (size_t i = 0; i < node.outputs.size(); ++i)
        if (node.outputs[i] != kNoValue)
          add_view(node.outputs[i], node.operands[0].value, metas[i]);
      return;
    }
    if (op.may_alias && node.operands[0].is_value()) {
      const Slot self = node.operands[0].value;
      if (const auto view = alias_instead_of_copy(slot(self).meta, metas[0]))
        return add_view(node.outputs[0], self, *view);
    }
    Step step{Step::Kind::Kernel, &op, node_};
    step.operands = node.operands;
    for (size_t i = 0; i < metas.size(); ++i) {
      Slot out = i < node.outputs.size() ? node.outputs[i] : kNoValue;
      if (out == kNoValue) out = extra_slot();
      define(out, metas[i]);
      step.outs.push_back(out);
    }
    const Slot first = step.outs[0];
    const size_t index = add_step(std::move(step));
    if (op.epilogue) {
      tails_[first] = static_cast<int32_t>(index);
      tail_chains_[index] = {};
    }
  }

  Slot extra_slot() {
    plan_->slots.emplace_back();
    tensors_.emplace_back();
    known_.push_back(false);
    defined_at_.push_back(-1);
    uses_.push_back(2);
    return static_cast<Slot>(plan_->slots.size() - 1);
  }

  void define(Slot out, const TensorMeta& meta) {
    set_meta(out, meta);
    slot(out).place = Place::Arena;
    slot(out).offset = -1;  // until memory is assigned
    defined_at_[static_cast<size_t>(out)] = static_cast<int32_t>(plan_->steps.size());
  }

  void add_view(Slot out, Slot of, const TensorMeta& meta) {
    SlotPlan& s = slot(out);
    set_meta(out, meta);
    s.place = Place::View;
    s.root = root(of);
    s.offset = meta.view_offset * item_size(meta.dtype);
    if (slot(of).place == Place::View) s.offset += slot(of).offset;
    defined_at_[static_cast<size_t>(out)] = defined_at_[static_cast<size_t>(s.root)];
  }

  size_t add_step(Step step) {
    plan_->steps.push_back(std::move(step));
    return plan_->steps.size() - 1;
  }

  void plan_call(const Node& node) {
    materialise_operands(node);
    Step step{Step::Kind::Call, node.op, node_};
    step.operands = node.operands;
    for (ValueId out : node.outputs) {
      step.outs.push_back(out);
      if (out != kNoValue && graph_.at(out).type == ValueType::Tensor)
        slot(out).place = Place::Dynamic;
    }
    add_step(std::move(step));
  }

  void plan_scatter(const Node& node) {
    materialise_operands(node);
    const Slot base = node.operands[0].value, source = node.operands[1].value;
    std::vector<Operand> numbers(node.operands.begin() + 2, node.operands.end());
    const auto args = arguments(numbers);
    if (!known(base) || !known(source) || !args) return plan_dynamic_scatter(node);
    // The output is dense, with the base's order of dimensions where that is dense too.
    TensorMeta meta = slot(base).meta;
    if (!meta.is_non_overlapping_and_dense()) meta.strides = contiguous_strides(meta.sizes);
    const TensorMeta region = region_of(*node.region, meta, *args);
    RL_CHECK(slot(source).meta.sizes == region.sizes, Runtime, "writes ",
             describe(slot(source).meta), " into a view of sizes ", region.sizes);
    Step step{Step::Kind::Scatter, nullptr, node_};
    step.region = region;
    step.inputs = {base, source};
    step.outs = {node.outputs[0]};
    define(node.outputs[0], meta);
    add_step(std::move(step));
  }

  [[noreturn]] void plan_dynamic_scatter(const Node&) {
    RL_FAIL(NotImplemented,
            "an in-place write through a view whose sizes depend on data is not supported");
  }

  // Runs the view rules of a region on the metadata of what will be written.
  TensorMeta region_of(const Graph& region, const TensorMeta& base,
                       const std::vector<Argument>& numbers) {
    std::vector<Tensor> values(region.values.size());
    std::vector<Argument> inputs(region.values.size());
    std::vector<int64_t> offsets(region.values.size(), 0);
    values[static_cast<size_t>(region.inputs[0])] = Tensor(base, nullptr, nullptr);
    for (size_t i = 1; i < region.inputs.size(); ++i)
      inputs[static_cast<size_t>(region.inputs[i])] = numbers[i - 1];
    const auto resolve = [&](auto& self, const Operand& operand) -> Argument {
      if (operand.kind == Operand::Kind::Literal) return operand.literal;
      if (operand.kind == Operand::Kind::List) {
        Dims ints;
        for (const Operand& item : operand.items)
          ints.push_back(unpack<int64_t>::from(self(self, item)));
        return ints;
      }
      const auto v = static_cast<size_t>(operand.value);
      if (is_none(inputs[v])) return static_cast<const Tensor*>(&values[v]);
      return inputs[v];
    };
    for (const Node& node : region.nodes) {
      std::vector<Argument> args;
      for (const Operand& operand : node.operands) args.push_back(resolve(resolve, operand));
      std::vector<TensorMeta> metas(static_cast<size_t>(node.op->returns));
      node.op->shape(args, metas);
      const auto self = static_cast<size_t>(node.operands[0].value);
      if (node.op->may_alias) {
        const auto view = alias_instead_of_copy(values[self], metas[0]);
        RL_CHECK(view, Runtime, "the view of ", describe(values[self]),
                 " that is written moves data");
        metas[0] = *view;
      }
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] == kNoValue) continue;
        const auto out = static_cast<size_t>(node.outputs[i]);
        values[out] = Tensor(metas[i], nullptr, nullptr);
        offsets[out] = offsets[self] + metas[i].view_offset;
      }
    }
    const auto out = static_cast<size_t>(region.outputs[0]);
    TensorMeta result = values[out];
    result.view_offset = offsets[out];
    return result;
  }

  // ---- pointwise fusion ----

  void plan_pointwise_node(const Node& node, const std::vector<Argument>& args) {
    const PointwiseCall call = plan_pointwise(*node.op, args);
    std::vector<Slot> slots;
    for (int i : call.tensor_args) slots.push_back(node.operands[static_cast<size_t>(i)].value);
    const Slot out = node.outputs.at(0);
    set_meta(out, call.out);
    Chain chain(call, slots);
    for (Slot s : chain.slots()) absorb(chain, s, call.out);
    if (append_to_kernel(chain, out)) return;
    const auto v = static_cast<size_t>(out);
    const bool may_wait =
        uses_[v] == 1 && consumer_[v] >= 0 && graph_.nodes[static_cast<size_t>(consumer_[v])].op &&
        graph_.nodes[static_cast<size_t>(consumer_[v])].op->kind == OpKind::Pointwise &&
        chain.result() == call.out.dtype;
    pending_[out] = std::move(chain);
    if (!may_wait) materialise(out);
  }

  // Takes a waiting chain that computes operand `s` into `chain`, or has it computed on its own.
  void absorb(Chain& chain, Slot s, const TensorMeta& out) {
    const auto it = pending_.find(s);
    if (it == pending_.end()) return;
    if (slot(s).meta.sizes == out.sizes && chain.inline_operand(s, it->second)) {
      pending_.erase(it);
      return;
    }
    materialise(s);
  }

  // The kernel that has just written one of the operands can apply the chain on the way.
  bool append_to_kernel(Chain& chain, Slot out) {
    int32_t best = -1;
    Slot anchor = -1;
    for (Slot s : chain.slots()) {
      const auto it = tails_.find(s);
      if (it == tails_.end() || uses_[static_cast<size_t>(s)] != 1) continue;
      if (it->second > best) {
        best = it->second;
        anchor = s;
      }
    }
    if (anchor < 0) return false;
    const TensorMeta& written = slot(anchor).meta;
    const TensorMeta& result = slot(out).meta;
    if (written.sizes != result.sizes || written.dtype != result.dtype ||
        chain.result() != written.dtype || !written.is_contiguous())
      return false;
    for (Slot s : chain.slots())
      if (s != anchor && (defined_at_[static_cast<size_t>(s)] >= best || root(s) == anchor))
        return false;
    Chain& tail = tail_chains_[static_cast<size_t>(best)];
    chain.make_first(anchor, Chain::kKernelOutput);
    if (!tail.empty() && !chain.inline_operand(Chain::kKernelOutput, tail)) {
      chain.make_first(Chain::kKernelOutput, anchor);
      return false;
    }
    if (!tail.empty()) chain.make_first(Chain::kKernelOutput, Chain::kKernelOutput);
    tail = std::move(chain);
    Step& step = plan_->steps[static_cast<size_t>(best)];
    slot(out) = slot(anchor);
    set_meta(out, result);
    slot(out).meta.strides = tensor(out).strides = slot(anchor).meta.strides;
    slot(out).place = Place::Arena;
    slot(out).offset = -1;
    slot(anchor).place = Place::None;
    defined_at_[static_cast<size_t>(out)] = best;
    step.outs[0] = out;
    tails_.erase(anchor);
    tails_[out] = best;
    return true;
  }

  void materialise_operands(const Node& node) {
    for_each_value(node.operands, [&](ValueId v) { materialise(v); });
  }

  void materialise(Slot s) {
    const auto it = pending_.find(s);
    if (it == pending_.end()) return;
    Step step{Step::Kind::Pointwise, nullptr, node_};
    step.program = it->second.program(step.inputs);
    step.outs = {s};
    pending_.erase(it);
    const TensorMeta meta = slot(s).meta;
    define(s, meta);
    add_step(std::move(step));
  }

  // ---- memory ----

  void place_outputs() {
    for (size_t i = 0; i < plan_->steps.size(); ++i) {
      const auto it = tail_chains_.find(i);
      if (it == tail_chains_.end() || it->second.empty()) continue;
      Step& step = plan_->steps[i];
      step.program = it->second.program(step.inputs);
    }
    for (ValueId v : graph_.outputs) {
      if (graph_.at(v).type != ValueType::Tensor) continue;
      const Slot r = root(v);
      if (slot(r).place != Place::Arena) continue;
      slot(r).place = Place::Output;
      plan_->outputs.push_back(r);
    }
  }

  void assign_memory() {
    const size_t steps = plan_->steps.size();
    std::vector<int32_t> last(plan_->slots.size(), -1);
    const auto touch = [&](Slot s, size_t step) {
      last[static_cast<size_t>(root(s))] = static_cast<int32_t>(step);
    };
    for (size_t i = 0; i < steps; ++i) {
      Step& step = plan_->steps[i];
      for_each_value(step.operands, [&](ValueId v) {
        if (graph_.at(v).type == ValueType::Tensor) touch(v, i);
      });
      for (Slot s : step.inputs) touch(s, i);
      for (Slot s : step.outs)
        if (s >= 0 && is_tensor(s)) touch(s, i);
    }
    for (ValueId v : graph_.outputs)
      if (graph_.at(v).type == ValueType::Tensor) touch(v, steps);
    std::vector<std::vector<Slot>> dies(steps + 1);
    for (size_t s = 0; s < last.size(); ++s)
      if (last[s] >= 0) dies[static_cast<size_t>(last[s])].push_back(static_cast<Slot>(s));

    Arena arena;
    for (size_t i = 0; i < steps; ++i) {
      Step& step = plan_->steps[i];
      std::vector<Slot> freed;
      for (Slot s : dies[i])
        if (slot(s).place == Place::Arena) freed.push_back(s);
      reuse_in_place(step, freed);
      for (Slot s : step.outs) {
        if (s < 0 || !is_tensor(s) || slot(s).place != Place::Arena || slot(s).offset >= 0)
          continue;
        slot(s).offset = static_cast<int64_t>(arena.allocate(bytes(s)));
      }
      for (Slot s : freed) arena.release(static_cast<size_t>(slot(s).offset), bytes(s));
      for (Slot s : dies[i])
        if (slot(s).place == Place::Dynamic) step.release.push_back(s);
    }
    plan_->arena_bytes = arena.size();
  }

  bool is_tensor(Slot s) const {
    return static_cast<size_t>(s) >= graph_.values.size() || graph_.at(s).type == ValueType::Tensor;
  }
  size_t bytes(Slot s) {
    // Of the memory a dense tensor spans, whatever the order of its dimensions.
    return static_cast<size_t>(slot(s).meta.nbytes());
  }

  // The output takes the memory of an input that nobody reads afterwards. `freed` loses it.
  void reuse_in_place(Step& step, std::vector<Slot>& freed) {
    if (step.outs.size() != 1 || slot(step.outs[0]).place != Place::Arena) return;
    const Slot out = step.outs[0];
    const auto take = [&](Slot s) {
      const auto it = std::find(freed.begin(), freed.end(), s);
      if (it == freed.end()) return false;
      slot(out).offset = slot(s).offset;
      freed.erase(it);
      return true;
    };
    if (step.kind == Step::Kind::Scatter) {
      const Slot base = step.inputs[0];
      const TensorMeta &a = slot(base).meta, &b = slot(out).meta;
      if (a.strides == b.strides && slot(base).place == Place::Arena &&
          root(step.inputs[1]) != base)
        step.in_place = take(base);
      return;
    }
    if (step.kind != Step::Kind::Pointwise) return;
    for (Slot s : step.inputs) {
      const TensorMeta &a = slot(s).meta, &b = slot(out).meta;
      if (slot(s).place != Place::Arena || a.sizes != b.sizes || a.strides != b.strides ||
          item_size(a.dtype) != item_size(b.dtype))
        continue;
      bool seen_otherwise = false;  // the same memory through another view
      for (Slot other : step.inputs) seen_otherwise |= other != s && root(other) == s;
      if (!seen_otherwise && take(s)) return;
    }
  }

  void collect_rebound() {
    for (size_t s = 0; s < plan_->slots.size(); ++s) {
      const SlotPlan& p = plan_->slots[s];
      if (p.place != Place::View) continue;
      const Place from = slot(p.root).place;
      if (from == Place::Bound || from == Place::Output)
        plan_->rebound.push_back(static_cast<Slot>(s));
    }
  }

  const Graph& graph_;
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

}  // namespace

std::shared_ptr<const Plan> make_plan(const Graph& graph, std::span<const PlanInput> inputs) {
  return Planner(graph, inputs).run();
}

}  // namespace rushlight
