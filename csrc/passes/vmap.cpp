#include "vmap.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "ir/control_flow.h"

namespace rushlight {
namespace {

constexpr std::string_view kPrefix = "torch._functorch.predispatch.";

using Levels = std::vector<int64_t>;  // ascending: outer ones first

const OpDef& op(std::string_view name) {
  const OpDef* found = find_op(name);
  RL_ASSERT(found, name, " is missing from the op table");
  return *found;
}

bool is_pointwise(const Node& node) {
  if (!node.op) return false;
  if (node.op->kind == OpKind::Pointwise) return true;
  const OpDef* twin = node.op->kind == OpKind::InPlace ? find_op(node.op->functional) : nullptr;
  return twin && twin->kind == OpKind::Pointwise;
}

class Lowering {
 public:
  explicit Lowering(Graph& graph) : graph_(graph) {}

  void run() {
    std::vector<Node> nodes = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (Node& node : nodes) {
      for (auto& region : node.regions) {
        Graph inner = *region;
        lower_vmap(inner);
        region = std::make_shared<const Graph>(std::move(inner));
      }
      add(std::move(node));
    }
  }

 private:
  const Levels& levels(ValueId v) const {
    static const Levels none;
    const auto it = levels_.find(v);
    return it == levels_.end() ? none : it->second;
  }

  // A value that has gained or lost dimensions: what the exporter recorded of it is wrong.
  void set_levels(ValueId v, Levels l) {
    Value& value = graph_.at(v);
    ranks_.emplace(v, rank(v));
    value.known = false;
    levels_[v] = std::move(l);
  }

  // Dimensions that the program sees; -1 where the exporter recorded nothing.
  int64_t rank(ValueId v) const {
    if (const auto it = ranks_.find(v); it != ranks_.end()) return it->second;
    const Value& value = graph_.at(v);
    return value.known ? static_cast<int64_t>(value.sizes.size()) : -1;
  }

  void add(Node node) {
    if (is_vmap(node.target)) return add_vmap(node);
    std::set<int64_t> all;
    for_each_value(node.operands, [&](ValueId v) {
      const Levels& l = levels(v);
      all.insert(l.begin(), l.end());
    });
    if (all.empty()) {
      graph_.nodes.push_back(std::move(node));
      return;
    }
    const Levels batch(all.begin(), all.end());
    if (node.op && reads_metadata_only(*node.op)) return add_size(std::move(node), batch);
    if (is_pointwise(node)) return add_pointwise(std::move(node), batch);
    for (ValueId v : node.outputs)
      RL_CHECK(v == kNoValue || graph_.at(v).type == ValueType::Tensor, NotImplemented, node.name,
               " (", node.target, "): a number that differs along a batch of vmap");
    const std::vector<ValueId> outputs = node.outputs;
    add_map(graph_, std::move(node), batch, levels_);
    for (ValueId v : outputs)
      if (v != kNoValue) set_levels(v, batch);
  }

  void add_vmap(const Node& node) {
    const std::string_view name = std::string_view(node.target).substr(kPrefix.size());
    if (name == "_add_batch_dim") return add_batch_dim(node);
    if (name == "_remove_batch_dim") return remove_batch_dim(node);
    // Nesting is said by the levels; decompositions are loaded here without being asked.
  }

  static int64_t number(const Node& node, size_t i) {
    RL_CHECK(i < node.operands.size() && std::holds_alternative<int64_t>(node.operands[i].literal),
             Value, node.name, " (", node.target, "): argument ", i, " is no int");
    return std::get<int64_t>(node.operands[i].literal);
  }

  static ValueId tensor(const Node& node) {
    RL_CHECK(!node.operands.empty() && node.operands[0].is_value() && node.outputs.size() == 1 &&
                 node.outputs[0] != kNoValue,
             Value, node.name, " (", node.target, "): expected a tensor in and one out");
    return node.operands[0].value;
  }

  // Dimension `dim` as the program counts; from the end it is the same with batches in front.
  static int64_t shifted(int64_t dim, size_t batches) {
    return dim < 0 ? dim : dim + static_cast<int64_t>(batches);
  }

  void emit(std::string_view target, std::vector<Operand> operands, ValueId out,
            const Node& cause) {
    const OpDef& def = op(target);
    for (size_t i = operands.size(); i < def.arguments.size(); ++i)
      operands.push_back(Operand::of(def.arguments[i].default_value));
    graph_.nodes.push_back({&def, std::string(target), std::move(operands), {out}, cause.name});
  }

  ValueId fresh(ValueId like, const Node& cause) {
    Value value = graph_.at(like);
    value.name = detail::concat(cause.name, ".vmap.", counter_++);
    value.known = false;
    return graph_.add_value(std::move(value));
  }

  // _add_batch_dim(self, dim, level): dimension `dim` is the innermost batch from here on.
  void add_batch_dim(const Node& node) {
    const ValueId self = tensor(node);
    Levels l = levels(self);
    const int64_t level = number(node, 2);
    RL_CHECK(l.empty() || l.back() < level, Value, node.name, ": level ", level,
             " is not the innermost");
    const auto front = static_cast<int64_t>(l.size());
    emit("aten.movedim.int",
         {Operand::ref(self), Operand::of(shifted(number(node, 1), l.size())), Operand::of(front)},
         node.outputs[0], node);
    l.push_back(level);
    set_levels(node.outputs[0], std::move(l));
  }

  // _remove_batch_dim(self, level, batch_size, out_dim)
  void remove_batch_dim(const Node& node) {
    const ValueId self = tensor(node);
    Levels l = levels(self);
    const int64_t level = number(node, 1), out_dim = number(node, 3);
    const ValueId out = node.outputs[0];
    if (!l.empty() && l.back() == level) {
      l.pop_back();
      emit("aten.movedim.int",
           {Operand::ref(self), Operand::of(static_cast<int64_t>(l.size())),
            Operand::of(shifted(out_dim, l.size()))},
           out, node);
    } else {
      // The same for the whole batch.
      RL_CHECK(rank(self) >= 0, NotImplemented, node.name, ": a tensor of unknown sizes");
      const auto dims = static_cast<int64_t>(l.size()) + rank(self) + 1;
      const int64_t at = wrap_dim(shifted(out_dim, l.size()), dims);
      const ValueId one = fresh(self, node);
      emit("aten.unsqueeze.default", {Operand::ref(self), Operand::of(at)}, one, node);
      std::vector<Operand> sizes(static_cast<size_t>(dims), Operand::of(int64_t{-1}));
      sizes[static_cast<size_t>(at)] = node.operands.at(2);
      if (sizes[static_cast<size_t>(at)].is_value()) {
        emit("aten.expand.default", {Operand::ref(one), Operand::list(std::move(sizes))}, out,
             node);
      } else {
        Dims ints(static_cast<size_t>(dims), -1);
        ints[static_cast<size_t>(at)] = number(node, 2);
        emit("aten.expand.default", {Operand::ref(one), Operand::of(ints)}, out, node);
      }
    }
    if (!l.empty()) set_levels(out, std::move(l));
  }

  // sym_size(self, dim)
  void add_size(Node node, const Levels&) {
    const size_t batches = levels(node.operands[0].value).size();
    RL_CHECK(node.operands.size() == 2, NotImplemented, node.name, " (", node.target,
             "): of a tensor in a batch of vmap");
    node.operands[1] = Operand::of(shifted(number(node, 1), batches));
    graph_.nodes.push_back(std::move(node));
  }

  void add_pointwise(Node node, const Levels& batch) {
    int64_t widest = 0;
    for_each_value(node.operands, [&](ValueId v) {
      if (graph_.at(v).type != ValueType::Tensor) return;
      RL_CHECK(rank(v) >= 0, NotImplemented, node.name, ": a tensor of unknown sizes");
      widest = std::max(widest, rank(v));
    });
    const bool in_place = node.op->kind == OpKind::InPlace;
    if (in_place) {
      const ValueId self = node.operands.at(0).value;
      RL_CHECK(self != kNoValue && levels(self) == batch && rank(self) == widest, Runtime,
               node.name, ": vmap: ", node.target,
               " is not possible because there exists a Tensor `other` in extra_args that has "
               "more elements than `self`");
    }
    const DType wide = dtype_of_widest(node);
    for_each_value(node.operands, [&](ValueId& v) { v = aligned(v, batch, widest, wide, node); });
    const std::vector<ValueId> outputs = node.outputs;
    graph_.nodes.push_back(std::move(node));
    for (ValueId v : outputs)
      if (v != kNoValue) set_levels(v, batch);
  }

  // The highest dtype of operands that have dimensions; a number in a batch must not widen it.
  DType dtype_of_widest(const Node& node) const {
    DType wide = DType::Bool;
    for_each_value(node.operands, [&](ValueId v) {
      if (graph_.at(v).type == ValueType::Tensor && rank(v) > 0)
        wide = promote_types(wide, graph_.at(v).dtype);
    });
    return wide;
  }

  ValueId aligned(ValueId v, const Levels& batch, int64_t widest, DType wide, const Node& node) {
    if (graph_.at(v).type != ValueType::Tensor || levels(v).empty()) return v;
    const Levels have = levels(v);
    if (rank(v) == 0 && widest > 0 && graph_.at(v).dtype != wide &&
        category(graph_.at(v).dtype) <= category(wide)) {
      const ValueId cast = fresh(v, node);
      graph_.at(cast).dtype = wide;
      emit("aten.to.dtype", {Operand::ref(v), Operand::of(wide)}, cast, node);
      ranks_[cast] = 0;
      levels_[cast] = have;
      v = cast;
    }
    const auto unsqueeze = [&](int64_t at) {
      const ValueId out = fresh(v, node);
      emit("aten.unsqueeze.default", {Operand::ref(v), Operand::of(at)}, out, node);
      v = out;
    };
    const int64_t missing = widest - rank(v);
    for (int64_t i = 0; i < missing; ++i) unsqueeze(static_cast<int64_t>(have.size()));
    for (size_t i = 0; i < batch.size(); ++i)
      if (std::find(have.begin(), have.end(), batch[i]) == have.end())
        unsqueeze(static_cast<int64_t>(i));
    return v;
  }

  // map_impl over the outermost batch, of the node with the other batches.
  static void add_map(Graph& graph, Node node, const Levels& batch,
                      const std::map<ValueId, Levels>& of) {
    if (batch.empty()) {
      graph.nodes.push_back(std::move(node));
      return;
    }
    std::vector<ValueId> mapped, others;
    for_each_value(node.operands, [&](ValueId v) {
      const auto it = of.find(v);
      auto& list = it != of.end() && !it->second.empty() && it->second.front() == batch.front()
                       ? mapped
                       : others;
      if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
    });
    auto region = std::make_shared<Graph>();
    std::map<ValueId, ValueId> inside;
    std::map<ValueId, Levels> inner_levels;
    Node map;
    map.target = "higher_order.map_impl";
    map.name = node.name;
    map.operands = {Operand::list({}), Operand::list({})};
    const auto enter = [&](ValueId v, size_t group) {
      Value value = graph.at(v);
      value.known = false;
      const ValueId in = region->add_value(std::move(value));
      region->inputs.push_back(in);
      inside[v] = in;
      if (const auto it = of.find(v); it != of.end())
        inner_levels[in] = Levels(it->second.begin() + (group == 0 ? 1 : 0), it->second.end());
      map.operands[group].items.push_back(Operand::ref(v));
    };
    for (ValueId v : mapped) enter(v, 0);
    for (ValueId v : others) enter(v, 1);
    for_each_value(node.operands, [&](ValueId& v) { v = inside.at(v); });
    for (ValueId& v : node.outputs) {
      if (v == kNoValue) continue;
      map.outputs.push_back(v);
      Value value = graph.at(v);
      value.known = false;
      v = region->add_value(std::move(value));
      region->outputs.push_back(v);
    }
    add_map(*region, std::move(node), Levels(batch.begin() + 1, batch.end()), inner_levels);
    map.regions = {std::move(region)};
    graph.nodes.push_back(std::move(map));
  }

  Graph& graph_;
  std::map<ValueId, Levels> levels_;  // of tensors in a batch
  std::map<ValueId, int64_t> ranks_;
  int counter_ = 0;
};

}  // namespace

bool is_vmap(std::string_view target) {
  if (!target.starts_with(kPrefix)) return false;
  target.remove_prefix(kPrefix.size());
  return target == "_add_batch_dim" || target == "_remove_batch_dim" ||
         target == "_vmap_increment_nesting" || target == "_vmap_decrement_nesting" ||
         target == "lazy_load_decompositions";
}

void lower_vmap(Graph& graph) { Lowering(graph).run(); }

}  // namespace rushlight
