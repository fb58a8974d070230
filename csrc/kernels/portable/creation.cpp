// Tensors made from nothing: constants, ranges, index lists.
#include <cmath>
#include <cstring>

#include "kernels/kernel.h"
#include "kernels/portable/fill.h"

namespace rushlight::kernels::portable {

void fill_dense(Tensor& out, const Scalar& value) {
  dispatch_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T v = value.to<T>();
    T* data = out.data<T>();
    cpu::parallel_for(0, out.numel(), kGrain,
                      [&](int64_t a, int64_t b) { std::fill(data + a, data + b, v); });
  });
}

namespace {

using Type = std::optional<DType>;
using Pinned = std::optional<bool>;
using Format = std::optional<MemoryFormat>;

void fill_zero(Tensor& out) { std::memset(out.raw(), 0, static_cast<size_t>(out.nbytes())); }

// out[i] = value(i), computed as `Acc` and then converted.
template <class Acc, class F>
void generate(Tensor& out, F&& value) {
  dispatch_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* data = out.data<T>();
    cpu::parallel_for(0, out.numel(), kGrain, [&](int64_t a, int64_t b) {
      for (int64_t i = a; i < b; ++i) data[i] = Scalar(static_cast<Acc>(value(i))).to<T>();
    });
  });
}

// Both halves start from their own end, so that the ends are exact.
double point(double start, double end, int64_t steps, int64_t i) {
  if (steps == 1) return start;
  const double step = (end - start) / static_cast<double>(steps - 1);
  return i < steps / 2 ? start + step * static_cast<double>(i)
                       : end - step * static_cast<double>(steps - 1 - i);
}

template <class F>
void write_indices(Tensor& out, int64_t row, F&& columns) {
  const int64_t n = out.sizes[1];
  dispatch_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    T *rows = out.data<T>(), *cols = rows + n;
    int64_t at = 0;
    for (int64_t r = 0; r < row; ++r) {
      const auto [first, last] = columns(r);
      for (int64_t c = first; c < last; ++c, ++at) {
        rows[at] = Scalar(r).to<T>();
        cols[at] = Scalar(c).to<T>();
      }
    }
  });
}

}  // namespace

void zeros(IntList, Type, Pinned, Tensor& out) { fill_zero(out); }
void ones(IntList, Type, Pinned, Tensor& out) { fill_dense(out, 1); }
void full(IntList, Scalar value, Type, Pinned, Tensor& out) { fill_dense(out, value); }
void zeros_like(const Tensor&, Type, Pinned, Format, Tensor& out) { fill_zero(out); }
void ones_like(const Tensor&, Type, Pinned, Format, Tensor& out) { fill_dense(out, 1); }
void full_like(const Tensor&, Scalar value, Type, Pinned, Format, Tensor& out) {
  fill_dense(out, value);
}
void new_zeros(const Tensor&, IntList, Type, Pinned, Tensor& out) { fill_zero(out); }
void new_ones(const Tensor&, IntList, Type, Pinned, Tensor& out) { fill_dense(out, 1); }
void new_full(const Tensor&, IntList, Scalar value, Type, Pinned, Tensor& out) {
  fill_dense(out, value);
}
void scalar_tensor(Scalar s, Type, Pinned, Tensor& out) { fill_dense(out, s); }

// The memory of an empty tensor holds whatever was there.
void empty(IntList, Type, Pinned, Format, Tensor&) {}
void empty_like(const Tensor&, Type, Pinned, Format, Tensor&) {}
void new_empty(const Tensor&, IntList, Type, Pinned, Tensor&) {}
void empty_strided(IntList, IntList, Type, Pinned, Tensor&) {}
void new_empty_strided(const Tensor&, IntList, IntList, Type, Pinned, Tensor&) {}

void arange(Scalar start, Scalar, Scalar step, Type, Pinned, Tensor& out) {
  if (category(out.dtype) <= DTypeCategory::Integer) {
    const int64_t first = start.to_int(), by = step.to_int();
    return generate<int64_t>(out, [=](int64_t i) { return first + by * i; });
  }
  const double first = start.to_double(), by = step.to_double();
  generate<double>(out, [=](int64_t i) { return first + by * static_cast<double>(i); });
}
void arange(Scalar end, Type dtype, Pinned pinned, Tensor& out) {
  arange(int64_t{0}, end, int64_t{1}, dtype, pinned, out);
}
void arange(Scalar start, Scalar end, Type dtype, Pinned pinned, Tensor& out) {
  arange(start, end, int64_t{1}, dtype, pinned, out);
}

void linspace(Scalar start, Scalar end, int64_t steps, Type, Pinned, Tensor& out) {
  if (is_complex(out.dtype)) {
    const auto a = start.to<complex128>(), b = end.to<complex128>();
    return generate<complex128>(out, [=](int64_t i) {
      return complex128(point(a.real(), b.real(), steps, i), point(a.imag(), b.imag(), steps, i));
    });
  }
  const double a = start.to_double(), b = end.to_double();
  generate<double>(out, [=](int64_t i) { return point(a, b, steps, i); });
}

void logspace(Scalar start, Scalar end, int64_t steps, double base, Type, Pinned, Tensor& out) {
  const double a = start.to_double(), b = end.to_double();
  generate<double>(out, [=](int64_t i) { return std::pow(base, point(a, b, steps, i)); });
}

void eye(int64_t n, int64_t m, Type, Pinned, Tensor& out) {
  fill_zero(out);
  dispatch_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < std::min(n, m); ++i) out.data<T>()[i * m + i] = Scalar(1).to<T>();
  });
}
void eye(int64_t n, Type dtype, Pinned pinned, Tensor& out) { eye(n, n, dtype, pinned, out); }

void tril_indices(int64_t row, int64_t col, int64_t offset, Type, Pinned, Tensor& out) {
  write_indices(out, row, [=](int64_t r) {
    return std::pair(int64_t{0}, std::clamp<int64_t>(r + 1 + offset, 0, col));
  });
}
void triu_indices(int64_t row, int64_t col, int64_t offset, Type, Pinned, Tensor& out) {
  write_indices(out, row,
                [=](int64_t r) { return std::pair(std::clamp<int64_t>(r + offset, 0, col), col); });
}

}  // namespace rushlight::kernels::portable
