#include "functionalize.h"

#include <unordered_map>

#include "ir/alias.h"

namespace rushlight {
namespace {

// What is known of a value of the original graph while the new one is written.
struct State {
  ValueId mapped = kNoValue;  // its value in the new graph, valid for `version` of the root
  ValueId root = kNoValue;    // original value that owns the memory; itself if no view
  ValueId parent = kNoValue;  // the value it views
  size_t view_node = 0;       // original node that made the view …
  size_t view_output = 0;     // … and which of its outputs
  int version = 0;
  ValueId redirect = kNoValue;  // another value that stands for this one now
};

TensorMeta hint(const Value& value) {
  TensorMeta meta;
  meta.dtype = value.dtype;
  for (const SymbolicSize& size : value.sizes) meta.sizes.push_back(size.hint);
  meta.strides = value.hint_strides;
  return meta;
}

class Functionalizer {
 public:
  explicit Functionalizer(Program& program)
      : program_(program), old_(program.graph), states_(old_.values.size()) {}

  void run() {
    for (ValueId input : old_.inputs) {
      new_.inputs.push_back(define(input));
      own(input);
    }
    for (size_t i = 0; i < old_.nodes.size(); ++i) rewrite(i);
    finish();
    program_.graph = std::move(new_);
  }

 private:
  State& state(ValueId v) { return states_[static_cast<size_t>(v)]; }
  ValueId resolve(ValueId v) {
    while (state(v).redirect != kNoValue) v = state(v).redirect;
    return v;
  }
  int& version(ValueId root) { return versions_[root]; }

  // Copies the description of an original value into the new graph.
  ValueId define(ValueId original) {
    const ValueId id = new_.add_value(old_.at(original));
    state(original).mapped = id;
    return id;
  }
  void own(ValueId v) { state(v).root = v; }

  ValueId fresh(const Value& like, const char* suffix) {
    Value value = like;
    value.name += suffix + std::to_string(counter_++);
    return new_.add_value(std::move(value));
  }

  // The new graph's value of an original one; a view of memory written since is taken again.
  ValueId get(ValueId v) {
    v = resolve(v);
    State& s = state(v);
    RL_ASSERT(s.mapped != kNoValue, "value ", old_.at(v).name, " has not been rewritten");
    if (s.parent == kNoValue || s.version == version(s.root)) return s.mapped;
    Node again = old_.nodes[s.view_node];
    again.op = view_op(again);
    again.target = again.op->name;
    for (size_t i = 1; i < again.operands.size(); ++i) map_operand(again.operands[i]);
    again.operands[0] = Operand::ref(get(s.parent));
    for (size_t i = 0; i < again.outputs.size(); ++i) {
      if (again.outputs[i] == kNoValue) continue;
      again.outputs[i] = fresh(old_.at(again.outputs[i]), "_again");
    }
    s.mapped = again.outputs[s.view_output];
    s.version = version(s.root);
    new_.nodes.push_back(std::move(again));
    return s.mapped;
  }

  void map_operand(Operand& operand) {
    if (operand.kind == Operand::Kind::Value) operand.value = get(operand.value);
    for (Operand& item : operand.items) map_operand(item);
  }

  static const OpDef* functional(const OpDef& op) {
    if (op.kind != OpKind::InPlace) return &op;
    const OpDef* twin = find_op(op.functional);
    RL_ASSERT(twin, op.functional, " is missing from the op table");
    return twin;
  }
  static const OpDef* view_op(const Node& node) { return functional(*node.op); }

  // Does output `out` share memory with the first operand?
  bool is_view(const OpDef& op, const Node& node, ValueId out) const {
    if (!op.aliases || node.operands.empty() || !node.operands[0].is_value()) return false;
    if (!op.may_alias) return true;
    const Value& a = old_.at(node.operands[0].value);
    const Value& b = old_.at(out);
    return a.known && b.known && a.type == ValueType::Tensor &&
           alias_instead_of_copy(hint(a), hint(b)).has_value();
  }

  // dropout(x, 0.5, True) and its like: the operator that does what training asks for.
  void resolve_training_node(Node& node) {
    if (!node.op || node.op->training.empty()) return;
    std::vector<Argument> literals;
    for (const Operand& operand : node.operands)
      literals.push_back(operand.is_value() ? Argument{int64_t{0}} : operand.literal);
    const OpDef& twin = resolve_training(*node.op, literals);
    if (&twin == node.op) return;
    std::vector<Operand> operands;
    const std::vector<int> positions = arguments_by_name(*node.op, twin);
    for (size_t i = 0; i < positions.size(); ++i)
      operands.push_back(positions[i] < 0 ? Operand::of(twin.arguments[i].default_value)
                                          : node.operands[static_cast<size_t>(positions[i])]);
    node.op = &twin;
    node.target = twin.name;
    node.operands = std::move(operands);
    const auto returned = static_cast<size_t>(twin.returns);
    node.outputs.resize(std::max(node.outputs.size(), returned), kNoValue);
  }

  void rewrite(size_t index) {
    resolve_training_node(old_.nodes[index]);
    const Node& node = old_.nodes[index];
    if (node.op && node.op->kind == OpKind::InPlace) {
      for (uint8_t i : node.op->written)
        RL_CHECK(node.operands[i].is_value() || is_none(node.operands[i].literal), Value, node.name,
                 ": ", node.target, " writes into something that is not a tensor");
      const OpDef* op = functional(*node.op);
      return op->kind == OpKind::View ? rewrite_view_in_place(index, *op)
                                      : rewrite_in_place(node, *op);
    }
    Node copy = node;
    for (Operand& operand : copy.operands) map_operand(operand);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId out = node.outputs[i];
      if (out == kNoValue) continue;
      copy.outputs[i] = define(out);
      if (node.op && is_view(*node.op, node, out))
        record_view(out, node.operands[0].value, index, i);
      else
        own(out);
    }
    new_.nodes.push_back(std::move(copy));
  }

  void record_view(ValueId out, ValueId parent, size_t node, size_t output) {
    State& s = state(out);
    s.parent = resolve(parent);
    s.root = state(s.parent).root;
    s.view_node = node;
    s.view_output = output;
    s.version = version(s.root);
  }

  // x.t_() and its like: x stands for a view of itself from here on.
  void rewrite_view_in_place(size_t index, const OpDef& op) {
    const Node& node = old_.nodes[index];
    const ValueId self = resolve(node.operands[0].value);
    // The state before the call moves to a value of its own, which the view then views.
    const ValueId before = old_.add_value(old_.at(self));
    states_.push_back(state(self));
    if (state(before).root == self) {
      state(before).root = before;
      version(before) = version(self);
      moved_[before] = self;
      for (State& s : states_)
        if (s.root == self) s.root = before;
    }
    for (State& s : states_)
      if (s.parent == self) s.parent = before;
    Node copy = old_.nodes[index];
    copy.op = &op;
    copy.target = op.name;
    copy.operands[0] = Operand::ref(get(before));
    for (size_t i = 1; i < copy.operands.size(); ++i) map_operand(copy.operands[i]);
    ValueId out = copy.outputs.empty() ? kNoValue : copy.outputs[0];
    if (out == kNoValue) {
      out = old_.add_value(old_.at(self));
      old_.at(out).name += "_viewed" + std::to_string(counter_++);
      states_.emplace_back();
    }
    copy.outputs.assign(1, define(out));
    record_view(out, before, index, 0);
    state(self).redirect = out;
    new_.nodes.push_back(std::move(copy));
  }

  void rewrite_in_place(const Node& node, const OpDef& op) {
    Node pure = node;
    pure.op = &op;
    pure.target = op.name;
    pure.operands.clear();
    const std::vector<int> positions = arguments_by_name(*node.op, op);
    for (size_t i = 0; i < positions.size(); ++i)
      pure.operands.push_back(positions[i] < 0 ? Operand::of(op.arguments[i].default_value)
                                               : node.operands[static_cast<size_t>(positions[i])]);
    std::vector<ValueId> written;
    for (uint8_t i : node.op->written)
      written.push_back(node.operands[i].is_value() ? resolve(node.operands[i].value) : kNoValue);
    const bool same_dtype = written.size() == 1 && one_dtype(pure.operands, written[0]);
    for (Operand& operand : pure.operands) map_operand(operand);
    // First what the operator returns anew, then the written arguments.
    const size_t fresh_outputs = static_cast<size_t>(op.returns) - written.size();
    pure.outputs.resize(fresh_outputs, kNoValue);
    for (size_t i = 0; i < fresh_outputs && i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      pure.outputs[i] = define(node.outputs[i]);
      own(node.outputs[i]);
    }
    for (ValueId self : written)
      pure.outputs.push_back(self == kNoValue ? kNoValue : fresh(old_.at(self), "_written"));
    const std::vector<ValueId> results = pure.outputs;
    resolve_training_node(pure);
    new_.nodes.push_back(std::move(pure));
    for (size_t i = 0; i < written.size(); ++i) {
      const ValueId self = written[i];
      if (self == kNoValue) continue;
      ValueId after = results[fresh_outputs + i];
      if (!same_dtype && op.name != "aten.copy.default") after = cast_to(self, after, node);
      write(self, after, node);
    }
    for (size_t i = fresh_outputs; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      state(node.outputs[i]).redirect = written.at(i - fresh_outputs);
      own(node.outputs[i]);
    }
  }

  bool one_dtype(std::vector<Operand>& operands, ValueId self) {
    bool same = true;
    for_each_value(operands, [&](ValueId v) {
      const Value& value = old_.at(v);
      same &= value.type != ValueType::Tensor || value.dtype == old_.at(self).dtype;
    });
    return same;
  }

  // The result takes the dtype of what it is written into; the planner drops needless copies.
  ValueId cast_to(ValueId self, ValueId after, const Node& cause) {
    const OpDef* cast = find_op("aten.copy.default");
    RL_ASSERT(cast);
    Node node{cast, std::string(cast->name), {}, {fresh(old_.at(self), "_cast")}, cause.name};
    node.operands = {Operand::ref(get(self)), Operand::ref(after), Operand::of(false)};
    const ValueId result = node.outputs[0];
    new_.nodes.push_back(std::move(node));
    return result;
  }

  // Makes `after` the contents of `self`.
  void write(ValueId self, ValueId after, const Node& cause) {
    State& s = state(self);
    if (s.parent == kNoValue) {
      s.mapped = after;
      ++version(s.root);
      return;
    }
    const ValueId root = s.root;
    Node scatter;
    scatter.target = kScatterView;
    scatter.name = cause.name;
    scatter.operands = {Operand::ref(get(root)), Operand::ref(after)};
    scatter.region = region(self, scatter.operands);
    scatter.outputs = {fresh(old_.at(root), "_scattered")};
    state(root).mapped = scatter.outputs[0];
    new_.nodes.push_back(std::move(scatter));
    ++version(root);
    s.mapped = after;
    s.version = version(root);
  }

  // The views that lead from the root to `self`, as a graph of their own. Numbers that they need
  // from outside become further operands of the node and inputs of the region.
  std::shared_ptr<const Graph> region(ValueId self, std::vector<Operand>& operands) {
    std::vector<ValueId> path;
    for (ValueId v = self; state(v).parent != kNoValue; v = state(v).parent) path.push_back(v);
    auto graph = std::make_shared<Graph>();
    ValueId current = graph->add_value(old_.at(state(self).root));
    graph->inputs.push_back(current);
    for (auto it = path.rbegin(); it != path.rend(); ++it) {
      const State& s = state(*it);
      Node view = old_.nodes[s.view_node];
      view.op = view_op(view);
      view.target = view.op->name;
      view.operands[0] = Operand::ref(current);
      for (size_t i = 1; i < view.operands.size(); ++i) capture(view.operands[i], *graph, operands);
      for (size_t i = 0; i < view.outputs.size(); ++i)
        if (view.outputs[i] != kNoValue)
          view.outputs[i] = graph->add_value(old_.at(view.outputs[i]));
      current = view.outputs.at(s.view_output);
      graph->nodes.push_back(std::move(view));
    }
    graph->outputs.push_back(current);
    return graph;
  }

  void capture(Operand& operand, Graph& graph, std::vector<Operand>& operands) {
    for (Operand& item : operand.items) capture(item, graph, operands);
    if (operand.kind != Operand::Kind::Value) return;
    operands.push_back(Operand::ref(get(operand.value)));
    // One number may be captured twice, so its name alone is not unique.
    Value captured = old_.at(operand.value);
    captured.name += '.' + std::to_string(graph.inputs.size());
    operand.value = graph.add_value(std::move(captured));
    graph.inputs.push_back(operand.value);
  }

  void finish() {
    std::vector<OutputSpec> outputs;
    for (const InputSpec& input : program_.inputs) {
      if (input.value == kNoValue) continue;
      const bool buffer = input.kind == InputSpec::Kind::Buffer;
      const bool user = input.kind == InputSpec::Kind::User;
      if (!written(input.value)) continue;
      RL_CHECK(buffer || user, NotImplemented, "the program writes into ", input.target,
               ", which is neither a buffer nor an input");
      OutputSpec spec{buffer ? OutputSpec::Kind::BufferMutation : OutputSpec::Kind::InputMutation};
      spec.target = buffer ? input.target : input.name;
      spec.value = get(owner_[input.value] != kNoValue ? owner_[input.value] : input.value);
      outputs.push_back(std::move(spec));
    }
    for (OutputSpec& output : program_.outputs) {
      if (output.value != kNoValue) output.value = get(output.value);
      outputs.push_back(output);
    }
    program_.outputs = std::move(outputs);
    new_.outputs.clear();
    for (const OutputSpec& output : program_.outputs)
      if (output.value != kNoValue) new_.outputs.push_back(output.value);
  }

  // Has the memory of this graph input been written? Sets `owner_` where an in-place view moved it.
  bool written(ValueId input) {
    ValueId root = input;
    owner_[input] = kNoValue;
    for (const auto& [now, before] : moved_)
      if (before == root) {
        root = now;
        owner_[input] = now;
      }
    return version(root) > 0;
  }

  Program& program_;
  Graph old_;
  Graph new_;
  std::vector<State> states_;
  std::unordered_map<ValueId, int> versions_;   // by root: how often it was written
  std::unordered_map<ValueId, ValueId> moved_;  // root -> what it was before an in-place view
  std::unordered_map<ValueId, ValueId> owner_;
  int counter_ = 0;
};

}  // namespace

void functionalize(Program& program) { Functionalizer(program).run(); }

}  // namespace rushlight
