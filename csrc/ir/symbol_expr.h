// Expressions of symbolic sizes, as sympy's `srepr` writes them: `Add(Symbol('s0'), Integer(1))`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rushlight {

class SymbolExpr {
 public:
  /// Parses the text; nothing for a function or number we do not know (the expression is then
  /// not checked, as the numbers themselves are computed by nodes of the graph).
  static std::optional<SymbolExpr> parse(std::string_view text);

  bool is_symbol() const { return function_ == "Symbol"; }
  const std::string& symbol() const { return name_; }
  std::set<std::string> symbols() const;
  /// Nothing when a symbol is missing or the arithmetic overflows or divides by zero.
  std::optional<int64_t> evaluate(const std::map<std::string, int64_t>& symbols) const;
  /// As people write it: `2*s0 + 1`.
  std::string text() const;

 private:
  friend class SymbolParser;
  std::string function_;  // "Symbol", "Integer", "Add", …
  std::string name_;
  int64_t number_ = 0;
  std::vector<SymbolExpr> children_;
};

}  // namespace rushlight
