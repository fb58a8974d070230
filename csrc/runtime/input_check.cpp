#include "input_check.h"

#include <limits>

namespace rushlight {
namespace {

std::string literal_text(const Argument& a) {
  if (is_none(a)) return "None";
  if (const bool* b = std::get_if<bool>(&a)) return *b ? "True" : "False";
  if (const int64_t* i = std::get_if<int64_t>(&a)) return std::to_string(*i);
  if (const double* d = std::get_if<double>(&a)) return detail::concat(*d);
  if (const auto* s = std::get_if<std::string>(&a)) return "'" + *s + "'";
  return "a value of another kind";
}

// The value of the only symbol of an affine expression such as 2*s0 + 1, from the expression's;
// nothing for other expressions. Affine: a few values lie on the line through the first two.
std::optional<int64_t> solve(const SymbolExpr& expression, const std::string& symbol,
                             int64_t value) {
  const auto at = [&](int64_t s) { return expression.evaluate({{symbol, s}}); };
  const auto zero = at(0), one = at(1);
  if (!zero || !one || *zero == *one) return std::nullopt;
  int64_t slope, expected, distance;
  if (__builtin_sub_overflow(*one, *zero, &slope)) return std::nullopt;
  for (int64_t s : {2, 3, 64, 10007})
    if (__builtin_mul_overflow(slope, s, &expected) ||
        __builtin_add_overflow(*zero, expected, &expected) || at(s) != expected)
      return std::nullopt;
  if (__builtin_sub_overflow(value, *zero, &distance)) return std::nullopt;
  if (slope == -1 && distance == std::numeric_limits<int64_t>::min()) return std::nullopt;
  return distance / slope;
}

std::string describe_value(const RunValue& v) {
  return v.tensor ? "a tensor " + describe(*v.tensor) : literal_text(v.literal);
}

}  // namespace

InputCheck::InputCheck(const Program& program)
    : program_(program), dimensions_(program.inputs.size()) {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const InputSpec& input = program.inputs[i];
    if (input.kind != InputSpec::Kind::User && input.kind != InputSpec::Kind::Constant) continue;
    user_inputs_.push_back(i);
    if (input.value == kNoValue) continue;
    for (const SymbolicSize& size : program.graph.at(input.value).sizes) {
      Dimension d;
      if (size.is_static())
        d.size = size.hint;
      else
        d.expression = SymbolExpr::parse(size.expression);
      dimensions_[i].push_back(std::move(d));
    }
  }
}

std::string InputCheck::expected(size_t i) const {
  const InputSpec& input = program_.inputs[i];
  if (input.value == kNoValue) return literal_text(input.literal);
  const Value& value = program_.graph.at(input.value);
  if (value.type == ValueType::Int) return "an int";
  if (value.type == ValueType::Float) return "a float";
  if (value.type == ValueType::Bool) return "a bool";
  std::string out(dtype_name(value.dtype));
  out += '[';
  for (size_t d = 0; d < dimensions_[i].size(); ++d) {
    const Dimension& dim = dimensions_[i][d];
    if (d) out += ", ";
    out += dim.size >= 0 ? std::to_string(dim.size) : dim.expression ? dim.expression->text() : "?";
  }
  return out + ']';
}

void InputCheck::check(std::span<const RunValue> values) const {
  if (values.size() != user_inputs_.size()) {
    std::string names;
    for (size_t i : user_inputs_)
      names += (names.empty() ? "" : ", ") + program_.inputs[i].name + ": " + expected(i);
    RL_FAIL(Type, "the program takes ", user_inputs_.size(), " inputs (", names, "), but ",
            values.size(), " were given");
  }
  std::map<std::string, int64_t> symbols;
  for (size_t k = 0; k < values.size(); ++k) {
    const size_t i = user_inputs_[k];
    const InputSpec& input = program_.inputs[i];
    const RunValue& v = values[k];
    const bool wants_tensor =
        input.value != kNoValue && program_.graph.at(input.value).type == ValueType::Tensor;
    RL_CHECK(wants_tensor == v.tensor.has_value(), Type, "input '", input.name, "': expected ",
             expected(i), ", got ", describe_value(v));
    if (wants_tensor)
      check_tensor(i, *v.tensor, symbols);
    else
      check_literal(i, v.literal);
  }
  check_derived(values, symbols);
}

void InputCheck::check_tensor(size_t i, const Tensor& tensor,
                              std::map<std::string, int64_t>& symbols) const {
  const InputSpec& input = program_.inputs[i];
  const Value& value = program_.graph.at(input.value);
  RL_CHECK(tensor.dtype == value.dtype, Type, "input '", input.name, "': expected dtype ",
           dtype_name(value.dtype), ", got ", dtype_name(tensor.dtype));
  const auto& dims = dimensions_[i];
  RL_CHECK(tensor.sizes.size() == dims.size(), Value, "input '", input.name, "': expected ",
           expected(i), " (", dims.size(), " dimensions), got ", describe(tensor));
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t came = tensor.sizes[d];
    const std::string where = detail::concat("input '", input.name, "', dimension ", d);
    if (dims[d].size >= 0) {
      RL_CHECK(came == dims[d].size, Value, where, ": expected ", dims[d].size, ", got ", came,
               " (the program was exported for ", expected(i), ")");
      continue;
    }
    if (!dims[d].expression) continue;
    if (dims[d].expression->is_symbol()) {
      const auto [it, fresh] = symbols.emplace(dims[d].expression->symbol(), came);
      RL_CHECK(fresh || it->second == came, Value, where, ": expected ", it->first, " = ",
               it->second, " as in another dimension, got ", came);
    }
    check_range(where, *dims[d].expression, came);
  }
}

void InputCheck::check_literal(size_t i, const Argument& literal) const {
  const InputSpec& input = program_.inputs[i];
  if (input.value != kNoValue) {
    const ValueType type = program_.graph.at(input.value).type;
    const bool is_int = std::holds_alternative<int64_t>(literal);
    const bool is_bool = std::holds_alternative<bool>(literal);
    const bool fits = type == ValueType::Int    ? is_int || is_bool
                      : type == ValueType::Bool ? is_bool
                                                : is_int || std::holds_alternative<double>(literal);
    RL_CHECK(fits, Type, "input '", input.name, "': expected ", expected(i), ", got ",
             literal_text(literal));
    return;
  }
  const bool same = literal.index() == input.literal.index()
                        ? literal_text(literal) == literal_text(input.literal)
                        : false;
  RL_CHECK(same, Value, "input '", input.name, "': the program was exported for ",
           literal_text(input.literal), " only, got ", literal_text(literal));
}

// Dimensions such as 2*s0 follow from the symbols that stand alone somewhere, or give them.
void InputCheck::check_derived(std::span<const RunValue> values,
                               std::map<std::string, int64_t>& symbols) const {
  for (size_t k = 0; k < values.size(); ++k) {
    if (!values[k].tensor) continue;
    const size_t i = user_inputs_[k];
    for (size_t d = 0; d < dimensions_[i].size(); ++d) {
      const auto& expression = dimensions_[i][d].expression;
      if (!expression || expression->is_symbol()) continue;
      const int64_t came = values[k].tensor->sizes[d];
      auto wanted = expression->evaluate(symbols);
      if (const auto names = expression->symbols(); !wanted && names.size() == 1) {
        if (const auto found = solve(*expression, *names.begin(), came)) {
          symbols[*names.begin()] = *found;
          wanted = expression->evaluate(symbols);
        }
      }
      RL_CHECK(!wanted || *wanted == came, Value, "input '", program_.inputs[i].name,
               "', dimension ", d, ": expected ", expression->text(), " = ", wanted.value_or(0),
               ", got ", came);
    }
  }
}

void InputCheck::check_range(const std::string& where, const SymbolExpr& expression,
                             int64_t value) const {
  const std::string text = expression.text();
  for (const SymbolRange& range : program_.ranges) {
    if (range.expression != text) continue;
    RL_CHECK(value >= range.min && value <= range.max, Value, where, ": expected ", text, " in [",
             range.min == INT64_MIN ? "-∞" : std::to_string(range.min), ", ",
             range.max == INT64_MAX ? "∞" : std::to_string(range.max), "], got ", value);
  }
}

}  // namespace rushlight
