// Running sums, products, extremes and differences along one dimension.
#include <cmath>

#include "kernels/portable/call.h"
#include "kernels/portable/joining.h"
#include "kernels/portable/order.h"

namespace rushlight::kernels::portable {
namespace {

// Lanes that lie side by side are scanned together, so that memory is read in order.
constexpr int64_t kLanes = 64;

// Calls body(offset of the first element, number of lanes) for blocks of neighbouring lanes of a
// contiguous tensor; the next element of a lane lies split.inner further.
template <class F>
void for_each_block(const Split& split, F&& body) {
  const int64_t blocks = (split.inner + kLanes - 1) / kLanes;
  const int64_t work = split.size * std::min(split.inner, kLanes);
  cpu::parallel_for(0, split.outer * blocks, kGrain / std::max<int64_t>(work, 1) + 1,
                    [&](int64_t first, int64_t last) {
                      for (int64_t b = first; b < last; ++b) {
                        const int64_t lane = b % blocks * kLanes;
                        body(b / blocks * split.size * split.inner + lane,
                             std::min(kLanes, split.inner - lane));
                      }
                    });
}

// float accumulates in double and half types in float, as PyTorch does.
template <class T>
using Accumulator =
    std::conditional_t<std::is_same_v<T, float>, double,
                       std::conditional_t<std::is_same_v<T, complex64>, complex128, Comparable<T>>>;

// step(running, element) gives the next running value; `start` stands before the first element.
template <class T, class Step>
void scan(const T* from, T* to, const Split& split, Accumulator<T> start, Step&& step) {
  using A = Accumulator<T>;
  for_each_block(split, [&](int64_t offset, int64_t lanes) {
    A running[kLanes];
    std::fill_n(running, lanes, start);
    for (int64_t k = 0; k < split.size; ++k, offset += split.inner)
      for (int64_t l = 0; l < lanes; ++l) {
        running[l] = step(running[l], static_cast<A>(from[offset + l]));
        to[offset + l] = static_cast<T>(running[l]);
      }
  });
}

template <bool product>
void cumulate(const Tensor& self, int64_t dim, Tensor& out) {
  if (self.numel() == 0) return;
  Tensor input = self;
  if (self.dtype != out.dtype) {
    input = Tensor::empty(self.sizes, out.dtype);
    copy_strided(self, input);
  }
  input = input.contiguous();
  const Split split(self.sizes, wrap_dim(dim, self.rank()));
  dispatch_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    using A = Accumulator<T>;
    scan(input.data<T>(), out.data<T>(), split, static_cast<A>(product ? 1 : 0), [](A a, A b) {
      if constexpr (std::is_same_v<T, bool>)
        return product ? a && b : a || b;
      else if constexpr (product)
        return static_cast<A>(a * b);
      else
        return static_cast<A>(a + b);
    });
  });
}

// Of equal values the later counts; a NaN stays.
template <bool largest>
void extremes(const Tensor& self, int64_t dim, Tensor& values, Tensor& indices) {
  if (self.numel() == 0) return;
  const Tensor input = self.contiguous();
  const Split split(self.sizes, wrap_dim(dim, self.rank()));
  dispatch_real(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    using C = Comparable<T>;
    const T* from = input.data<T>();
    T* to = values.data<T>();
    int64_t* at = indices.data<int64_t>();
    for_each_block(split, [&](int64_t offset, int64_t lanes) {
      for (int64_t k = 0; k < split.size; ++k, offset += split.inner)
        for (int64_t l = offset; l < offset + lanes; ++l) {
          const T v = from[l];
          const int64_t above = l - split.inner;
          const bool takes =
              k == 0 || is_nan(v) ||
              (!is_nan(to[above]) && (largest ? static_cast<C>(v) >= static_cast<C>(to[above])
                                              : static_cast<C>(v) <= static_cast<C>(to[above])));
          to[l] = takes ? v : to[above];
          at[l] = takes ? k : at[above];
        }
    });
  });
}

Tensor difference(const Tensor& t, int64_t dim) {
  const int64_t n = t.sizes[dim];
  const Tensor later = narrowed(t, dim, 1, n - 1).contiguous();
  Tensor earlier = narrowed(t, dim, 0, n - 1).clone();
  dispatch_dtype(t.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* a = later.data<T>();
    T* b = earlier.data<T>();
    cpu::parallel_for(0, later.numel(), kGrain, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        if constexpr (std::is_same_v<T, bool>)
          b[i] = a[i] != b[i];
        else
          b[i] = static_cast<T>(a[i] - b[i]);
      }
    });
  });
  return earlier;
}

}  // namespace

void cumsum(const Tensor& self, int64_t dim, std::optional<DType>, Tensor& out) {
  cumulate<false>(self, dim, out);
}
void cumprod(const Tensor& self, int64_t dim, std::optional<DType>, Tensor& out) {
  cumulate<true>(self, dim, out);
}
void cummax(const Tensor& self, int64_t dim, Tensor& values, Tensor& indices) {
  extremes<true>(self, dim, values, indices);
}
void cummin(const Tensor& self, int64_t dim, Tensor& values, Tensor& indices) {
  extremes<false>(self, dim, values, indices);
}

void logcumsumexp(const Tensor& self, int64_t dim, Tensor& out) {
  if (self.numel() == 0) return;
  const Tensor input = self.contiguous();
  const Split split(self.sizes, wrap_dim(dim, self.rank()));
  if (is_complex(self.dtype)) {  // the largest real part of a lane is taken out
    const int64_t d = self.rank() == 0 ? 0 : wrap_dim(dim, self.rank());
    const Tensor line = self.rank() == 0 ? call("unsqueeze", self, 0) : self;
    const Tensor largest = call("amax", call("real", line), Dims{d}, true);
    const Tensor sums = call("cumsum", call("exp", call("sub.Tensor", line, largest)), d);
    const Tensor result = call("add.Tensor", call("log", sums), largest);
    return copy_strided(call("reshape", result, IntList(out.sizes)), out);
  }
  const auto run = [&](auto zero) {
    using T = decltype(zero);
    using A = Accumulator<T>;
    // log(exp(a) + exp(b)) = max + log1p(exp(min - max)); equal infinities have no difference.
    scan(input.data<T>(), out.data<T>(), split, -std::numeric_limits<A>::infinity(), [](A a, A b) {
      if (a != a || b != b) return a + b;
      const A low = std::min(a, b), high = std::max(a, b);
      return low == high && std::isinf(low) ? high : high + std::log1p(std::exp(low - high));
    });
  };
  dispatch_real(out.dtype, [&](auto zero) {
    if constexpr (std::is_floating_point_v<Comparable<decltype(zero)>>) run(zero);
  });
}

void diff(const Tensor& self, int64_t n, int64_t dim, const Tensor* prepend, const Tensor* append,
          Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t at = wrap_dim(dim, self.rank());
  std::vector<const Tensor*> parts;
  int64_t length = 0;
  for (const Tensor* t : {prepend, &self, append}) {
    if (!t) continue;
    parts.push_back(t);
    length += t->sizes[at];
  }
  Dims sizes = self.sizes;
  sizes[at] = length;
  Tensor all = Tensor::empty(sizes, out.dtype);
  cat(parts, at, all);
  for (int64_t i = 0; i < n; ++i) all = difference(all, at);
  copy_strided(all, out);
}

// Powers 0, 1, 2, … of every element, or the other way round.
void vander(const Tensor& x, std::optional<int64_t>, bool increasing, Tensor& out) {
  const int64_t columns = out.sizes[1];
  Tensor base = Tensor::empty(x.sizes, out.dtype);
  copy_strided(x, base);
  dispatch_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, bool>) {
      using A = Accumulator<T>;
      for (int64_t r = 0; r < x.numel(); ++r) {
        const A b = static_cast<A>(base.data<T>()[r]);
        A power = static_cast<A>(1);
        for (int64_t c = 0; c < columns; ++c) {
          out.data<T>()[r * columns + (increasing ? c : columns - 1 - c)] = static_cast<T>(power);
          power = static_cast<A>(power * b);
        }
      }
    }
  });
}

}  // namespace rushlight::kernels::portable
