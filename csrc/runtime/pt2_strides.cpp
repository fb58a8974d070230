#include "pt2_strides.h"

#include <algorithm>
#include <numeric>

namespace rushlight::pt2 {
namespace {

// A product in progress: a number times expressions.
struct Product {
  int64_t number = 1;
  std::vector<std::string> factors;
  int64_t hint = 1;
  bool hint_known = true;

  void times(const SymbolicSize& size) {
    hint_known &= size.hint >= 0;
    hint *= std::max<int64_t>(size.hint, 1);
    if (size.is_static())
      number *= std::max<int64_t>(size.hint, 1);
    else
      factors.push_back(size.expression);
  }

  SymbolicSize size() const {
    if (factors.empty()) return {number, ""};
    const int64_t known = hint_known ? hint : -1;
    if (factors.size() == 1 && number == 1) return {known, factors[0]};
    std::string text = "Mul(";
    if (number != 1) text += "Integer(" + std::to_string(number) + "), ";
    for (size_t i = 0; i < factors.size(); ++i) text += (i ? ", " : "") + factors[i];
    return {known, text + ")"};
  }
};

}  // namespace

std::vector<SymbolicSize> symbolic_strides(const Value& value) {
  const size_t rank = value.sizes.size();
  const Dims& hints = value.hint_strides;
  const bool hinted = hints.size() == rank &&
                      std::all_of(hints.begin(), hints.end(), [](int64_t s) { return s >= 0; });
  std::vector<size_t> order(rank);  // from the outermost in memory to the innermost
  std::iota(order.begin(), order.end(), size_t{0});
  if (hinted)
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return hints[a] > hints[b]; });
  std::vector<SymbolicSize> strides(rank);
  Product inner;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const size_t dim = *it;
    const bool dense = !hinted || (inner.hint_known && hints[dim] == inner.hint);
    strides[dim] = dense ? inner.size() : SymbolicSize{hints[dim], ""};
    if (dense) inner.times(value.sizes[dim]);
  }
  return strides;
}

}  // namespace rushlight::pt2
