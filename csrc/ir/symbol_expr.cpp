#include "symbol_expr.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace rushlight {
namespace {

constexpr std::array<std::string_view, 10> kFunctions = {
    "Add", "Mul", "Pow", "Max", "Min", "Mod", "PythonMod", "FloorDiv", "CleanDiv", "PowByNatural"};
constexpr int kMaxDepth = 64;

int64_t floor_div(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

std::optional<int64_t> apply(std::string_view f, int64_t a, int64_t b) {
  int64_t out;
  if (f == "Add") return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (f == "Mul") return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (f == "Max") return std::max(a, b);
  if (f == "Min") return std::min(a, b);
  if (f == "Pow" || f == "PowByNatural") {
    if (b < 0 || b > 64) return std::nullopt;
    out = 1;
    for (int64_t i = 0; i < b; ++i)
      if (__builtin_mul_overflow(out, a, &out)) return std::nullopt;
    return out;
  }
  if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  if (f == "FloorDiv" || f == "CleanDiv") return floor_div(a, b);
  return a - floor_div(a, b) * b;  // Mod, PythonMod
}

}  // namespace

class SymbolParser {
 public:
  explicit SymbolParser(std::string_view text) : text_(text) {}

  std::optional<SymbolExpr> parse() {
    auto e = expression(0);
    skip();
    if (!e || at_ != text_.size()) return std::nullopt;
    return e;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip();
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == '-'))
      ++at_;
    return text_.substr(start, at_ - start);
  }

  std::optional<SymbolExpr> expression(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    SymbolExpr e;
    e.function_ = word();
    if (!accept('(')) return std::nullopt;
    if (e.function_ == "Symbol") {
      // Assumptions such as positive=True follow the name.
      if (!accept('\'')) return std::nullopt;
      e.name_ = word();
      if (!accept('\'')) return std::nullopt;
      const size_t close = text_.find(')', at_);
      if (close == text_.npos) return std::nullopt;
      at_ = close + 1;
      return e;
    }
    if (e.function_ == "Integer") {
      const std::string_view digits = word();
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), e.number_);
      if (error != std::errc() || end != digits.data() + digits.size() || !accept(')'))
        return std::nullopt;
      return e;
    }
    if (std::find(kFunctions.begin(), kFunctions.end(), e.function_) == kFunctions.end())
      return std::nullopt;
    do {
      auto child = expression(depth + 1);
      if (!child) return std::nullopt;
      e.children_.push_back(std::move(*child));
    } while (accept(','));
    if (!accept(')') || e.children_.empty()) return std::nullopt;
    return e;
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::optional<SymbolExpr> SymbolExpr::parse(std::string_view text) {
  return SymbolParser(text).parse();
}

std::set<std::string> SymbolExpr::symbols() const {
  if (is_symbol()) return {name_};
  std::set<std::string> out;
  for (const SymbolExpr& child : children_) out.merge(child.symbols());
  return out;
}

std::optional<int64_t> SymbolExpr::evaluate(const std::map<std::string, int64_t>& symbols) const {
  if (function_ == "Integer") return number_;
  if (is_symbol()) {
    const auto it = symbols.find(name_);
    return it == symbols.end() ? std::nullopt : std::optional(it->second);
  }
  std::optional<int64_t> out = children_[0].evaluate(symbols);
  for (size_t i = 1; out && i < children_.size(); ++i) {
    const auto next = children_[i].evaluate(symbols);
    if (!next) return std::nullopt;
    out = apply(function_, *out, *next);
  }
  return out;
}

std::string SymbolExpr::text() const {
  if (function_ == "Integer") return std::to_string(number_);
  if (is_symbol()) return name_;
  const bool infix = function_ == "Add" || function_ == "Mul";
  const std::string separator = function_ == "Add" ? " + " : infix ? "*" : ", ";
  std::string out = infix ? "" : function_ + "(";
  for (size_t i = 0; i < children_.size(); ++i) {
    const bool nested = function_ == "Mul" && children_[i].function_ == "Add";
    out += (i ? separator : "") + (nested ? "(" : "") + children_[i].text() + (nested ? ")" : "");
  }
  return infix ? out : out + ")";
}

}  // namespace rushlight
