#include "inline_calls.h"

#include <memory>

#include "ir/control_flow.h"
#include "passes/autocast.h"

namespace rushlight {
namespace {

constexpr std::string_view kAutocast = "higher_order.wrap_with_autocast";

const OpDef& op(std::string_view name) {
  const OpDef* found = find_op(name);
  RL_ASSERT(found, name, " is missing from the op table");
  return *found;
}

class Inliner {
 public:
  explicit Inliner(Graph& graph) : graph_(graph) {}

  void run(const Autocast& state) {
    std::vector<Node> nodes = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (Node& node : nodes) add(std::move(node), state);
  }

 private:
  void add(Node node, const Autocast& state) {
    if (is_inlined(node.target)) return expand(node, state);
    for (auto& region : node.regions) {
      Graph inner = *region;
      Inliner(inner).run(state);
      region = std::make_shared<const Graph>(std::move(inner));
    }
    if (state.enabled && node.op) cast_operands(node, state);
    graph_.nodes.push_back(std::move(node));
  }

  void expand(const Node& call, Autocast state) {
    if (call.target == kAutocast) set_autocast(call, state);
    const Graph& region = *call.regions.at(0);
    const std::vector<Operand>& arguments = call.operands.back().items;
    std::vector<Operand> mapped(region.values.size(), Operand::ref(kNoValue));
    for (size_t i = 0; i < region.inputs.size(); ++i)
      mapped[static_cast<size_t>(region.inputs[i])] = arguments.at(i);
    RL_CHECK(call.outputs.size() <= region.outputs.size(), Value, call.name, ": ", call.target,
             " has ", call.outputs.size(), " outputs, its graph ", region.outputs.size());
    // What the region computes and returns takes the place of the call's output.
    for (size_t i = 0; i < call.outputs.size(); ++i) {
      Operand& output = mapped[static_cast<size_t>(region.outputs[i])];
      if (call.outputs[i] != kNoValue && output.value == kNoValue && output.is_value())
        output.value = call.outputs[i];
    }
    for (const Node& source : region.nodes) {
      Node node = source;
      for (Operand& operand : node.operands) map(operand, mapped);
      for (ValueId& out : node.outputs) {
        if (out == kNoValue) continue;
        Operand& target = mapped[static_cast<size_t>(out)];
        if (target.value == kNoValue) target.value = copy_value(call, region.at(out));
        out = target.value;
      }
      add(std::move(node), state);
    }
    // Inputs that are returned as they are, and values returned twice.
    for (size_t i = 0; i < call.outputs.size(); ++i) {
      const Operand& from = mapped[static_cast<size_t>(region.outputs[i])];
      if (call.outputs[i] == kNoValue || from.value == call.outputs[i]) continue;
      const bool tensor = graph_.at(call.outputs[i]).type == ValueType::Tensor;
      const OpDef& same = op(tensor ? "aten.alias.default" : "_operator.pos");
      graph_.nodes.push_back({&same, std::string(same.name), {from}, {call.outputs[i]}, call.name});
    }
  }

  static void map(Operand& operand, const std::vector<Operand>& mapped) {
    if (operand.is_value()) operand = mapped[static_cast<size_t>(operand.value)];
    for (Operand& item : operand.items) map(item, mapped);
  }

  ValueId copy_value(const Node& call, Value value) {
    value.name = detail::concat(call.name, ".", value.name, ".", counter_++);
    return graph_.add_value(std::move(value));
  }

  // wrap_with_autocast(device, dtype, enabled, cache, graph, arguments…)
  static void set_autocast(const Node& call, Autocast& state) {
    RL_CHECK(call.operands.size() >= 4, Value, call.name, ": ", call.target, " lacks its settings");
    const auto* device = std::get_if<std::string>(&call.operands[0].literal);
    const bool* enabled = std::get_if<bool>(&call.operands[2].literal);
    RL_CHECK(device && enabled, Value, call.name, ": ", call.target,
             " has settings of another kind");
    if (*device != "cpu") return;  // of a device that no tensor is on
    state.enabled = *enabled;
    state.dtype = DType::BFloat16;
    if (const DType* dtype = std::get_if<DType>(&call.operands[1].literal)) state.dtype = *dtype;
  }

  // Autocast leaves double and integers as they are.
  bool is_eligible(ValueId v) const {
    const Value& value = graph_.at(v);
    return value.type == ValueType::Tensor && value.known && is_floating(value.dtype) &&
           value.dtype != DType::Float64;
  }

  void cast_operands(Node& node, const Autocast& state) {
    DType widest = state.dtype;
    for_each_value(node.operands, [&](ValueId v) {
      if (is_eligible(v) && graph_.at(v).dtype == DType::Float32) widest = DType::Float32;
    });
    auto dtype = autocast_dtype(state, node.target, widest);
    if (!dtype) dtype = recorded_dtype(node);
    if (!dtype) return;
    for_each_value(node.operands, [&](ValueId& v) {
      if (is_eligible(v) && graph_.at(v).dtype != *dtype) v = cast(v, *dtype, node.name);
    });
  }

  // Composite operators such as lstm are cast inside: their recorded result tells to what.
  std::optional<DType> recorded_dtype(const Node& node) const {
    for (const ArgumentSpec& spec : node.op->arguments)
      if (spec.type == ArgType::DType) return std::nullopt;
    if (node.outputs.empty() || node.outputs[0] == kNoValue || !is_eligible(node.outputs[0]))
      return std::nullopt;
    const DType result = graph_.at(node.outputs[0]).dtype;
    bool any = false, differs = true;
    for_each_value(node.operands, [&](ValueId v) {
      if (!is_eligible(v)) return;
      any = true;
      differs &= graph_.at(v).dtype != result;
    });
    return any && differs ? std::optional(result) : std::nullopt;
  }

  ValueId cast(ValueId v, DType dtype, const std::string& cause) {
    Value value = graph_.at(v);
    value.name = detail::concat(cause, ".cast.", counter_++);
    value.dtype = dtype;
    const ValueId result = graph_.add_value(std::move(value));
    const OpDef& to = op("aten.to.dtype");
    Node node{&to, std::string(to.name), {}, {result}, cause};
    for (const ArgumentSpec& spec : to.arguments)
      node.operands.push_back(Operand::of(spec.default_value));
    node.operands[0] = Operand::ref(v);
    node.operands[1] = Operand::of(dtype);
    graph_.nodes.push_back(std::move(node));
    return result;
  }

  Graph& graph_;
  int counter_ = 0;
};

}  // namespace

bool is_inlined(std::string_view target) {
  return target == kAutocast || target == "higher_order.wrap_with_set_grad_enabled" ||
         target == "higher_order.tag_activation_checkpoint" ||
         target == "higher_order.wrap_activation_checkpoint" || target == "higher_order.wrap" ||
         target == "higher_order.invoke_subgraph" || target == "higher_order.strict_mode";
}

void inline_calls(Graph& graph) { Inliner(graph).run({}); }

}  // namespace rushlight
