// Equality of graphs up to the numbering of their values.
#include <bit>
#include <cmath>

#include "ir/print.h"

namespace rushlight {
namespace {

bool same_float(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

bool same_value(const Value& a, const Value& b) {
  if (a.name != b.name || a.type != b.type || a.known != b.known) return false;
  if (!a.known || a.type != ValueType::Tensor) return true;
  const auto same_size = [](const SymbolicSize& x, const SymbolicSize& y) {
    return x.hint == y.hint && x.expression == y.expression;
  };
  return a.dtype == b.dtype && a.hint_strides == b.hint_strides &&
         std::equal(a.sizes.begin(), a.sizes.end(), b.sizes.begin(), b.sizes.end(), same_size);
}

class Comparison {
 public:
  Comparison(const Graph& a, const Graph& b) : a_(a), b_(b), a_to_b_(a.values.size(), kNoValue) {}

  bool run() {
    if (a_.nodes.size() != b_.nodes.size()) return false;
    if (!define(a_.inputs, b_.inputs)) return false;
    for (size_t i = 0; i < a_.nodes.size(); ++i)
      if (!same(a_.nodes[i], b_.nodes[i])) return false;
    if (a_.outputs.size() != b_.outputs.size()) return false;
    for (size_t i = 0; i < a_.outputs.size(); ++i)
      if (a_to_b_[static_cast<size_t>(a_.outputs[i])] != b_.outputs[i]) return false;
    return true;
  }

 private:
  bool define(const std::vector<ValueId>& a, const std::vector<ValueId>& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if ((a[i] == kNoValue) != (b[i] == kNoValue)) return false;
      if (a[i] == kNoValue) continue;
      if (!same_value(a_.at(a[i]), b_.at(b[i]))) return false;
      a_to_b_[static_cast<size_t>(a[i])] = b[i];
    }
    return true;
  }

  bool same(const Node& a, const Node& b) {
    if (a.op != b.op || a.target != b.target || a.name != b.name ||
        a.operands.size() != b.operands.size() || a.regions.size() != b.regions.size())
      return false;
    for (size_t i = 0; i < a.operands.size(); ++i)
      if (!same_operand(a.operands[i], b.operands[i], a_to_b_)) return false;
    for (size_t i = 0; i < a.regions.size(); ++i)
      if (!rushlight::equal(*a.regions[i], *b.regions[i])) return false;
    return define(a.outputs, b.outputs);
  }

  const Graph& a_;
  const Graph& b_;
  std::vector<ValueId> a_to_b_;
};

}  // namespace

bool same_literal(const Argument& a, const Argument& b) {
  if (a.index() != b.index()) return false;
  if (const double* v = std::get_if<double>(&a)) return same_float(*v, std::get<double>(b));
  if (const complex128* v = std::get_if<complex128>(&a)) {
    const complex128 w = std::get<complex128>(b);
    return same_float(v->real(), w.real()) && same_float(v->imag(), w.imag());
  }
  if (const auto* v = std::get_if<std::vector<double>>(&a)) {
    const auto& w = std::get<std::vector<double>>(b);
    return std::equal(v->begin(), v->end(), w.begin(), w.end(), same_float);
  }
  return a == b;
}

bool same_operand(const Operand& a, const Operand& b, std::span<const ValueId> a_to_b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Operand::Kind::Literal:
      return same_literal(a.literal, b.literal);
    case Operand::Kind::Value:
      return a_to_b[static_cast<size_t>(a.value)] == b.value;
    case Operand::Kind::List:
      return std::equal(
          a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
          [&](const Operand& x, const Operand& y) { return same_operand(x, y, a_to_b); });
  }
  return false;
}

bool equal(const Graph& a, const Graph& b) { return Comparison(a, b).run(); }

}  // namespace rushlight
