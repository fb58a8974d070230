#include "pt2_graph.h"

#include "passes/inline_calls.h"
#include "passes/vmap.h"
#include "runtime/pt2_enums.h"
#include "runtime/pt2_graph_parser.h"

namespace rushlight::pt2 {
// A union has one member, its kind; fields with null values may stand beside it.
std::pair<std::string_view, json::Value> union_member(json::Value value) {
  for (const auto& [key, member] : value.members())
    if (!member.is_null()) return {key, member};
  RL_FAIL(Value, value.path(), ": empty union");
}

namespace {

ValueId lookup(const ParsedGraph& graph, json::Value name) {
  const auto it = graph.by_name.find(std::string(name.as_string()));
  RL_CHECK(it != graph.by_name.end(), Value, name.path(), ": value '", name.as_string(),
           "' is used before it is defined");
  return it->second;
}

// {"as_name": "s"} or {"as_int": 3}, also with as_float and as_bool.
Operand parse_symbol(json::Value value, const ParsedGraph& graph) {
  const auto [kind, member] = union_member(value);
  if (kind == "as_name") return Operand::ref(lookup(graph, member));
  if (kind == "as_int") return Operand::of(member.as_int());
  if (kind == "as_float") return Operand::of(member.as_double_or_named());
  if (kind == "as_bool") return Operand::of(member.as_bool());
  RL_FAIL(Value, value.path(), ": unknown kind of symbolic number '", kind, "'");
}

// What a number was at export time; only expressions are kept.
SymbolicSize parse_number(json::Value value) {
  const auto [kind, member] = union_member(value);
  if (kind == "as_expr") return parse_size(value);
  return {kind == "as_int" ? member.as_int() : 0, ""};
}

bool all_literal(const std::vector<Operand>& items) {
  for (const Operand& item : items)
    if (item.kind != Operand::Kind::Literal) return false;
  return true;
}

// Literal numbers become one literal list; a list with a value in it stays a list of operands.
Operand number_list(std::vector<Operand> items) {
  if (!all_literal(items)) return Operand::list(std::move(items));
  bool floats = false;
  for (const Operand& item : items) floats |= std::holds_alternative<double>(item.literal);
  if (floats) {
    std::vector<double> values;
    for (const Operand& item : items) values.push_back(unpack<double>::from(item.literal));
    return Operand::of(Argument{std::move(values)});
  }
  Dims values;
  for (const Operand& item : items) values.push_back(unpack<int64_t>::from(item.literal));
  return Operand::of(Argument{std::move(values)});
}

Operand parse_optional_tensor(json::Value value, const ParsedGraph& graph) {
  const auto [kind, member] = union_member(value);
  if (kind == "as_none") return Operand::of(Argument{});
  RL_CHECK(kind == "as_tensor", Value, value.path(), ": unknown kind of optional tensor '", kind,
           "'");
  return Operand::ref(lookup(graph, member["name"]));
}

Value make_tensor_value(std::string_view name, const json::Value* meta) {
  Value value;
  value.name = name;
  if (!meta) return value;
  value.known = true;
  value.dtype = dtype_from_number((*meta)["dtype"]);
  for (json::Value size : (*meta)["sizes"].elements()) value.sizes.push_back(parse_size(size));
  for (json::Value stride : (*meta)["strides"].elements())
    value.hint_strides.push_back(parse_size(stride).hint);
  RL_CHECK(value.sizes.size() == value.hint_strides.size() && value.sizes.size() <= 64, Value,
           meta->path(), ": ", value.sizes.size(), " sizes but ", value.hint_strides.size(),
           " strides");
  if (const auto layout = meta->find("layout"))
    RL_CHECK(layout->as_int() == 7, NotImplemented, layout->path(), ": layout number ",
             layout->as_int(), " (sparse or opaque tensors) is not supported");
  if (const auto grad = meta->find("requires_grad")) value.requires_grad = grad->as_bool();
  return value;
}

}  // namespace

ParsedGraph GraphParser::parse() {
  for (json::Value input : json_["inputs"].elements()) {
    const auto [kind, member] = union_member(input);
    // Literal inputs (None, numbers, strings) are no values; the signature keeps them.
    if (kind == "as_tensor" || kind == "as_sym_int" || kind == "as_sym_float" ||
        kind == "as_sym_bool" || kind == "as_custom_obj")
      define_all(kind, member, parsed_.graph.inputs);
  }
  size_t index = 0;
  for (json::Value node : json_["nodes"].elements()) parse_node(node, index++);
  for (json::Value output : json_["outputs"].elements()) {
    parsed_.outputs.push_back(parse_operand(output, parsed_));
    if (parsed_.outputs.back().is_value())
      parsed_.graph.outputs.push_back(parsed_.outputs.back().value);
  }
  drop_tokens();
  return std::move(parsed_);
}

ValueId GraphParser::define(Value value, json::Value where) {
  const std::string name = value.name;
  const ValueId id = parsed_.graph.add_value(std::move(value));
  RL_CHECK(parsed_.by_name.emplace(name, id).second, Value, where.path(), ": value '", name,
           "' is defined twice");
  return id;
}

ValueId GraphParser::define_tensor(json::Value tensor) {
  const std::string_view name = tensor["name"].as_string();
  const auto meta = tensor_values_.find(name);
  if (meta && meta->kind() == json::Kind::Skipped) {  // a value called "metadata"
    const json::Document document = json::Document::parse(meta->skipped_text());
    const json::Value root = document.root();
    return define(make_tensor_value(name, &root), tensor);
  }
  return define(make_tensor_value(name, meta ? &*meta : nullptr), tensor);
}

ValueId GraphParser::define_symbol(json::Value symbol, ValueType type) {
  Value value;
  value.name = symbol["as_name"].as_string();
  value.type = type;
  value.known = true;
  constexpr std::string_view tables[] = {"", "sym_int_values", "sym_float_values",
                                         "sym_bool_values"};
  if (const auto table = json_.find(tables[static_cast<size_t>(type)]))
    if (const auto number = table->find(value.name); number && number->is_object())
      value.number = parse_number(*number);
  return define(std::move(value), symbol);
}

void GraphParser::define_all(std::string_view kind, json::Value member, std::vector<ValueId>& ids) {
  if (kind == "as_tensor") {
    ids.push_back(define_tensor(member));
  } else if (kind == "as_tensors") {
    for (json::Value tensor : member.elements()) ids.push_back(define_tensor(tensor));
  } else if (kind == "as_optional_tensor") {
    const auto [inner, tensor] = union_member(member);
    ids.push_back(inner == "as_tensor" ? define_tensor(tensor) : kNoValue);
  } else if (kind == "as_optional_tensors") {
    for (json::Value item : member.elements()) {
      const auto [inner, tensor] = union_member(item);
      ids.push_back(inner == "as_tensor" ? define_tensor(tensor) : kNoValue);
    }
  } else if (kind == "as_sym_int") {
    ids.push_back(define_symbol(member, ValueType::Int));
  } else if (kind == "as_sym_float") {
    ids.push_back(define_symbol(member, ValueType::Float));
  } else if (kind == "as_sym_bool") {
    ids.push_back(define_symbol(member, ValueType::Bool));
  } else if (kind == "as_none") {
    // An operator that returns nothing.
  } else {
    RL_FAIL(NotImplemented, member.path(), ": outputs of kind '", kind, "' are not supported");
  }
}

void GraphParser::parse_node(json::Value json, size_t index) {
  Node node;
  node.target = operator_name(json["target"].as_string());
  node.op = find_op(node.target);
  node.name = detail::concat("node ", index);
  if (const auto name = json.find("name"); name && name->is_string()) node.name = name->as_string();
  const auto metadata = json.find("metadata");
  const bool skipped = metadata && metadata->kind() == json::Kind::Skipped;
  parsed_.metadata.push_back({node.name, skipped ? metadata->skipped_text() : std::string_view()});
  if (node.target.starts_with("higher_order.")) return parse_higher_order(json, std::move(node));
  if (node.op)
    parse_arguments(json["inputs"], 0, node);
  else if (is_vmap(node.target))
    for (json::Value input : json["inputs"].elements())
      node.operands.push_back(parse_operand(input["arg"], parsed_));
  else
    for (json::Value input : json["inputs"].elements()) parse_unknown(input, node);
  define_outputs(json["outputs"], node);
  check_returns(node, json);
  parsed_.graph.nodes.push_back(std::move(node));
}

void GraphParser::define_outputs(json::Value outputs, Node& node) {
  for (json::Value output : outputs.elements()) {
    const auto [kind, member] = union_member(output);
    define_all(kind, member, node.outputs);
  }
}

void GraphParser::check_returns(const Node& node, json::Value where) const {
  if (!node.op || node.op->returns_list) return;
  RL_CHECK(node.outputs.size() <= static_cast<size_t>(std::max(node.op->returns, 1)), Value,
           where.path(), ": ", node.target, " returns ", node.op->returns,
           " values, the file lists ", node.outputs.size());
}

void GraphParser::parse_arguments(json::Value inputs, size_t first, Node& node) {
  const OpDef& op = *node.op;
  node.operands.resize(op.arguments.size());
  std::vector<bool> given(op.arguments.size());
  size_t index = 0, position = 0;
  for (json::Value input : inputs.elements()) {
    if (index++ < first) continue;
    const std::string_view name = input["name"].as_string();
    int at = name.empty() ? static_cast<int>(position) : op.find_argument(name);
    // dropout_ calls self what dropout calls input, and its row is made from dropout's.
    if (at < 0 && position == 0 && name == "self" && op.kind == OpKind::InPlace) at = 0;
    RL_CHECK(at >= 0 && static_cast<size_t>(at) < given.size(), Value, input.path(), ": ", op.name,
             " has no argument '", name, "'; its schema is ", op.schema);
    RL_CHECK(!given[static_cast<size_t>(at)], Value, input.path(), ": argument '", name, "' of ",
             op.name, " is given twice");
    ++position;
    given[static_cast<size_t>(at)] = true;
    node.operands[static_cast<size_t>(at)] = coerce(op, op.arguments[static_cast<size_t>(at)],
                                                    parse_operand(input["arg"], parsed_), input);
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i]) continue;
    const ArgumentSpec& spec = op.arguments[i];
    RL_CHECK(spec.has_default, Value, inputs.path(), ": ", op.name, " lacks its argument '",
             spec.name, "'; its schema is ", op.schema);
    node.operands[i] = Operand::of(spec.default_value);
  }
}

// Literals are checked against the schema here, once; values when their dtype is known.
Operand GraphParser::coerce(const OpDef& op, const ArgumentSpec& spec, Operand operand,
                            json::Value where) {
  const bool scalar_for_tensor =
      op.kind == OpKind::Pointwise || op.kind == OpKind::InPlace || op.kind == OpKind::Composite;
  if (operand.kind == Operand::Kind::Literal) {
    // An exporter writes x + 2 as add.Tensor(x, 2).
    const bool number = operand.literal.index() >= 3 && operand.literal.index() <= 6;
    if (spec.type == ArgType::Tensor && number && scalar_for_tensor) return operand;
    try {
      return Operand::of(coerce_argument(op, spec, std::move(operand.literal)));
    } catch (const Error& error) {
      RL_FAIL(Type, where.path(), ": ", error.what());
    }
  }
  if (operand.kind == Operand::Kind::Value) {
    const ValueType type = parsed_.graph.at(operand.value).type;
    const bool tensor = type == ValueType::Tensor;
    RL_CHECK(
        spec.list || tensor == (spec.type == ArgType::Tensor) || (!tensor && scalar_for_tensor),
        Type, where.path(), ": argument '", spec.name, "' of ", op.name,
        tensor ? " is a tensor, the schema wants a number"
               : " is a number, the schema wants a tensor");
    if (spec.list && !tensor)
      return Operand::list(
          std::vector<Operand>(static_cast<size_t>(std::max(spec.list_size, 1)), operand));
    if (spec.list) return Operand::list({operand});
  }
  if (operand.kind == Operand::Kind::List) {
    RL_CHECK(spec.list, Type, where.path(), ": argument '", spec.name, "' of ", op.name,
             " is a list, the schema wants one value");
    for (const Operand& item : operand.items) {
      const bool tensor = item.is_value() && parsed_.graph.at(item.value).type == ValueType::Tensor;
      const bool none = item.kind == Operand::Kind::Literal && is_none(item.literal);
      RL_CHECK(none ? spec.optional_elements : tensor == (spec.type == ArgType::Tensor), Type,
               where.path(), ": argument '", spec.name, "' of ", op.name,
               " has an element of the wrong kind");
    }
  }
  return operand;
}

// Operators we do not have: enough to say which nodes use them.
void GraphParser::parse_unknown(json::Value input, Node& node) {
  const auto [kind, member] = union_member(input["arg"]);
  if (kind == "as_tensor" || kind == "as_sym_int")
    node.operands.push_back(parse_operand(input["arg"], parsed_));
}

std::string_view operator_name(std::string_view target) {
  constexpr std::string_view prefix = "torch.ops.";
  if (target.starts_with(prefix)) target.remove_prefix(prefix.size());
  return target;
}

SymbolicSize parse_size(json::Value size) {
  const auto [kind, member] = union_member(size);
  if (kind == "as_int") return {member.as_int(), ""};
  RL_CHECK(kind == "as_expr", Value, size.path(), ": expected as_int or as_expr, got '", kind, "'");
  SymbolicSize out{-1, std::string(member["expr_str"].as_string())};
  if (const auto hint = member.find("hint"); hint && !hint->is_null())
    if (const auto value = hint->find("as_int"); value && value->is_int())
      out.hint = value->as_int();
  return out;
}

Operand parse_operand(json::Value argument, const ParsedGraph& graph) {
  const auto [kind, member] = union_member(argument);
  if (kind == "as_tensor") return Operand::ref(lookup(graph, member["name"]));
  if (kind == "as_none") return Operand::of(Argument{});
  if (kind == "as_int") return Operand::of(member.as_int());
  if (kind == "as_float") return Operand::of(member.as_double_or_named());
  if (kind == "as_bool") return Operand::of(member.as_bool());
  if (kind == "as_string") return Operand::of(std::string(member.as_string()));
  if (kind == "as_complex")
    return Operand::of(
        complex128(member["real"].as_double_or_named(), member["imag"].as_double_or_named()));
  if (kind == "as_scalar_type") return Operand::of(dtype_from_number(member));
  if (kind == "as_memory_format") return Operand::of(memory_format_from_number(member));
  if (kind == "as_device" || kind == "as_layout") return Operand::of(Argument{});
  if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool")
    return parse_symbol(member, graph);
  if (kind == "as_optional_tensor") return parse_optional_tensor(member, graph);
  std::vector<Operand> items;
  if (kind == "as_tensors") {
    for (json::Value tensor : member.elements())
      items.push_back(Operand::ref(lookup(graph, tensor["name"])));
    if (items.empty()) return Operand::of(std::vector<const Tensor*>{});
    return Operand::list(std::move(items));
  }
  if (kind == "as_optional_tensors") {
    for (json::Value tensor : member.elements())
      items.push_back(parse_optional_tensor(tensor, graph));
    return Operand::list(std::move(items));
  }
  if (kind == "as_ints" || kind == "as_floats" || kind == "as_bools") {
    for (json::Value number : member.elements()) {
      if (number.is_bool())
        items.push_back(Operand::of(int64_t{number.as_bool()}));
      else if (number.is_int() && kind != "as_floats")
        items.push_back(Operand::of(number.as_int()));
      else
        items.push_back(Operand::of(number.as_double_or_named()));
    }
    return number_list(std::move(items));
  }
  if (kind == "as_sym_ints" || kind == "as_sym_floats" || kind == "as_sym_bools") {
    for (json::Value number : member.elements()) items.push_back(parse_symbol(number, graph));
    return number_list(std::move(items));
  }
  RL_FAIL(NotImplemented, argument.path(), ": arguments of kind '", kind, "' are not supported");
}

ParsedGraph parse_graph(json::Value graph) {
  ParsedGraph parsed = GraphParser(graph).parse();
  inline_calls(parsed.graph);
  lower_vmap(parsed.graph);
  return parsed;
}

}  // namespace rushlight::pt2
