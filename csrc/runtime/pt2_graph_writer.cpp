#include "pt2_graph_writer.h"

#include <algorithm>
#include <unordered_set>

#include "ir/print.h"
#include "runtime/json.h"
#include "runtime/pt2_enums.h"
#include "runtime/pt2_strides.h"

namespace rushlight::pt2 {
namespace {

constexpr int kPositional = 1;
constexpr int kKeyword = 2;

bool is_identifier(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

std::string identifier_from(std::string_view text) {
  std::string out(text.substr(0, 200));
  for (char& c : out)
    if (!is_identifier({&c, 1}) && !(c >= '0' && c <= '9')) c = '_';
  if (!is_identifier(out)) out = "value_" + out;
  return out;
}

// Operators of PyTorch's registry; the others are functions of Python modules.
bool is_registered(std::string_view target) {
  for (const std::string_view module : {"_operator.", "torch.", "math.", "builtins."})
    if (target.starts_with(module)) return false;
  return true;
}

bool is_default(const ArgumentSpec& spec, const Operand& operand) {
  return spec.has_default && operand.kind == Operand::Kind::Literal &&
         same_literal(spec.default_value, operand.literal);
}

void write_member(json::JsonWriter& json, json::Value value) {
  switch (value.kind()) {
    case json::Kind::Null:
    case json::Kind::Skipped:
      json.null();
      return;
    case json::Kind::False:
    case json::Kind::True:
      json.value(value.as_bool());
      return;
    case json::Kind::Int:
      json.value(value.as_int());
      return;
    case json::Kind::Double:
      json.value(value.as_double());
      return;
    case json::Kind::String:
      json.value(value.as_string());
      return;
    case json::Kind::Array:
      json.begin_array();
      for (json::Value element : value.elements()) write_member(json, element);
      json.end_array();
      return;
    case json::Kind::Object:
      json.begin_object();
      for (const auto& [key, member] : value.members()) {
        json.key(key);
        write_member(json, member);
      }
      json.end_object();
      return;
  }
}

}  // namespace

void write_json(json::JsonWriter& json, std::string_view text, const std::string& what) {
  write_member(json, json::Document::parse(text, {.name = what}).root());
}

void write_size(json::JsonWriter& json, const SymbolicSize& size) {
  json.begin_object();
  if (size.is_static()) {
    json.key("as_int").value(size.hint);
  } else {
    json.key("as_expr").begin_object().key("expr_str").value(size.expression).key("hint");
    if (size.hint < 0)
      json.null();
    else
      json.begin_object().key("as_int").value(size.hint).end_object();
    json.end_object();
  }
  json.end_object();
}

void write_tensor_meta(json::JsonWriter& json, DType dtype, std::span<const SymbolicSize> sizes,
                       std::span<const SymbolicSize> strides, int64_t storage_offset,
                       bool requires_grad) {
  json.begin_object();
  json.key("dtype").value(number_of(dtype));
  json.key("sizes").begin_array();
  for (const SymbolicSize& size : sizes) write_size(json, size);
  json.end_array();
  json.key("requires_grad").value(requires_grad);
  json.key("device").begin_object().key("type").value("cpu").key("index").null().end_object();
  json.key("strides").begin_array();
  for (const SymbolicSize& stride : strides) write_size(json, stride);
  json.end_array();
  json.key("storage_offset");
  write_size(json, {storage_offset, ""});
  json.key("layout").value(kStridedLayout);
  json.end_object();
}

GraphWriter::GraphWriter(json::JsonWriter& json, const Graph& graph) : json_(json), graph_(graph) {
  choose_names();
}

void GraphWriter::choose_names() {
  names_.resize(graph_.values.size());
  std::unordered_set<std::string> taken;
  // Names that can stay do, whatever comes before them.
  for (size_t i = 0; i < names_.size(); ++i)
    if (const std::string& own = graph_.values[i].name; is_identifier(own))
      if (taken.insert(own).second) names_[i] = own;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (!names_[i].empty()) continue;
    const std::string base = identifier_from(graph_.values[i].name);
    std::string name = base;
    for (int k = 1; !taken.insert(name).second; ++k) name = base + "_" + std::to_string(k);
    names_[i] = name;
  }
}

void GraphWriter::write(std::span<const Operand> inputs, std::span<const Operand> outputs,
                        std::span<const NodeNote> metadata) {
  json_.begin_object();
  json_.key("inputs").begin_array();
  for (const Operand& input : inputs) argument(input);
  json_.end_array();
  json_.key("outputs").begin_array();
  for (const Operand& output : outputs) argument(output);
  json_.end_array();
  json_.key("nodes").begin_array();
  for (size_t i = 0; i < graph_.nodes.size(); ++i)
    node(graph_.nodes[i], i < metadata.size() ? metadata[i].text : std::string_view());
  json_.end_array();
  tensor_values();
  number_values("sym_int_values", ValueType::Int);
  number_values("sym_bool_values", ValueType::Bool);
  json_.key("is_single_tensor_return").value(false);
  json_.key("custom_obj_values").begin_object().end_object();
  number_values("sym_float_values", ValueType::Float);
  json_.end_object();
}

void GraphWriter::node(const Node& node, std::string_view metadata) {
  RL_CHECK(node.op && node.regions.empty(), NotImplemented, node.name, ": a call of ", node.target,
           " can't be saved: ",
           node.op || !node.regions.empty() ? "the writer has no graphs inside a graph"
                                            : "this version of rushlight lacks the operator");
  json_.begin_object();
  json_.key("target").value(is_registered(node.target) ? "torch.ops." + node.target : node.target);
  inputs(node);
  outputs(node);
  json_.key("metadata");
  if (metadata.empty())
    json_.begin_object().end_object();
  else
    write_json(json_, metadata, node.name + ": metadata");
  json_.key("is_hop_single_tensor_return").null();
  // A node with one result is called as this is; else its own name must not be a value's.
  const bool single = node.outputs.size() == 1 && !node.op->returns_list;
  const bool single_value = single && node.outputs[0] != kNoValue;
  json_.key("name");
  if (single_value)
    json_.value(name(node.outputs[0]));
  else if (is_identifier(node.name))
    json_.value(node.name);
  else
    json_.null();
  json_.end_object();
}

// Arguments at their defaults are left out, but for positional ones before one that is given.
void GraphWriter::inputs(const Node& node) {
  const std::vector<ArgumentSpec>& specs = node.op->arguments;
  size_t positional = 0;
  for (size_t i = 0; i < specs.size(); ++i)
    if (!specs[i].keyword_only && !is_default(specs[i], node.operands[i])) positional = i + 1;
  json_.key("inputs").begin_array();
  for (size_t i = 0; i < specs.size(); ++i) {
    const bool keyword = specs[i].keyword_only;
    if (keyword ? !is_default(specs[i], node.operands[i]) : i < positional)
      input(specs[i], node.operands[i], keyword);
  }
  json_.end_array();
}

void GraphWriter::input(const ArgumentSpec& spec, const Operand& operand, bool keyword) {
  json_.begin_object().key("name").value(spec.name).key("arg");
  typed_argument(spec, operand);
  json_.key("kind").value(keyword ? kKeyword : kPositional).end_object();
}

// What the schema decides: how an empty list is called, and devices, which the graph leaves out.
void GraphWriter::typed_argument(const ArgumentSpec& spec, const Operand& operand) {
  const bool none = operand.kind == Operand::Kind::Literal && is_none(operand.literal);
  if (operand.kind == Operand::Kind::List) return list(operand, &spec);
  if (spec.type == ArgType::Device && none && !spec.optional) {
    json_.begin_object().key("as_device").begin_object().key("type").value("cpu").key("index");
    json_.null().end_object().end_object();
    return;
  }
  argument(operand);
}

void GraphWriter::argument(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Literal:
      return literal(operand.literal);
    case Operand::Kind::Value:
      return value_reference(operand.value);
    case Operand::Kind::List:
      return list(operand, nullptr);
  }
}

void GraphWriter::literal(const Argument& literal) {
  json_.begin_object();
  const auto numbers = [&](const char* key, const auto& values, auto as) {
    json_.key(key).begin_array();
    for (const auto value : values) json_.value(as(value));
    json_.end_array();
  };
  if (is_none(literal))
    json_.key("as_none").value(true);
  else if (const auto* b = std::get_if<bool>(&literal))
    json_.key("as_bool").value(*b);
  else if (const auto* i = std::get_if<int64_t>(&literal))
    json_.key("as_int").value(*i);
  else if (const auto* d = std::get_if<double>(&literal))
    json_.key("as_float").value(*d);
  else if (const auto* c = std::get_if<complex128>(&literal))
    json_.key("as_complex")
        .begin_object()
        .key("real")
        .value(c->real())
        .key("imag")
        .value(c->imag())
        .end_object();
  else if (const auto* ints = std::get_if<Dims>(&literal))
    numbers("as_ints", *ints, [](int64_t v) { return v; });
  else if (const auto* floats = std::get_if<std::vector<double>>(&literal))
    numbers("as_floats", *floats, [](double v) { return v; });
  else if (const auto* bools = std::get_if<std::vector<uint8_t>>(&literal))
    numbers("as_bools", *bools, [](uint8_t v) { return v != 0; });
  else if (const auto* s = std::get_if<std::string>(&literal))
    json_.key("as_string").value(*s);
  else if (const auto* dtype = std::get_if<DType>(&literal))
    json_.key("as_scalar_type").value(number_of(*dtype));
  else if (const auto* format = std::get_if<MemoryFormat>(&literal))
    json_.key("as_memory_format").value(number_of(*format));
  else {
    const auto* tensors = std::get_if<std::vector<const Tensor*>>(&literal);
    RL_ASSERT(tensors && tensors->empty(), "a graph holds a tensor as a literal");
    json_.key("as_tensors").begin_array().end_array();
  }
  json_.end_object();
}

void GraphWriter::value_reference(ValueId value) {
  json_.begin_object();
  switch (graph_.at(value).type) {
    case ValueType::Tensor:
      json_.key("as_tensor");
      tensor_name(value);
      break;
    case ValueType::Int:
    case ValueType::Float:
    case ValueType::Bool: {
      constexpr const char* keys[] = {"", "as_sym_int", "as_sym_float", "as_sym_bool"};
      json_.key(keys[static_cast<size_t>(graph_.at(value).type)]);
      symbol(Operand::ref(value));
      break;
    }
    case ValueType::Token:
      RL_FAIL(NotImplemented, name(value), ": tokens can't be saved");
  }
  json_.end_object();
}

void GraphWriter::tensor_name(ValueId value) {
  json_.begin_object().key("name").value(name(value)).end_object();
}

// An element of a list of numbers.
void GraphWriter::symbol(const Operand& operand) {
  json_.begin_object();
  if (operand.is_value())
    json_.key("as_name").value(name(operand.value));
  else if (const auto* b = std::get_if<bool>(&operand.literal))
    json_.key("as_bool").value(*b);
  else if (const auto* i = std::get_if<int64_t>(&operand.literal))
    json_.key("as_int").value(*i);
  else
    json_.key("as_float").value(unpack<double>::from(operand.literal));
  json_.end_object();
}

void GraphWriter::list(const Operand& list, const ArgumentSpec* spec) {
  ValueType type = ValueType::Tensor;
  for (const Operand& item : list.items)
    if (item.is_value()) type = graph_.at(item.value).type;
  json_.begin_object();
  if (type != ValueType::Tensor) {
    constexpr const char* keys[] = {"", "as_sym_ints", "as_sym_floats", "as_sym_bools"};
    json_.key(keys[static_cast<size_t>(type)]).begin_array();
    for (const Operand& item : list.items) symbol(item);
  } else if (spec && spec->optional_elements) {
    json_.key("as_optional_tensors").begin_array();
    for (const Operand& item : list.items) argument(item);
  } else {
    json_.key("as_tensors").begin_array();
    for (const Operand& item : list.items) tensor_name(item.value);
  }
  json_.end_array().end_object();
}

void GraphWriter::outputs(const Node& node) {
  json_.key("outputs").begin_array();
  if (node.op->returns_list) {
    json_.begin_object().key("as_tensors").begin_array();
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId value = node.outputs[i];
      json_.begin_object().key("name");
      json_.value(value != kNoValue ? name(value)
                                    : identifier_from(node.name) + "_unused_" + std::to_string(i));
      json_.end_object();
    }
    json_.end_array().end_object();
  } else {
    for (const ValueId value : node.outputs) {
      if (value == kNoValue)
        literal({});
      else
        value_reference(value);
    }
  }
  json_.end_array();
}

void GraphWriter::tensor_values() {
  json_.key("tensor_values").begin_object();
  for (size_t i = 0; i < graph_.values.size(); ++i) {
    const Value& value = graph_.values[i];
    if (value.type != ValueType::Tensor || !value.known) continue;
    json_.key(names_[i]);
    write_tensor_meta(json_, value.dtype, value.sizes, symbolic_strides(value), 0,
                      value.requires_grad);
  }
  json_.end_object();
}

// Numbers whose expression is not known are written as what they were.
void GraphWriter::number_values(const char* key, ValueType type) {
  json_.key(key).begin_object();
  for (size_t i = 0; i < graph_.values.size(); ++i) {
    const Value& value = graph_.values[i];
    if (value.type != type) continue;
    json_.key(names_[i]);
    if (type == ValueType::Int) {
      write_size(json_, value.number);
      continue;
    }
    json_.begin_object();
    if (!value.number.is_static()) {
      json_.key("as_expr").begin_object().key("expr_str").value(value.number.expression);
      json_.key("hint").null().end_object();
    } else if (type == ValueType::Float) {
      json_.key("as_float").value(0.0);
    } else {
      json_.key("as_bool").value(false);
    }
    json_.end_object();
  }
  json_.end_object();
}

}  // namespace rushlight::pt2
