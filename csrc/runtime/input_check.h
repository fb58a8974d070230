// Do a call's inputs fit the program? Checked with PyTorch's meaning of dynamic dimensions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/symbol_expr.h"
#include "runtime/program.h"
#include "runtime/run_value.h"

namespace rushlight {

class InputCheck {
 public:
  explicit InputCheck(const Program& program);

  /// Positions in `Program::inputs` that the caller gives, in order.
  const std::vector<size_t>& user_inputs() const { return user_inputs_; }
  /// Throws an error that names the input, the dimension, what it may be and what came: number of
  /// inputs (TypeError), kind and dtype (TypeError), rank, sizes, symbols and ranges (ValueError).
  void check(std::span<const RunValue> values) const;
  /// `float32[4, s0]`: what input `i` of the program must be.
  std::string expected(size_t i) const;

 private:
  struct Dimension {
    int64_t size = -1;                     // static size, or -1
    std::optional<SymbolExpr> expression;  // of a dynamic one, if understood
  };
  void check_tensor(size_t input, const Tensor& tensor,
                    std::map<std::string, int64_t>& symbols) const;
  void check_literal(size_t input, const Argument& literal) const;
  void check_derived(std::span<const RunValue> values,
                     std::map<std::string, int64_t>& symbols) const;
  void check_range(const std::string& where, const SymbolExpr& expression, int64_t value) const;

  const Program& program_;
  std::vector<size_t> user_inputs_;
  std::vector<std::vector<Dimension>> dimensions_;  // by program input
};

}  // namespace rushlight
