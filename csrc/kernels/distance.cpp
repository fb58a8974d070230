// Distances and similarities between vectors, and weight_norm.
#include <cmath>

#include "kernels/expanded.h"
#include "kernels/kernel.h"
#include "kernels/portable/call.h"
#include "kernels/reduce_ops.h"

namespace rushlight::kernels::RL_CPU {
namespace {

// The p-norm of a - b + eps over n contiguous elements.
template <class T>
T distance(const T* a, const T* b, int64_t n, double p, T eps) {
  if (p == 2) {
    typename Lanes<T>::type lanes{};
    T rest = 0;
    for_lanes<T>(n, [&](int64_t i, auto l) {
      using L = decltype(l);
      const auto d = L::load(a + i) - L::load(b + i) + eps;
      if constexpr (L::n == 1)
        rest += d * d;
      else
        lanes += d * d;
    });
    return std::sqrt(Lanes<T>::sum(lanes) + rest);
  }
  T total = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T d = std::abs(a[i] - b[i] + eps);
    if (p == 0)
      total += d != T(0);
    else if (p == 1)
      total += d;
    else if (std::isinf(p))
      total = p > 0 ? MaxOp<T>::combine(total, d) : i == 0 ? d : std::min(total, d);
    else
      total += std::pow(d, static_cast<T>(p));
  }
  return p == 0 || p == 1 || std::isinf(p) ? total : std::pow(total, static_cast<T>(1 / p));
}

template <class T>
void cosine_as(const Tensor& x1, const Tensor& x2, int64_t dim, double eps, Tensor& out) {
  const Dims sizes = broadcast(x1.sizes, x2.sizes);
  const auto d = static_cast<size_t>(wrap_dim(dim, static_cast<int64_t>(sizes.size())));
  int64_t outer = 1, n = 1, inner = 1;
  for (size_t i = 0; i < sizes.size(); ++i) (i < d ? outer : i == d ? n : inner) *= sizes[i];
  const Tensor a = expanded(x1, sizes, dtype_of<T>::value);
  const Tensor b = expanded(x2, sizes, dtype_of<T>::value);
  Result<T> result(out);
  T* const y = result.data();
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, n * inner));
  cpu::parallel_for(0, outer, grain, [&](int64_t first, int64_t last) {
    std::vector<T> aa(static_cast<size_t>(inner)), bb(aa), ab(aa);
    for (int64_t o = first; o < last; ++o) {
      for (auto* v : {&aa, &bb, &ab}) std::fill(v->begin(), v->end(), T(0));
      for (int64_t r = 0; r < n; ++r) {
        const T *p = a.data<T>() + (o * n + r) * inner, *q = b.data<T>() + (o * n + r) * inner;
        for (int64_t i = 0; i < inner; ++i) {
          aa[i] += p[i] * p[i];
          bb[i] += q[i] * q[i];
          ab[i] += p[i] * q[i];
        }
      }
      const T least = static_cast<T>(eps);
      for (int64_t i = 0; i < inner; ++i)
        y[o * inner + i] =
            ab[i] / (std::max(std::sqrt(aa[i]), least) * std::max(std::sqrt(bb[i]), least));
    }
  });
  result.store();
}

template <class T>
void cdist_as(const Tensor& x1, const Tensor& x2, double p, Tensor& out) {
  const size_t lead = out.sizes.size() - 2;
  const int64_t rows = out.sizes[lead], columns = out.sizes[lead + 1], width = x1.sizes.back();
  Dims a_sizes = out.sizes, b_sizes = out.sizes;
  a_sizes[lead + 1] = b_sizes[lead + 1] = width;
  b_sizes[lead] = columns;
  const Tensor a = expanded(x1, a_sizes, dtype_of<T>::value);
  const Tensor b = expanded(x2, b_sizes, dtype_of<T>::value);
  Result<T> result(out);
  T* const y = result.data();
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, columns * width));
  cpu::parallel_for(0, out.numel() / columns, grain, [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      const T* from = a.data<T>() + r * width;
      const T* to = b.data<T>() + r / rows * columns * width;
      for (int64_t c = 0; c < columns; ++c)
        y[r * columns + c] = distance(from, to + c * width, width, p, T(0));
    }
  });
  result.store();
}

template <class T>
void weight_norm_as(const Tensor& v, const Tensor& g, int64_t dim, Tensor& out, Tensor* norms) {
  const Tensor x = contiguous_as(v, dtype_of<T>::value);
  const Tensor scale = contiguous_as(g, dtype_of<T>::value);
  DimMask mask = reduced_dims(std::nullopt, x.rank());
  const bool whole = dim == -1;
  const auto d = whole ? size_t{0} : static_cast<size_t>(wrap_dim(dim, x.rank()));
  if (!whole) mask.reset(d);
  const int64_t groups = whole ? 1 : x.sizes[d];
  int64_t inner = 1;
  for (size_t i = d + 1; i < x.sizes.size(); ++i) inner *= x.sizes[i];
  if (whole) inner = x.numel();
  std::vector<WideSum<T>> squares(static_cast<size_t>(groups));
  reduce<SquareSumOp<T>>(x, mask, load_for(x.dtype, x.dtype), nullptr, squares.data());
  std::vector<T> ratio(squares.size());
  for (size_t i = 0; i < ratio.size(); ++i) {
    const T norm = static_cast<T>(std::sqrt(squares[i]));
    ratio[i] = scale.data<T>()[i] / norm;
    squares[i] = norm;
  }
  Result<T> result(out);
  const T* from = x.data<T>();
  T* to = result.data();
  for (int64_t p = 0; inner > 0 && p < x.numel() / inner; ++p) {
    const T r = ratio[static_cast<size_t>(p % groups)];
    for (int64_t i = 0; i < inner; ++i) to[p * inner + i] = from[p * inner + i] * r;
  }
  result.store();
  if (!norms) return;
  Result<T> kept(*norms);
  std::copy(squares.begin(), squares.end(), kept.data());
  kept.store();
}

}  // namespace

void cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps, Tensor& out) {
  dispatch_float(out.dtype, [&](auto t) { cosine_as<decltype(t)>(x1, x2, dim, eps, out); });
}

void pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool,
                       Tensor& out) {
  if (is_complex(x1.dtype) || is_complex(x2.dtype)) {
    using portable::call;
    const Tensor gap = call("add.Scalar", call("sub.Tensor", x1, x2), Scalar(eps));
    const Tensor norm = call("linalg_vector_norm", gap, Scalar(p), Dims{-1});
    return copy_strided(call("reshape", norm, IntList(out.sizes)), out);
  }
  dispatch_float(out.dtype, [&](auto t) {
    using T = decltype(t);
    const Dims sizes = broadcast(x1.sizes, x2.sizes);
    const Tensor a = expanded(x1, sizes, dtype_of<T>::value);
    const Tensor b = expanded(x2, sizes, dtype_of<T>::value);
    const int64_t n = sizes.empty() ? 1 : sizes.back();
    Result<T> result(out);
    for (int64_t i = 0; i < out.numel(); ++i)
      result.data()[i] =
          distance(a.data<T>() + i * n, b.data<T>() + i * n, n, p, static_cast<T>(eps));
    result.store();
  });
}

void cdist(const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t>, Tensor& out) {
  if (out.numel() == 0) return;
  dispatch_float(out.dtype, [&](auto t) { cdist_as<decltype(t)>(x1, x2, p, out); });
}

void weight_norm(const Tensor& v, const Tensor& g, int64_t dim, Tensor& out) {
  dispatch_float(v.dtype, [&](auto t) { weight_norm_as<decltype(t)>(v, g, dim, out, nullptr); });
}
void weight_norm(const Tensor& v, const Tensor& g, int64_t dim, Tensor& out, Tensor& norms) {
  dispatch_float(v.dtype, [&](auto t) { weight_norm_as<decltype(t)>(v, g, dim, out, &norms); });
}

}  // namespace rushlight::kernels::RL_CPU
