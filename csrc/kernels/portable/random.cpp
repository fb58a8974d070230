// Random tensors. Element i of a call depends on the generator's state and i alone, so the numbers
// are the same for any number of threads; they are not PyTorch's numbers.
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/generator.h"
#include "kernels/kernel.h"
#include "kernels/portable/order.h"

namespace rushlight::kernels::portable {
namespace {

using Type = std::optional<DType>;
using Pinned = std::optional<bool>;
using Format = std::optional<MemoryFormat>;

// Bits of the mantissa, so that rounding never turns a number below 1 into 1.
int mantissa_bits(DType t) {
  return t == DType::Float16 ? 11 : t == DType::BFloat16 ? 8 : t == DType::Float32 ? 24 : 53;
}

// Uniform in [0, 1).
double uniform_from(uint64_t word, int bits) {
  return static_cast<double>(word >> (64 - bits)) / static_cast<double>(uint64_t{1} << bits);
}

// Uniform in [0, range).
uint64_t below(uint64_t word, uint64_t range) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(word) * range >> 64);
}

template <class T, class V>
T converted(V v) {
  if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
    return T(static_cast<typename T::value_type>(v));
  else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return T(static_cast<float>(v));
  else
    return static_cast<T>(v);
}

// Elements 2 p and 2 p + 1 of `out` become pair(p, words 2 p and 2 p + 1 of the stream). Threaded;
// the memory of `out` is dense.
template <class F>
void draw_pairs(Tensor& out, F&& pair) {
  const int64_t n = out.numel();
  const RandomStream stream = default_generator().reserve(n);
  dispatch_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* data = out.data<T>();
    cpu::parallel_for(0, (n + 1) / 2, kGrain / 16, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) {
        const auto [a, b] = pair(p, stream.words(p));
        data[2 * p] = converted<T>(a);
        if (2 * p + 1 < n) data[2 * p + 1] = converted<T>(b);
      }
    });
  });
}

// out[i] = value(word i of the stream, i).
template <class F>
void draw(Tensor& out, F&& value) {
  const int64_t last = out.numel() - 1;
  draw_pairs(out, [&](int64_t p, std::pair<uint64_t, uint64_t> words) {
    return std::pair(value(words.first, 2 * p), value(words.second, std::min(2 * p + 1, last)));
  });
}

// The memory of a complex tensor as real numbers.
Tensor parts_of(Tensor& out) {
  TensorMeta parts;
  parts.set(real_type(out.dtype), Dims{out.numel(), 2});
  return out.view(parts);
}

void draw_uniform(Tensor& out, double from, double to) {
  if (is_complex(out.dtype)) {
    Tensor parts = parts_of(out);
    return draw_uniform(parts, from, to);
  }
  const int bits = mantissa_bits(out.dtype);
  draw(out, [=](uint64_t word, int64_t) { return from + (to - from) * uniform_from(word, bits); });
}

// Box and Muller: two uniform numbers make two normal ones.
void draw_normal(Tensor& out, double mean, double std) {
  if (is_complex(out.dtype)) {
    // Real and imaginary part share the variance.
    Tensor pairs = parts_of(out);
    draw_normal(pairs, 0, std / std::numbers::sqrt2);
    for (int64_t i = 0; mean != 0 && i < out.numel(); ++i) {
      if (out.dtype == DType::Complex64)
        out.data<complex64>()[i] += static_cast<float>(mean);
      else
        out.data<complex128>()[i] += mean;
    }
    return;
  }
  RL_CHECK(std >= 0, Runtime, "normal expects std >= 0.0, but found std ", std);
  RL_CHECK(is_floating(out.dtype), Runtime, "normal: expected a floating-point dtype, got ",
           dtype_name(out.dtype));
  draw_pairs(out, [=](int64_t, std::pair<uint64_t, uint64_t> words) {
    const double radius = std * std::sqrt(-2 * std::log1p(-uniform_from(words.first, 53)));
    const double angle = 2 * std::numbers::pi * uniform_from(words.second, 53);
    return std::pair(mean + radius * std::cos(angle), mean + radius * std::sin(angle));
  });
}

void draw_integers(Tensor& out, int64_t low, int64_t high) {
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  draw(out, [=](uint64_t word, int64_t) {
    return static_cast<int64_t>(static_cast<uint64_t>(low) + below(word, range));
  });
}

Tensor as_double(const Tensor& t) {
  Tensor out = Tensor::empty(t.sizes, DType::Float64);
  copy_strided(t, out);
  return out;
}

void draw_bernoulli(const Tensor& p, Tensor& out) {
  const Tensor probabilities = as_double(p);
  const double* chance = probabilities.data<double>();
  for (int64_t i = 0; i < p.numel(); ++i)
    RL_CHECK(chance[i] >= 0 && chance[i] <= 1, Runtime,
             "Expected p_in >= 0 && p_in <= 1 to be true, but got p = ", chance[i]);
  draw(out, [=](uint64_t word, int64_t i) { return uniform_from(word, 53) < chance[i]; });
}

}  // namespace

void rand(IntList, Type, Pinned, Tensor& out) { draw_uniform(out, 0, 1); }
void randn(IntList, Type, Pinned, Tensor& out) { draw_normal(out, 0, 1); }
void rand_like(const Tensor&, Type, Pinned, Format, Tensor& out) { draw_uniform(out, 0, 1); }
void randn_like(const Tensor&, Type, Pinned, Format, Tensor& out) { draw_normal(out, 0, 1); }
void randint(int64_t low, int64_t high, IntList, Type, Pinned, Tensor& out) {
  draw_integers(out, low, high);
}
void randint(int64_t high, IntList, Type, Pinned, Tensor& out) { draw_integers(out, 0, high); }
void randint_like(const Tensor&, int64_t low, int64_t high, Type, Pinned, Format, Tensor& out) {
  draw_integers(out, low, high);
}
void randint_like(const Tensor&, int64_t high, Type, Pinned, Format, Tensor& out) {
  draw_integers(out, 0, high);
}

// Fisher and Yates.
void randperm(int64_t n, Type, Pinned, Tensor& out) {
  const RandomStream stream = default_generator().reserve(n);
  Tensor order = Tensor::empty(Dims{n}, DType::Int64);
  int64_t* data = order.data<int64_t>();
  std::iota(data, data + n, int64_t{0});
  for (int64_t i = n - 1; i > 0; --i)
    std::swap(data[i], data[below(stream.word(i), static_cast<uint64_t>(i) + 1)]);
  copy_strided(order, out);
}

void uniform(const Tensor&, double from, double to, Tensor& out) {
  RL_CHECK(from <= to, Runtime,
           "uniform_ expects to return a [from, to) range, but found from=", from, " > to=", to);
  draw_uniform(out, from, to);
}
void normal(const Tensor&, double mean, double std, Tensor& out) { draw_normal(out, mean, std); }
void exponential(const Tensor&, double lambd, Tensor& out) {
  RL_CHECK(lambd > 0, Runtime, "exponential_ expects lambda > 0.0, but found lambda=", lambd);
  draw(out, [=](uint64_t word, int64_t) { return -std::log1p(-uniform_from(word, 53)) / lambd; });
}

void bernoulli(const Tensor& self, Tensor& out) {
  RL_CHECK(is_floating(self.dtype), Runtime, "bernoulli: expected a floating-point tensor, got ",
           dtype_name(self.dtype));
  draw_bernoulli(self, out);
}
void bernoulli(const Tensor&, double p, Tensor& out) {
  draw(out, [=](uint64_t word, int64_t) { return uniform_from(word, 53) < p; });
}
void bernoulli(const Tensor& self, const Tensor& p, Tensor& out) {
  draw_bernoulli(expanded(p, self.sizes), out);
}

void multinomial(const Tensor& self, int64_t num_samples, bool replacement, Tensor& out) {
  const Tensor weights = as_double(self);
  const int64_t n = self.sizes.back(), rows = n > 0 ? self.numel() / n : 0;
  const RandomStream stream = default_generator().reserve(rows * std::max(n, num_samples));
  std::vector<double> running(static_cast<size_t>(n));
  std::vector<std::pair<double, int64_t>> keys(static_cast<size_t>(n));
  for (int64_t r = 0; r < rows; ++r) {
    const double* p = weights.data<double>() + r * n;
    double total = 0;
    for (int64_t i = 0; i < n; ++i) {
      RL_CHECK(p[i] >= 0 && std::isfinite(p[i]), Runtime,
               "probability tensor contains either `inf`, `nan` or element < 0");
      running[i] = total += p[i];
    }
    RL_CHECK(total > 0, Runtime, "invalid multinomial distribution (sum of probabilities <= 0)");
    int64_t* to = out.data<int64_t>() + r * num_samples;
    if (replacement) {
      for (int64_t k = 0; k < num_samples; ++k) {
        const double at = uniform_from(stream.word(r * num_samples + k), 53) * total;
        // The first element whose running sum lies beyond `at` has a positive probability.
        to[k] = std::upper_bound(running.begin(), running.end(), at) - running.begin();
      }
      continue;
    }
    // The num_samples earliest of exponential waiting times with rates p.
    for (int64_t i = 0; i < n; ++i)
      keys[i] = {-std::log1p(-uniform_from(stream.word(r * n + i), 53)) / p[i], i};
    std::partial_sort(keys.begin(), keys.begin() + num_samples, keys.end());
    for (int64_t k = 0; k < num_samples; ++k) to[k] = keys[k].second;
  }
}

}  // namespace rushlight::kernels::portable
