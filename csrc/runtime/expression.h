// The `decompose` expressions of the op table: `mean.dim(pow.Tensor_Scalar(self, 2), [-1])`,
// `linalg_qr(A)[1]` for the second output, `(a(self), b(self))` for several outputs.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "runtime/eager.h"

namespace rushlight {

/// One node of a parsed expression.
struct Expression {
  enum class Kind : uint8_t { Call, Parameter, Literal, List, Tuple };
  Kind kind;
  const OpDef* op = nullptr;          // Call
  std::string name;                   // Parameter
  Argument literal;                   // Literal
  std::vector<Expression> children;   // Call, List, Tuple
  std::vector<std::string> keywords;  // Call: "" for a positional child
  int output = -1;                    // Call: the one output that is meant; -1: all or the first
};

/// The parsed expression of a composite operator; parsed once. A mistake in the table is an
/// `InternalError`, found by a test that parses every row.
const Expression& decomposition(const OpDef& op);

/// Evaluates a composite operator; `call` runs, or records, each operator of its expression.
CallResult evaluate_expression(const OpDef& op, std::span<const Argument> args,
                               CallResult (*call)(const OpDef&,
                                                  std::span<const Argument>) = &call_op);

/// Schema-ordered arguments of a call from positional and keyword ones; defaults filled in.
std::vector<Argument> bind_arguments(const OpDef& op, std::vector<Argument> positional,
                                     std::vector<std::pair<std::string, Argument>> keywords);

}  // namespace rushlight
