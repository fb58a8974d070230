// A trace as the graph that planner, printer and writers know.
#include "lazy/structure.h"
#include "lazy/trace.h"

namespace rushlight::lazy {
namespace {

ValueType type_of(const Argument& number) {
  if (std::holds_alternative<int64_t>(number)) return ValueType::Int;
  if (std::holds_alternative<bool>(number)) return ValueType::Bool;
  return ValueType::Float;
}

class Converter {
 public:
  /// Integers become inputs and are noted in `integers`, unless that is null.
  Converter(const Trace& trace, TraceGraph& out, std::vector<IntegerUse>* integers)
      : trace_(trace),
        out_(out),
        graph_(out.graph),
        integers_(integers),
        mapped_(trace.values().size(), kNoValue) {
    out.numbers.assign(trace.numbers().size(), kNoValue);
  }

  void run(std::span<const ValueId> outputs) {
    find_needed(outputs);
    // In the graph, tensors come first among the inputs, in the order of the trace's.
    for (const Trace::Input& input : trace_.inputs()) {
      value(input.value, "x");
      graph_.inputs.push_back(mapped(input.value));
    }
    for (const Call& call : trace_.calls())
      if (is_needed(call)) add(call);
    for (ValueId number : out_.numbers)
      if (number != kNoValue) graph_.inputs.push_back(number);
    if (integers_)
      for (const IntegerUse& use : *integers_) graph_.inputs.push_back(use.value);
    for (ValueId v : outputs) graph_.outputs.push_back(mapped(v));
  }

 private:
  ValueId& mapped(ValueId v) { return mapped_[static_cast<size_t>(v)]; }

  bool is_needed(const Call& call) const {
    for (uint32_t i = 0; i < call.outputs; ++i)
      if (needed_[static_cast<size_t>(call.first_output) + i]) return true;
    return false;
  }

  void find_needed(std::span<const ValueId> outputs) {
    needed_.assign(trace_.values().size(), false);
    for (ValueId v : outputs) needed_[static_cast<size_t>(v)] = true;
    const auto calls = trace_.calls();
    for (size_t i = calls.size(); i-- > 0;)
      if (is_needed(calls[i]))
        for (const Source& s : trace_.sources(calls[i])) need(s);
  }
  void need(const Source& s) {
    if (s.kind == Source::Kind::Value) needed_[static_cast<size_t>(s.index)] = true;
    if (s.kind == Source::Kind::List)
      for (const Source& item : trace_.list(s)) need(item);
  }

  static void describe(Value& value, IntList sizes, IntList strides) {
    for (int64_t s : sizes) value.sizes.push_back({s, ""});
    value.hint_strides = Dims(strides);
    value.known = true;
  }
  IntList dims(const Source& s) const {
    return unpack<IntList>::from(trace_.literals()[static_cast<size_t>(s.index)]);
  }

  ValueId value(ValueId v, const char* prefix) {
    const TensorMeta& meta = trace_.meta(v);
    Value value;
    value.name = prefix + std::to_string(v);
    value.dtype = meta.dtype;
    describe(value, meta.sizes, meta.strides);
    return mapped(v) = graph_.add_value(std::move(value));
  }

  Operand operand(const Source& s) {
    switch (s.kind) {
      case Source::Kind::Value:
        return Operand::ref(mapped(s.index));
      case Source::Kind::Number: {
        ValueId& v = out_.numbers[static_cast<size_t>(s.index)];
        Value value;
        value.name = "n" + std::to_string(s.index);
        value.type = type_of(trace_.numbers()[static_cast<size_t>(s.index)]);
        v = graph_.add_value(std::move(value));
        return Operand::ref(v);
      }
      case Source::Kind::List: {
        std::vector<Operand> items;
        for (const Source& item : trace_.list(s)) items.push_back(operand(item));
        if (items.empty()) return Operand::of(std::vector<const Tensor*>{});
        return Operand::list(std::move(items));
      }
      case Source::Kind::Literal:
        break;
    }
    return literal(s.index);
  }

  Operand literal(int32_t index) {
    const Argument& argument = trace_.literals()[static_cast<size_t>(index)];
    if (!integers_) return Operand::of(argument);
    if (std::holds_alternative<int64_t>(argument)) return integer(index, -1);
    const auto* dims = std::get_if<Dims>(&argument);
    if (!dims || dims->empty()) return Operand::of(argument);
    std::vector<Operand> items;
    for (int32_t i = 0; i < static_cast<int32_t>(dims->size()); ++i)
      items.push_back(integer(index, i));
    return Operand::list(std::move(items));
  }
  Operand integer(int32_t index, int32_t position) {
    Value value;
    value.name = "i" + std::to_string(integers_->size());
    value.type = ValueType::Int;
    const ValueId v = graph_.add_value(std::move(value));
    integers_->push_back({v, index, position});
    return Operand::ref(v);
  }

  void add(const Call& call) {
    Node node;
    node.op = call.op;
    const auto sources = trace_.sources(call);
    if (call.op) {
      node.target = call.op->name;
      for (const Source& s : sources) node.operands.push_back(operand(s));
    } else {
      node.target = kScatterView;
      node.operands = {operand(sources[0]), operand(sources[1])};
      node.regions = {region(trace_.meta(sources[0].index), sources, node.operands)};
    }
    for (uint32_t i = 0; i < call.outputs; ++i) {
      const auto v = static_cast<ValueId>(static_cast<uint32_t>(call.first_output) + i);
      node.outputs.push_back(needed_[static_cast<size_t>(v)] ? value(v, "v") : kNoValue);
    }
    node.name = node_name(call);
    graph_.nodes.push_back(std::move(node));
  }

  // The view of the base that a scatter writes. Values that it needs join the node's `operands`.
  std::shared_ptr<const Graph> region(const TensorMeta& base, std::span<const Source> sources,
                                      std::vector<Operand>& operands) {
    auto graph = std::make_shared<Graph>();
    Value in, out;
    in.name = "base";
    out.name = "region";
    in.dtype = out.dtype = base.dtype;
    if (!integers_) {  // a program of these sizes only
      describe(in, base.sizes, base.strides);
      describe(out, dims(sources[2]), dims(sources[3]));
    }
    graph->inputs = {graph->add_value(in)};
    graph->outputs = {graph->add_value(out)};
    Node node;
    node.op = find_op("aten.as_strided.default");
    node.target = node.op->name;
    node.operands = {Operand::ref(graph->inputs[0])};
    for (size_t i = 2; i < 5; ++i) {
      Operand of_trace = operand(sources[i]);
      std::span<Operand> all(&of_trace, 1);
      for_each_value(all, [&](ValueId& v) {
        operands.push_back(Operand::ref(v));
        v = graph->add_value(graph_.at(v));
        graph->inputs.push_back(v);
      });
      node.operands.push_back(std::move(of_trace));
    }
    node.outputs = graph->outputs;
    node.name = "region";
    graph->nodes.push_back(std::move(node));
    return graph;
  }

  const Trace& trace_;
  TraceGraph& out_;
  Graph& graph_;
  std::vector<IntegerUse>* integers_;
  std::vector<ValueId> mapped_;
  std::vector<bool> needed_;
};

}  // namespace

TraceGraph to_graph(const Trace& trace, std::span<const ValueId> outputs) {
  TraceGraph out;
  Converter(trace, out, nullptr).run(outputs);
  return out;
}

GeneralGraph to_general_graph(const Trace& trace, std::span<const ValueId> outputs) {
  GeneralGraph out;
  Converter(trace, out, &out.integers).run(outputs);
  return out;
}

}  // namespace rushlight::lazy
