// softmax and log_softmax: rows in three passes over the cache, columns a tile at a time.
#include <cmath>

#include "kernels/compute.h"
#include "kernels/kernel.h"
#include "kernels/lanes_math.h"
#include "kernels/portable/call.h"
#include "kernels/reduce_ops.h"
#include "kernels/softmax_row.h"

namespace rushlight::kernels::RL_CPU {
namespace {

enum class Form { Softmax, LogSoftmax, SafeSoftmax };

template <class T, Form form>
void softmax_row(const T* x, T* out, int64_t n) {
  const T largest = reduction::row<MaxOp<T>>(x, n, T(0));
  if constexpr (form == Form::LogSoftmax) {
    const T shift = largest + std::log(exp_row<T>(x, nullptr, n, largest));
    for (int64_t i = 0; i < n; ++i) out[i] = x[i] - shift;
    return;
  }
  if (form == Form::SafeSoftmax && largest == -std::numeric_limits<T>::infinity()) {
    std::fill(out, out + n, T(0));
    return;
  }
  const T scale = T(1) / exp_row(x, out, n, largest);
  for (int64_t i = 0; i < n; ++i) out[i] *= scale;
}

// The softmax of each of `width` neighbouring columns of [n, stride].
template <class T, Form form>
void softmax_columns(const T* x, T* out, int64_t n, int64_t stride, int64_t width) {
  constexpr int64_t kMax = 128;
  alignas(64) T largest[kMax], sum[kMax];
  std::copy(x, x + width, largest);
  std::fill(sum, sum + width, T(0));
  for (int64_t r = 1; r < n; ++r)
    for_lanes<T>(width, [&](int64_t j, auto l) {
      using L = decltype(l);
      const auto v = L::load(x + r * stride + j), m = L::load(largest + j);
      L::store(largest + j, MaxOp<T>::combine(m, v));
    });
  for (int64_t r = 0; r < n; ++r) {
    alignas(64) T e[kMax];
    for (int64_t j = 0; j < width; ++j) e[j] = x[r * stride + j] - largest[j];
    for (int64_t j = 0; j < width; j += Lanes<T>::n)
      Lanes<T>::store(e + j, lane_exp<T>(Lanes<T>::load(e + j)));
    for (int64_t j = 0; j < width; ++j) sum[j] += e[j];
    if (form != Form::LogSoftmax) std::copy(e, e + width, out + r * stride);
  }
  for (int64_t j = 0; j < width; ++j)
    sum[j] = form == Form::LogSoftmax ? largest[j] + std::log(sum[j]) : T(1) / sum[j];
  if (form == Form::SafeSoftmax)
    for (int64_t j = 0; j < width; ++j)
      if (largest[j] == -std::numeric_limits<T>::infinity()) {
        for (int64_t r = 0; r < n; ++r) out[r * stride + j] = 0;
        sum[j] = 0;
      }
  for (int64_t r = 0; r < n; ++r) {
    const T* from = x + r * stride;
    T* to = out + r * stride;
    for (int64_t j = 0; j < width; ++j)
      to[j] = form == Form::LogSoftmax ? from[j] - sum[j] : to[j] * sum[j];
  }
}

template <class T, Form form>
void softmax_as(const Tensor& self, int64_t dim, Tensor& out) {
  const auto d = static_cast<size_t>(wrap_dim(dim, self.rank()));
  int64_t outer = 1, n = 1, inner = 1;
  for (size_t i = 0; i < self.sizes.size(); ++i)
    (i < d ? outer : i == d ? n : inner) *= self.sizes[i];
  const Tensor input = contiguous_as(self, dtype_of<T>::value);
  const T* x = input.data<T>();
  Result<T> result(out);
  T* y = result.data();
  if (inner == 1) {
    cpu::parallel_for(0, outer, std::max<int64_t>(1, kGrain / 4 / n),
                      [&](int64_t first, int64_t last) {
                        for (int64_t i = first; i < last; ++i)
                          softmax_row<T, form>(x + i * n, y + i * n, n);
                      });
  } else {
    constexpr int64_t kWidth = 128;
    const int64_t tiles = (inner + kWidth - 1) / kWidth;
    const int64_t grain = std::max<int64_t>(1, kGrain / 4 / (n * std::min(inner, kWidth)));
    cpu::parallel_for(0, outer * tiles, grain, [&](int64_t first, int64_t last) {
      for (int64_t job = first; job < last; ++job) {
        const int64_t column = job % tiles * kWidth, at = job / tiles * n * inner + column;
        softmax_columns<T, form>(x + at, y + at, n, inner, std::min(kWidth, inner - column));
      }
    });
  }
  result.store();
}

template <Form form>
void softmax_into(const Tensor& self, int64_t dim, Tensor& out) {
  if (out.numel() == 0) return;
  dispatch_float(out.dtype, [&](auto t) { softmax_as<decltype(t), form>(self, dim, out); });
}

// e^(x - shift): the middle of logsumexp.
template <class T>
struct ExpSumOp : SumOp<T> {
  template <class V>
  static V map(V x, V shift) {
    if constexpr (std::is_same_v<V, T>)
      return std::exp(x - shift);
    else
      return lane_exp<T>(x - shift);
  }
};

template <class T>
void logsumexp_as(const Tensor& self, const DimMask& mask, Tensor& out) {
  const Load load = load_for(self.dtype, dtype_of<T>::value);
  const auto n = static_cast<size_t>(out.numel());
  std::vector<T> largest(n);
  std::vector<WideSum<T>> sum(n);
  reduce<MaxOp<T>>(self, mask, load, nullptr, largest.data());
  for (T& m : largest)
    if (std::isinf(m)) m = 0;
  reduce<ExpSumOp<T>>(self, mask, load, largest.data(), sum.data());
  Result<T> result(out);
  for (size_t i = 0; i < n; ++i) result.data()[i] = static_cast<T>(std::log(sum[i]) + largest[i]);
  result.store();
}

}  // namespace

void softmax(const Tensor& self, int64_t dim, std::optional<DType>, Tensor& out) {
  softmax_into<Form::Softmax>(self, dim, out);
}
void softmax(const Tensor& self, int64_t dim, bool, Tensor& out) {
  softmax_into<Form::Softmax>(self, dim, out);
}
void safe_softmax(const Tensor& self, int64_t dim, std::optional<DType>, Tensor& out) {
  softmax_into<Form::SafeSoftmax>(self, dim, out);
}
void log_softmax(const Tensor& self, int64_t dim, std::optional<DType>, Tensor& out) {
  softmax_into<Form::LogSoftmax>(self, dim, out);
}
void log_softmax(const Tensor& self, int64_t dim, bool, Tensor& out) {
  softmax_into<Form::LogSoftmax>(self, dim, out);
}
void logsumexp(const Tensor& self, IntList dim, bool, Tensor& out) {
  if (is_complex(self.dtype)) {
    using portable::call;
    Tensor largest = call("amax", call("real", self), dim, true);
    largest = call("where.self", call("isfinite", largest), largest, call("zeros_like", largest));
    const Tensor sum =
        call("sum.dim_IntList", call("exp", call("sub.Tensor", self, largest)), dim, true);
    const Tensor result = call("add.Tensor", call("log", sum), largest);
    return copy_strided(call("reshape", result, IntList(out.sizes)), out);
  }
  const DimMask mask = reduced_dims(dim, self.rank());
  dispatch_float(out.dtype, [&](auto t) { logsumexp_as<decltype(t)>(self, mask, out); });
}

}  // namespace rushlight::kernels::RL_CPU
