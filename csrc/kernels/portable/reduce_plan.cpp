#include "kernels/reduce_plan.h"

#include <algorithm>

namespace rushlight::kernels {
namespace {

using Axis = ReducePlan::Axis;

// Merges neighbours that are one axis in input and output.
void coalesce(std::vector<Axis>& axes) {
  std::vector<Axis> merged;
  for (const Axis& a : axes) {
    if (a.size == 1) continue;
    if (!merged.empty()) {
      Axis& last = merged.back();
      if (last.in == a.size * a.in && last.out == a.size * a.out) {
        last = {last.size * a.size, a.in, a.out};
        continue;
      }
    }
    merged.push_back(a);
  }
  axes = std::move(merged);
}

// Takes the contiguous axis out of `axes`, if there is one.
bool take_contiguous(std::vector<Axis>& axes, Axis& inner) {
  for (size_t i = axes.size(); i-- > 0;) {
    if (axes[i].in != 1) continue;
    inner = axes[i];
    axes.erase(axes.begin() + static_cast<ptrdiff_t>(i));
    return true;
  }
  return false;
}

int64_t product(const std::vector<Axis>& axes) {
  int64_t n = 1;
  for (const Axis& a : axes) n *= a.size;
  return n;
}

}  // namespace

namespace {

// Rows shorter than this are faster as columns, copied to lie beside each other.
constexpr int64_t kShortRow = 8;

// The one reduced dimension of contiguous short rows, or -1.
int64_t short_rows(const Tensor& input, const DimMask& mask) {
  const int64_t last = input.rank() - 1;
  if (last < 1 || !mask[static_cast<size_t>(last)] || !input.is_contiguous()) return -1;
  for (int64_t d = 0; d < last; ++d)
    if (mask[static_cast<size_t>(d)]) return -1;
  const int64_t size = input.sizes[static_cast<size_t>(last)];
  return size > 1 && size < kShortRow && input.numel() >= 64 * size ? last : -1;
}

// The same tensor, its last dimension outermost in memory.
Tensor last_outermost(const Tensor& input) {
  const size_t last = input.sizes.size() - 1;
  Tensor view = input;
  view.sizes.erase(last);
  view.strides.erase(last);
  view.sizes.insert(0, input.sizes[last]);
  view.strides.insert(0, input.strides[last]);
  Tensor copy = view.clone();
  const int64_t step = copy.strides[0];
  copy.sizes = input.sizes;
  copy.strides.erase(0);
  copy.strides.push_back(step);
  return copy;
}

}  // namespace

ReducePlan plan_reduction(const Tensor& input, const DimMask& mask) {
  if (short_rows(input, mask) >= 0) return plan_reduction(last_outermost(input), mask);
  ReducePlan plan;
  plan.input = input;
  int64_t step = 1;
  for (size_t d = input.sizes.size(); d-- > 0;) {
    const int64_t size = input.sizes[d];
    if (mask[d]) {
      plan.reduced.insert(plan.reduced.begin(), {size, input.strides[d], 0});
    } else {
      plan.kept.insert(plan.kept.begin(), {size, input.strides[d], step});
      step *= size;
    }
  }
  // Walking memory forwards: the order of reduced axes is free, since every operation commutes.
  std::stable_sort(plan.reduced.begin(), plan.reduced.end(),
                   [](const Axis& a, const Axis& b) { return a.in > b.in; });
  coalesce(plan.kept);
  coalesce(plan.reduced);
  if (take_contiguous(plan.reduced, plan.inner)) {
    plan.rows = true;
  } else if (take_contiguous(plan.kept, plan.inner)) {
    plan.rows = false;
  } else if (!plan.kept.empty() || !plan.reduced.empty()) {
    return plan_reduction(input.clone(), mask);
  }
  plan.outer_kept = product(plan.kept);
  plan.outer_reduced = product(plan.reduced);
  return plan;
}

}  // namespace rushlight::kernels
