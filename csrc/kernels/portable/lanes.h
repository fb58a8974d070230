// Loops of gather, scatter and the index_* operators: an index for every element, or one for a
// whole slice when the index repeats with stride 0.
#pragma once

#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {

/// Offsets, in elements, of a tensor's positions before and after one dimension.
struct Lanes {
  std::vector<int64_t> outer, inner;
  int64_t stride = 0;  // along the dimension

  Lanes(const Tensor& t, IntList sizes, int64_t dim)
      : outer(offsets_of(sizes.first(dim), IntList(t.strides).first(dim))),
        inner(offsets_of(sizes.subspan(dim + 1), IntList(t.strides).subspan(dim + 1))),
        stride(t.strides[dim]) {}
};

inline Tensor at_least_1d(const Tensor& t) {
  return t.rank() > 0 ? t : restrided(t, Dims{1}, Dims{1});
}

/// What an index may be, and the error when it is not.
struct IndexRule {
  bool negative;   // counts from the end
  ErrorKind kind;  // PyTorch's differ from operator to operator
};
inline constexpr IndexRule kGatherRule{false, ErrorKind::Runtime};
inline constexpr IndexRule kRowRule{false, ErrorKind::Index};
inline constexpr IndexRule kFillRule{true, ErrorKind::Index};

[[noreturn]] inline void out_of_bounds(int64_t index, int64_t dim, int64_t size, ErrorKind kind) {
  throw Error(kind, detail::concat("index ", index, " is out of bounds for dimension ", dim,
                                   " with size ", size));
}

/// Index and partner positions for every element of `sizes`: calls
/// `visit(a, b)` where `a` is the offset in `self` with the index put in at `dim`, and `b` the
/// offset in `other`. Work is shared out so that one element of `self` stays on one thread.
template <class F>
void for_each_indexed(const Tensor& self, int64_t dim, const Tensor& index, IntList sizes,
                      const Tensor& other, IndexRule rule, F&& visit) {
  const Lanes to(self, sizes, dim), at(index, sizes, dim), from(other, sizes, dim);
  const int64_t count = sizes[dim], limit = self.sizes[dim];
  const auto outer = static_cast<int64_t>(to.outer.size());
  const auto inner = static_cast<int64_t>(to.inner.size());
  const int64_t* positions = index.data<int64_t>();
  // The offset in `self` for the index at `position`.
  const auto place = [&](const int64_t* position) {
    int64_t v = *position;
    if (rule.negative && v < 0) v += limit;
    if (v < 0 || v >= limit) [[unlikely]]
      out_of_bounds(*position, dim, limit, rule.kind);
    return v * to.stride;
  };
  const auto block = [&](int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    for (int64_t i = i0; i < i1; ++i) {
      const int64_t* row = positions + at.outer[i];
      const int64_t a = to.outer[i];
      int64_t b = from.outer[i];
      if (inner == 1) {
        for (int64_t k = 0; k < count; ++k, row += at.stride, b += from.stride)
          visit(a + place(row), b);
        continue;
      }
      for (int64_t k = 0; k < count; ++k, row += at.stride, b += from.stride)
        for (int64_t j = j0; j < j1; ++j)
          visit(a + place(row + at.inner[j]) + to.inner[j], b + from.inner[j]);
    }
  };
  if (outer > 1)
    cpu::parallel_for(0, outer, kGrain / std::max<int64_t>(count * inner, 1) + 1,
                      [&](int64_t i0, int64_t i1) { block(i0, i1, 0, inner); });
  else
    // Whole cache lines: lanes of one row lie side by side.
    cpu::parallel_for(0, inner, std::max<int64_t>(kGrain / std::max<int64_t>(count, 1), 64),
                      [&](int64_t j0, int64_t j1) { block(0, outer, j0, j1); });
}

/// A vector of indices seen as one index per element of `sizes`.
inline Tensor along(const Tensor& index, IntList sizes, int64_t dim) {
  Dims strides(sizes.size());
  strides[dim] = 1;
  return restrided(index, Dims(sizes), strides);
}

}  // namespace rushlight::kernels::portable
