// Composite operators become the expression in their row of the op table.
#include "passes/pipeline.h"
#include "runtime/expression.h"

namespace rushlight {
namespace {

class Decomposer {
 public:
  Decomposer(Graph& graph, std::vector<Node>& out) : graph_(graph), out_(out) {}

  void add(const Node& node) {
    if (!node.op || node.op->kind != OpKind::Composite) {
      out_.push_back(node);
      return;
    }
    const Expression& e = decomposition(*node.op);
    if (e.kind != Expression::Kind::Tuple) return result(e, node, node.outputs);
    for (size_t i = 0; i < e.children.size(); ++i)
      if (i < node.outputs.size() && node.outputs[i] != kNoValue)
        result(e.children[i], node, {node.outputs[i]});
  }

 private:
  // One expression whose value is an output of the operator.
  void result(const Expression& e, const Node& node, const std::vector<ValueId>& outputs) {
    if (e.kind == Expression::Kind::Call)
      return emit(e, node, e.output < 0 ? outputs : at_position(e, outputs.at(0)));
    // The expression is one of the operator's own arguments: an identity.
    RL_ASSERT(e.kind == Expression::Kind::Parameter, node.target, ": not a call");
    const OpDef* alias = find_op("aten.alias.default");
    RL_ASSERT(alias);
    out_.push_back({alias, std::string(alias->name), {operand(e, node)}, outputs, node.name});
  }

  // Outputs of a call of which one is wanted.
  static std::vector<ValueId> at_position(const Expression& e, ValueId wanted) {
    std::vector<ValueId> outputs(static_cast<size_t>(std::max(e.op->returns, 1)), kNoValue);
    outputs[static_cast<size_t>(std::max(e.output, 0))] = wanted;
    return outputs;
  }

  void emit(const Expression& e, const Node& source, const std::vector<ValueId>& outputs) {
    Node node{e.op, std::string(e.op->name), {}, outputs, source.name};
    node.operands.resize(e.op->arguments.size());
    std::vector<bool> given(node.operands.size());
    size_t position = 0;
    for (size_t i = 0; i < e.children.size(); ++i) {
      const size_t at = e.keywords[i].empty()
                            ? position++
                            : static_cast<size_t>(e.op->find_argument(e.keywords[i]));
      const ArgumentSpec& spec = e.op->arguments.at(at);
      Operand value = operand(e.children[i], source);
      const bool number = value.literal.index() >= 3 && value.literal.index() <= 6;
      if (value.kind == Operand::Kind::Literal && !(number && spec.type == ArgType::Tensor))
        value.literal = coerce_argument(*e.op, spec, std::move(value.literal));
      if (value.kind == Operand::Kind::Value && spec.list &&
          graph_.at(value.value).type != ValueType::Tensor)
        value = Operand::list({value});
      node.operands[at] = std::move(value);
      given[at] = true;
    }
    for (size_t i = 0; i < given.size(); ++i)
      if (!given[i]) node.operands[i] = Operand::of(e.op->arguments[i].default_value);
    add(node);
  }

  Operand operand(const Expression& e, const Node& source) {
    switch (e.kind) {
      case Expression::Kind::Literal:
        return Operand::of(e.literal);
      case Expression::Kind::Parameter:
        return source.operands[static_cast<size_t>(source.op->find_argument(e.name))];
      case Expression::Kind::List:
        return list(e, source);
      case Expression::Kind::Call: {
        Value value;
        // A dot: the exporter's own names have none.
        value.name = detail::concat(source.name, ".", counter_++);
        if (e.op->kind == OpKind::Scalar) value.type = ValueType::Int;
        const ValueId result = graph_.add_value(std::move(value));
        emit(e, source, at_position(e, result));
        return Operand::ref(result);
      }
      case Expression::Kind::Tuple:
        break;
    }
    RL_FAIL(NotImplemented, source.target, ": a tuple inside an expression");
  }

  Operand list(const Expression& e, const Node& source) {
    std::vector<Operand> items;
    bool literal = true;
    Dims ints;
    for (const Expression& child : e.children) {
      items.push_back(operand(child, source));
      literal &= items.back().kind == Operand::Kind::Literal;
      if (literal) ints.push_back(unpack<int64_t>::from(items.back().literal));
    }
    return literal ? Operand::of(ints) : Operand::list(std::move(items));
  }

  Graph& graph_;
  std::vector<Node>& out_;
  int counter_ = 0;
};

}  // namespace

void decompose(PreparedGraph& prepared) {
  std::vector<Node> out;
  Decomposer decomposer(prepared.graph, out);
  for (const Node& node : prepared.graph.nodes) decomposer.add(node);
  prepared.graph.nodes = std::move(out);
}

}  // namespace rushlight
