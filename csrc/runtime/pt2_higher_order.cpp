// Operators of a PT2 graph whose arguments are graphs or other operators.
#include <algorithm>

#include "ir/control_flow.h"
#include "passes/inline_calls.h"
#include "runtime/pt2_graph_parser.h"

namespace rushlight::pt2 {
namespace {

std::vector<json::Value> argument_list(json::Value json) {
  std::vector<json::Value> out;
  for (json::Value input : json["inputs"].elements()) out.push_back(input);
  return out;
}

bool is_graph(json::Value input) { return union_member(input["arg"]).first == "as_graph"; }

}  // namespace

void GraphParser::parse_higher_order(json::Value json, Node node) {
  if (node.target == "higher_order.with_effects") return parse_with_effects(json, std::move(node));
  if (node.target == "higher_order.auto_functionalized")
    return parse_auto_functionalized(json, std::move(node), false);
  if (node.target == "higher_order.auto_functionalized_v2")
    return parse_auto_functionalized(json, std::move(node), true);
  if (find_control_flow(node.target)) return parse_control_flow(json, std::move(node));
  if (is_inlined(node.target)) return parse_wrapper(json, std::move(node));
  for (json::Value input : json["inputs"].elements()) {
    if (is_graph(input))
      node.regions.push_back(parse_region(input["arg"]));
    else
      parse_unknown(input, node);
  }
  define_outputs(json["outputs"], node);
  parsed_.graph.nodes.push_back(std::move(node));
}

std::shared_ptr<const Graph> GraphParser::parse_region(json::Value argument) {
  RL_CHECK(depth_ < kMaxRegionDepth, Value, argument.path(), ": graphs are nested more than ",
           kMaxRegionDepth, " deep");
  ParsedGraph region = GraphParser(union_member(argument).second["graph"], depth_ + 1).parse();
  for (const Operand& output : region.outputs)
    RL_CHECK(output.is_value(), NotImplemented, argument.path(),
             ": a graph that returns a literal or a list is not supported");
  return std::make_shared<const Graph>(std::move(region.graph));
}

// Graphs become regions; every other argument is a group of operands, but for the predicate.
void GraphParser::parse_control_flow(json::Value json, Node node) {
  const ControlFlowOp& op = *find_control_flow(node.target);
  for (json::Value input : argument_list(json)) {
    if (is_graph(input)) {
      node.regions.push_back(parse_region(input["arg"]));
      continue;
    }
    Operand operand = parse_operand(input["arg"], parsed_);
    const bool predicate = op.kind == ControlFlow::Cond && node.operands.empty();
    if (!predicate && operand.kind != Operand::Kind::List) {
      // All numbers, or an empty list.
      const Dims* ints = std::get_if<Dims>(&operand.literal);
      const auto* none = std::get_if<std::vector<const Tensor*>>(&operand.literal);
      RL_CHECK(operand.kind == Operand::Kind::Literal && (ints || none), Value, input.path(),
               ": expected a list of values");
      std::vector<Operand> items;
      if (ints)
        for (int64_t i : *ints) items.push_back(Operand::of(i));
      operand = Operand::list(std::move(items));
    }
    node.operands.push_back(std::move(operand));
  }
  define_outputs(json["outputs"], node);
  parsed_.graph.nodes.push_back(std::move(node));
}

// A graph with its arguments, in flat order; what stands before the graph are settings.
void GraphParser::parse_wrapper(json::Value json, Node node) {
  std::vector<Operand> inputs;
  for (json::Value input : argument_list(json)) {
    if (is_graph(input)) {
      RL_CHECK(node.regions.empty(), Value, input.path(), ": a second graph");
      node.regions.push_back(parse_region(input["arg"]));
      continue;
    }
    Operand operand = parse_operand(input["arg"], parsed_);
    if (node.regions.empty()) {
      node.operands.push_back(std::move(operand));  // of autocast: device, dtype, enabled, cache
    } else if (operand.kind == Operand::Kind::List) {
      inputs.insert(inputs.end(), operand.items.begin(), operand.items.end());
    } else if (!std::holds_alternative<std::string>(operand.literal)) {  // a name for caches
      inputs.push_back(std::move(operand));
    }
  }
  RL_CHECK(!node.regions.empty(), Value, json.path(), ": ", node.target, " without a graph");
  RL_CHECK(inputs.size() == node.regions[0]->inputs.size(), Value, json.path(), ": ", node.target,
           " gives ", inputs.size(), " values to a graph with ", node.regions[0]->inputs.size(),
           " inputs");
  node.operands.push_back(Operand::list(std::move(inputs)));
  define_outputs(json["outputs"], node);
  parsed_.graph.nodes.push_back(std::move(node));
}

// with_effects(token, operator, arguments…) is a call of the operator: our calls keep their order.
void GraphParser::parse_with_effects(json::Value json, Node node) {
  const std::vector<json::Value> inputs = argument_list(json);
  RL_CHECK(inputs.size() >= 2, Value, json.path(), ": expected a token and an operator");
  const ValueId token = parse_operand(inputs[0]["arg"], parsed_).value;
  const auto [kind, name] = union_member(inputs[1]["arg"]);
  RL_CHECK(token != kNoValue && kind == "as_operator", Value, json.path(),
           ": expected a token and an operator");
  tokens_.push_back(token);
  node.target = operator_name(name.as_string());
  node.op = find_op(node.target);
  if (node.op)
    parse_arguments(json["inputs"], 2, node);
  else
    for (size_t i = 2; i < inputs.size(); ++i) parse_unknown(inputs[i], node);
  bool first = true;
  for (json::Value output : json["outputs"].elements()) {
    const auto [what, member] = union_member(output);
    if (!first) {
      define_all(what, member, node.outputs);
      continue;
    }
    first = false;
    RL_CHECK(what == "as_tensor", Value, output.path(), ": expected the next token");
    tokens_.push_back(define_tensor(member));
  }
  check_returns(node, json);
  parsed_.graph.nodes.push_back(std::move(node));
}

// Tokens are values of nothing: the graph's inputs and outputs are those that remain.
void GraphParser::drop_tokens() {
  const auto is_token = [&](ValueId v) {
    return std::find(tokens_.begin(), tokens_.end(), v) != tokens_.end();
  };
  if (tokens_.empty()) return;
  std::erase_if(parsed_.graph.inputs, is_token);
  std::erase_if(parsed_.graph.outputs, is_token);
}

// auto_functionalized(operator, name=…) calls an operator that writes into its arguments on copies
// of them, and returns what it returns, then the copies. Version 2 copies the tensors that own the
// memory (`_all_bases`) and says for each written argument which view of one it is.
void GraphParser::parse_auto_functionalized(json::Value json, Node node, bool bases) {
  const json::Value inputs = json["inputs"];
  const std::vector<json::Value> list = argument_list(json);
  RL_CHECK(!list.empty(), Value, json.path(), ": expected an operator");
  const auto [kind, name] = union_member(list[0]["arg"]);
  RL_CHECK(kind == "as_operator", Value, json.path(), ": expected an operator");
  node.target = operator_name(name.as_string());
  node.op = find_op(node.target);
  const auto find = [&](std::string_view wanted) -> std::optional<json::Value> {
    for (json::Value input : list)
      if (input["name"].as_string() == wanted) return input;
    return std::nullopt;
  };
  if (!node.op) {
    define_outputs(json["outputs"], node);
    parsed_.graph.nodes.push_back(std::move(node));
    return;
  }
  const OpDef& op = *node.op;
  RL_CHECK(op.kind == OpKind::InPlace, Value, json.path(), ": ", op.name,
           " writes into no argument");
  std::vector<json::Value> outputs;
  for (json::Value output : json["outputs"].elements()) outputs.push_back(output);
  // What the operator returns comes first, None where that is nothing.
  size_t next = static_cast<size_t>(std::max(op.returns, 1));
  std::vector<ValueId> copies;
  const auto copy = [&](const Operand& operand) {
    if (!operand.is_value()) return;
    RL_CHECK(next < outputs.size(), Value, json.path(),
             ": an output for each written tensor "
             "is missing");
    copies.push_back(emit_clone(operand.value, outputs[next++], node));
  };
  if (bases) {
    const auto all = find("_all_bases");
    RL_CHECK(all, Value, json.path(), ": no argument '_all_bases'");
    const Operand operand = parse_operand((*all)["arg"], parsed_);
    for (const Operand& item : operand.items) copy(item);
  }
  std::vector<bool> given(op.arguments.size());
  node.operands.resize(op.arguments.size());
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    const ArgumentSpec& spec = op.arguments[i];
    const std::string argument(spec.name);
    const auto written = std::find(op.written.begin(), op.written.end(), i) != op.written.end();
    if (const auto input = find(argument)) {
      node.operands[i] = coerce(op, spec, parse_operand((*input)["arg"], parsed_), *input);
      if (written && node.operands[i].is_value()) {
        copy(node.operands[i]);
        node.operands[i] = Operand::ref(copies.back());
      }
    } else if (const auto base = find("_" + argument + "_base_index"); written && base) {
      const Operand index = parse_operand((*base)["arg"], parsed_);
      const int64_t* k = std::get_if<int64_t>(&index.literal);
      if (!k) continue;  // None: no tensor
      RL_CHECK(*k >= 0 && static_cast<size_t>(*k) < copies.size(), Value, base->path(),
               ": there is no base ", *k);
      node.operands[i] = emit_view(copies[static_cast<size_t>(*k)], argument, inputs, node);
    } else {
      RL_CHECK(spec.has_default, Value, json.path(), ": ", op.name, " lacks its argument '",
               argument, "'");
      node.operands[i] = Operand::of(spec.default_value);
    }
  }
  for (size_t i = 0; i < static_cast<size_t>(op.returns) && i < outputs.size(); ++i) {
    const auto [what, member] = union_member(outputs[i]);
    define_all(what, member, node.outputs);
  }
  parsed_.graph.nodes.push_back(std::move(node));
}

// The copy has the name of the output: it is what the operator makes of it.
ValueId GraphParser::emit_clone(ValueId of, json::Value output, const Node& source) {
  const auto [kind, member] = union_member(output);
  RL_CHECK(kind == "as_tensor", NotImplemented, output.path(),
           ": operators that write into lists of tensors are not supported");
  const OpDef* clone = find_op("aten.clone.default");
  RL_ASSERT(clone);
  const ValueId copy = define_tensor(member);
  Node node{clone, std::string(clone->name), {}, {copy}, source.name};
  node.operands = {Operand::ref(of), Operand::of(Argument{})};
  parsed_.graph.nodes.push_back(std::move(node));
  return copy;
}

Operand GraphParser::emit_view(ValueId base, std::string_view argument, json::Value inputs,
                               const Node& source) {
  std::vector<std::pair<std::string_view, Operand>> given;
  const std::string prefix = detail::concat("_", argument, "_");
  for (json::Value input : inputs.elements()) {
    std::string_view name = input["name"].as_string();
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    given.emplace_back(name, parse_operand(input["arg"], parsed_));
  }
  const auto take = [&](std::string_view name) -> Operand {
    for (auto& [key, operand] : given)
      if (key == name) return operand;
    return Operand::of(Argument{});
  };
  const auto has = [&](std::string_view name) {
    const Operand operand = take(name);
    return operand.kind != Operand::Kind::Literal || !is_none(operand.literal);
  };
  Node view;
  if (has("slice_dim")) {
    view.op = find_op("aten.slice.Tensor");
    view.operands = {Operand::ref(base), take("slice_dim"), take("slice_start"), take("slice_end"),
                     Operand::of(int64_t{1})};
  } else if (has("size")) {
    view.op = find_op("aten.as_strided.default");
    view.operands = {Operand::ref(base), take("size"), take("stride"), take("storage_offset")};
  } else {
    return Operand::ref(base);
  }
  RL_ASSERT(view.op);
  view.target = view.op->name;
  view.name = source.name;
  Value value;
  value.name = detail::concat(source.name, ".", argument);
  value.dtype = parsed_.graph.at(base).dtype;
  view.outputs = {parsed_.graph.add_value(std::move(value))};
  const ValueId out = view.outputs[0];
  parsed_.graph.nodes.push_back(std::move(view));
  return Operand::ref(out);
}

}  // namespace rushlight::pt2
