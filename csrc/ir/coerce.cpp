// Brings arguments to the form their schema asks for.
#include "ir/op.h"

namespace rushlight {
namespace {

std::string kind_of(const Argument& a) {
  constexpr std::string_view names[] = {
      "None",  "Tensor",  "list of Tensors", "bool",           "int",
      "float", "complex", "list of ints",    "list of floats", "list of bools",
      "str",   "dtype",   "memory_format"};
  return std::string(names[a.index()]);
}

std::string expected(const ArgumentSpec& spec) {
  constexpr std::string_view names[] = {"Tensor", "int",    "float",    "bool",
                                        "Number", "str",    "dtype",    "memory_format",
                                        "device", "layout", "Generator"};
  std::string text(names[static_cast<int>(spec.type)]);
  if (spec.list) text = "list of " + text + "s";
  if (spec.optional) text += " or None";
  return text;
}

bool is_number(const Argument& a) {
  return std::holds_alternative<bool>(a) || std::holds_alternative<int64_t>(a) ||
         std::holds_alternative<double>(a) || std::holds_alternative<complex128>(a);
}

// PyTorch's names of the memory formats.
std::optional<Argument> memory_format(std::string_view name) {
  if (name == "contiguous_format") return MemoryFormat::Contiguous;
  if (name == "preserve_format") return MemoryFormat::Preserve;
  if (name == "channels_last") return MemoryFormat::ChannelsLast;
  if (name == "channels_last_3d") return MemoryFormat::ChannelsLast3d;
  return std::nullopt;
}

// An empty list carries no element type, so any list type may stand for it.
bool is_empty_list(const Argument& a) {
  if (const auto* v = std::get_if<Dims>(&a)) return v->empty();
  if (const auto* v = std::get_if<std::vector<const Tensor*>>(&a)) return v->empty();
  if (const auto* v = std::get_if<std::vector<double>>(&a)) return v->empty();
  if (const auto* v = std::get_if<std::vector<uint8_t>>(&a)) return v->empty();
  return false;
}

std::optional<Argument> coerce_list(const ArgumentSpec& spec, Argument& value) {
  const bool empty = is_empty_list(value);
  switch (spec.type) {
    case ArgType::Tensor:
      if (empty) return std::vector<const Tensor*>{};
      if (auto* v = std::get_if<std::vector<const Tensor*>>(&value)) {
        if (!spec.optional_elements)
          for (const Tensor* t : *v)
            if (!t) return std::nullopt;
        return std::move(value);
      }
      return std::nullopt;
    case ArgType::Int:
      if (empty) return Dims{};
      if (const auto* b = std::get_if<std::vector<uint8_t>>(&value)) {
        Dims ints;
        for (uint8_t v : *b) ints.push_back(v);
        return ints;
      }
      if (const int64_t* v = std::get_if<int64_t>(&value); v && spec.list_size)
        return Dims(static_cast<size_t>(spec.list_size), *v);
      if (auto* v = std::get_if<Dims>(&value)) {
        if (v->size() == 1 && spec.list_size > 1)
          return Dims(static_cast<size_t>(spec.list_size), (*v)[0]);
        return std::move(value);
      }
      return std::nullopt;
    case ArgType::Float:
      if (empty) return std::vector<double>{};
      if (const auto* ints = std::get_if<Dims>(&value))
        return std::vector<double>(ints->begin(), ints->end());
      if (std::holds_alternative<std::vector<double>>(value)) return std::move(value);
      return std::nullopt;
    case ArgType::Bool:
      if (empty) return std::vector<uint8_t>{};
      if (const auto* ints = std::get_if<Dims>(&value))
        return std::vector<uint8_t>(ints->begin(), ints->end());
      if (std::holds_alternative<std::vector<uint8_t>>(value)) return std::move(value);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Argument> coerce_one(const ArgumentSpec& spec, Argument& value) {
  switch (spec.type) {
    case ArgType::Tensor:
      if (const auto* v = std::get_if<const Tensor*>(&value); v && *v) return std::move(value);
      return std::nullopt;
    case ArgType::Int:
      if (const bool* b = std::get_if<bool>(&value)) return int64_t{*b};
      if (std::holds_alternative<int64_t>(value)) return std::move(value);
      return std::nullopt;
    case ArgType::Float:
      if (const bool* b = std::get_if<bool>(&value)) return double{*b ? 1.0 : 0.0};
      if (const int64_t* i = std::get_if<int64_t>(&value)) return static_cast<double>(*i);
      if (std::holds_alternative<double>(value)) return std::move(value);
      return std::nullopt;
    case ArgType::Bool:
      if (const int64_t* i = std::get_if<int64_t>(&value); i && (*i == 0 || *i == 1))
        return *i != 0;
      if (std::holds_alternative<bool>(value)) return std::move(value);
      return std::nullopt;
    case ArgType::Number:
      if (is_number(value)) return std::move(value);
      return std::nullopt;
    case ArgType::Str:
      if (std::holds_alternative<std::string>(value)) return std::move(value);
      return std::nullopt;
    case ArgType::DType:
      if (std::holds_alternative<DType>(value)) return std::move(value);
      return std::nullopt;
    case ArgType::MemoryFormat:
      if (std::holds_alternative<MemoryFormat>(value)) return std::move(value);
      if (const auto* name = std::get_if<std::string>(&value)) return memory_format(*name);
      return std::nullopt;
    case ArgType::Device:
    case ArgType::Layout:
    case ArgType::Generator:
      return Argument{};  // no effect on this engine
  }
  return std::nullopt;
}

}  // namespace

Argument coerce_argument(const OpDef& op, const ArgumentSpec& spec, Argument value) {
  if (is_none(value) && spec.optional) return value;
  const std::string came = kind_of(value);
  std::optional<Argument> result = spec.list ? coerce_list(spec, value) : coerce_one(spec, value);
  RL_CHECK(result, Type, op.name, "(): argument '", spec.name, "' must be ", expected(spec),
           ", not ", came);
  return std::move(*result);
}

}  // namespace rushlight
