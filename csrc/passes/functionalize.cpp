#include "functionalize.h"

#include "ir/alias.h"

namespace rushlight {
namespace {

using StateId = size_t;
constexpr StateId kNoState = static_cast<StateId>(-1);

// A write repeats the views that lead to what it writes; a file may not make that quadratic.
constexpr size_t kMostViewsOfAWrite = 1000;

// One thing a tensor of the original graph has been: memory of its own, or a view of another state.
// Where an operator such as t_() turns a tensor into a view of itself, a second state begins.
struct State {
  ValueId value = kNoValue;   // an original value that describes it
  ValueId mapped = kNoValue;  // its value in the new graph, valid for `version` of the root
  StateId root = kNoState;    // the state that owns the memory; itself if no view
  StateId parent = kNoState;  // what it views
  size_t depth = 0;           // views between the root and this
  size_t view_node = 0;       // original node that made the view …
  size_t view_output = 0;     // … and which of its outputs
  int version = 0;            // how often the root had been written when `mapped` was taken
  int writes = 0;             // of a root: how often it was written
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
      : program_(program),
        old_(program.graph),
        state_of_(old_.values.size(), kNoState),
        same_as_(old_.values.size(), kNoValue) {}

  void run() {
    for (ValueId input : old_.inputs) {
      new_.inputs.push_back(new_.add_value(old_.at(input)));
      own(input, new_.inputs.back());
    }
    inputs_ = state_of_;
    for (size_t i = 0; i < old_.nodes.size(); ++i) rewrite(i);
    finish();
    // A graph that lost inputs while it was read (tokens) has its values under new numbers.
    for (InputSpec& input : program_.inputs)
      for (size_t i = 0; input.value != kNoValue && i < old_.inputs.size(); ++i)
        if (old_.inputs[i] == input.value) {
          input.value = new_.inputs[i];
          break;
        }
    program_.graph = std::move(new_);
  }

 private:
  // What an in-place operator returns is the tensor that it wrote.
  ValueId object(ValueId v) const {
    const ValueId other = same_as_[static_cast<size_t>(v)];
    return other == kNoValue ? v : other;
  }
  StateId& state_of(ValueId v) { return state_of_[static_cast<size_t>(object(v))]; }

  StateId add_state(ValueId value, ValueId mapped) {
    states_.push_back({.value = value, .mapped = mapped, .root = states_.size()});
    return states_.size() - 1;
  }
  void own(ValueId v, ValueId mapped) { state_of(v) = add_state(v, mapped); }

  ValueId fresh(const Value& like, const char* suffix) {
    Value value = like;
    value.name += suffix + std::to_string(counter_++);
    return new_.add_value(std::move(value));
  }

  // The new graph's value of an original one; a view of memory written since is taken again.
  ValueId get(ValueId v) {
    const StateId id = state_of(v);
    RL_ASSERT(id != kNoState, "value ", old_.at(v).name, " has not been rewritten");
    refresh(id);
    return states_[id].mapped;
  }

  bool is_fresh(StateId id) const {
    const State& s = states_[id];
    return s.parent == kNoState || s.version == states_[s.root].writes;
  }

  // Without recursion: chains of views are as long as a file likes.
  void refresh(StateId id) {
    std::vector<StateId> wanted{id};
    while (!wanted.empty()) {
      const StateId top = wanted.back();
      const size_t count = wanted.size();
      if (!is_fresh(top)) {
        const auto need = [&](StateId other) {
          if (other != kNoState && !is_fresh(other)) wanted.push_back(other);
        };
        need(states_[top].parent);
        const std::span operands = old_.nodes[states_[top].view_node].operands;
        const std::span further = operands.subspan(1);
        for_each_value(further, [&](ValueId v) { need(state_of(v)); });
        if (wanted.size() > count) continue;
        take_again(states_[top]);
      }
      wanted.pop_back();
    }
  }

  // Everything that the view needs is fresh.
  void take_again(State& s) {
    Node again = old_.nodes[s.view_node];
    again.op = view_op(again);
    again.target = again.op->name;
    for (size_t i = 1; i < again.operands.size(); ++i) map_operand(again.operands[i]);
    again.operands[0] = Operand::ref(states_[s.parent].mapped);
    for (size_t i = 0; i < again.outputs.size(); ++i) {
      if (again.outputs[i] == kNoValue) continue;
      again.outputs[i] = fresh(old_.at(again.outputs[i]), "_again");
    }
    s.mapped = again.outputs[s.view_output];
    s.version = states_[s.root].writes;
    new_.nodes.push_back(std::move(again));
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
    std::vector<Argument> literals;
    for (const Operand& operand : node.operands) literals.push_back(operand.literal);
    if (asks_for_copy(op, literals)) return false;
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
    if (node.op && reads_strides(*node.op)) forget_contents(node);
    Node copy = node;
    for (auto& region : copy.regions) region = functionalize_region(*region);
    for (Operand& operand : copy.operands) map_operand(operand);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId out = node.outputs[i];
      if (out == kNoValue) continue;
      copy.outputs[i] = new_.add_value(old_.at(out));
      if (node.op && is_view(*node.op, node, out))
        state_of(out) = add_view(out, copy.outputs[i], state_of(node.operands[0].value), index, i);
      else
        own(out, copy.outputs[i]);
    }
    new_.nodes.push_back(std::move(copy));
  }

  // A region may write into what it made itself, not into its inputs.
  static std::shared_ptr<const Graph> functionalize_region(const Graph& region) {
    Program inner;
    inner.graph = region;
    for (ValueId v : region.inputs)
      inner.inputs.push_back({.kind = InputSpec::Kind::TensorConstant,
                              .value = v,
                              .target = region.at(v).name + " of a region"});
    for (ValueId v : region.outputs)
      inner.outputs.push_back({.kind = OutputSpec::Kind::User, .value = v});
    functionalize(inner);
    return std::make_shared<const Graph>(std::move(inner.graph));
  }

  static bool reads_strides(const OpDef& op) {
    return op.name.starts_with("aten.as_strided") || op.name.starts_with("aten.sym_stride") ||
           op.name.starts_with("aten.sym_storage_offset");
  }
  // After a write, the new contents stand for a view; who looks at its place in memory needs the
  // view itself.
  void forget_contents(const Node& node) {
    if (node.operands.empty() || !node.operands[0].is_value()) return;
    for (StateId id = state_of(node.operands[0].value);
         id != kNoState && states_[id].parent != kNoState; id = states_[id].parent)
      states_[id].version = -1;
  }

  StateId add_view(ValueId out, ValueId mapped, StateId parent, size_t node, size_t output) {
    const StateId id = add_state(out, mapped);
    State& s = states_[id];
    s.parent = parent;
    s.root = states_[parent].root;
    s.depth = states_[parent].depth + 1;
    s.view_node = node;
    s.view_output = output;
    s.version = states_[s.root].writes;
    return id;
  }

  // x.t_() and its like: x is a view of what it was from here on.
  void rewrite_view_in_place(size_t index, const OpDef& op) {
    const ValueId self = object(old_.nodes[index].operands[0].value);
    const StateId before = state_of(self);
    std::vector<ValueId>& outputs = old_.nodes[index].outputs;
    ValueId out = outputs.empty() ? kNoValue : outputs[0];
    if (out == kNoValue) {
      out = old_.add_value(old_.at(self));
      old_.at(out).name += "_viewed" + std::to_string(counter_++);
      state_of_.push_back(kNoState);
      same_as_.push_back(kNoValue);
      outputs.assign(1, out);
    }
    Node copy = old_.nodes[index];
    copy.op = &op;
    copy.target = op.name;
    for (Operand& operand : copy.operands) map_operand(operand);
    copy.outputs.assign(1, new_.add_value(old_.at(out)));
    state_of(self) = add_view(out, copy.outputs[0], before, index, 0);
    same_as_[static_cast<size_t>(out)] = self;
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
      written.push_back(node.operands[i].is_value() ? object(node.operands[i].value) : kNoValue);
    const bool same_dtype = written.size() == 1 && one_dtype(pure.operands, written[0]);
    for (Operand& operand : pure.operands) map_operand(operand);
    // First what the operator returns anew, then the written arguments.
    const size_t fresh_outputs = static_cast<size_t>(op.returns) - written.size();
    pure.outputs.resize(fresh_outputs, kNoValue);
    for (size_t i = 0; i < fresh_outputs && i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      pure.outputs[i] = new_.add_value(old_.at(node.outputs[i]));
      own(node.outputs[i], pure.outputs[i]);
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
      same_as_[static_cast<size_t>(node.outputs[i])] = written.at(i - fresh_outputs);
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
    const StateId id = state_of(self), root = states_[id].root;
    if (id == root) {
      states_[id].mapped = after;
      ++states_[id].writes;
      return;
    }
    Node scatter;
    scatter.target = kScatterView;
    scatter.name = cause.name;
    scatter.operands = {Operand::ref(states_[root].mapped), Operand::ref(after)};
    scatter.regions = {region(id, scatter.operands)};
    scatter.outputs = {fresh(old_.at(states_[root].value), "_scattered")};
    states_[root].mapped = scatter.outputs[0];
    new_.nodes.push_back(std::move(scatter));
    ++states_[root].writes;
    states_[id].mapped = after;
    states_[id].version = states_[root].writes;
  }

  // The views that lead from the root to `self`, as a graph of their own. Numbers that they need
  // from outside become further operands of the node and inputs of the region.
  std::shared_ptr<const Graph> region(StateId self, std::vector<Operand>& operands) {
    RL_CHECK(states_[self].depth <= kMostViewsOfAWrite, NotImplemented,
             old_.at(states_[self].value).name, ": a write through a chain of ",
             states_[self].depth, " views; at most ", kMostViewsOfAWrite, " are supported");
    std::vector<StateId> path;
    for (StateId id = self; states_[id].parent != kNoState; id = states_[id].parent)
      path.push_back(id);
    auto graph = std::make_shared<Graph>();
    ValueId current = graph->add_value(old_.at(states_[states_[self].root].value));
    graph->inputs.push_back(current);
    for (auto it = path.rbegin(); it != path.rend(); ++it) {
      const State& s = states_[*it];
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
      // A constant that is written keeps what was written, as a buffer does.
      const bool buffer =
          input.kind == InputSpec::Kind::Buffer || input.kind == InputSpec::Kind::TensorConstant;
      const bool user = input.kind == InputSpec::Kind::User;
      // The memory of the input, whatever views of itself the program made it.
      const State& memory = states_[inputs_[static_cast<size_t>(input.value)]];
      if (memory.writes == 0) continue;
      RL_CHECK(buffer || user, NotImplemented, "the program writes into ", input.target,
               ", which is neither a buffer nor an input");
      OutputSpec spec{buffer ? OutputSpec::Kind::BufferMutation : OutputSpec::Kind::InputMutation};
      spec.target = buffer ? input.target : input.name;
      spec.value = memory.mapped;
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

  Program& program_;
  Graph old_;
  Graph new_;
  std::vector<State> states_;
  std::vector<StateId> state_of_;  // by original value: what it is now
  std::vector<ValueId> same_as_;   // by original value: the tensor that it is another name of
  std::vector<StateId> inputs_;    // state_of_ before the first node
  int counter_ = 0;
};

}  // namespace

void functionalize(Program& program) { Functionalizer(program).run(); }

}  // namespace rushlight
