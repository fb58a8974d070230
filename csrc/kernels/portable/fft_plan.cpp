#include "kernels/portable/fft_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace rushlight::kernels::portable {
namespace {

constexpr int64_t kLargestRadix = 13;

// Without the checks for infinities that operator* makes.
template <class T>
inline std::complex<T> times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// exp(sign 2 pi i k / n), with the angle reduced before it is rounded.
template <class T>
std::complex<T> root(int64_t k, int64_t n, bool forward) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
  return {static_cast<T>(std::cos(angle)),
          static_cast<T>(forward ? -std::sin(angle) : std::sin(angle))};
}

// The factors of n, largest useful first; empty when a prime factor is too large.
std::vector<int64_t> factors(int64_t n) {
  std::vector<int64_t> radices;
  for (int64_t r : {4, 2, 3, 5, 7, 11, 13})
    for (; n % r == 0; n /= r) radices.push_back(r);
  if (n > 1) radices.clear();
  return radices;
}

}  // namespace

template <class T>
FftPlan<T>::FftPlan(int64_t n, bool forward) : n_(n) {
  if (n <= 1) return;
  const std::vector<int64_t> radices = factors(n);
  int64_t length = n;
  for (int64_t r : radices) {
    Pass pass{r, length, {}, {}};
    for (int64_t p = 0; p < length / r; ++p)
      for (int64_t u = 0; u < r; ++u) pass.twiddles.push_back(root<T>(p * u, length, forward));
    for (int64_t u = 0; u < r; ++u) pass.roots.push_back(root<T>(u, r, forward));
    passes_.push_back(std::move(pass));
    length /= r;
  }
  if (!radices.empty()) return;

  auto b = std::make_unique<Bluestein>();
  b->length = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * n - 1)));
  b->forward = std::make_unique<FftPlan>(b->length, true);
  b->backward = std::make_unique<FftPlan>(b->length, false);
  b->spectrum.assign(static_cast<size_t>(b->length), Complex{});
  for (int64_t k = 0; k < n; ++k) {
    // k * k modulo 2n keeps the angle exact; lengths stay far below 2^31.
    b->chirp.push_back(root<T>(k * k % (2 * n), 2 * n, forward));
    const Complex c = std::conj(b->chirp.back()) / static_cast<T>(b->length);
    b->spectrum[k] = c;
    if (k > 0) b->spectrum[b->length - k] = c;
  }
  std::vector<Complex> scratch(static_cast<size_t>(b->length));
  b->forward->run(b->spectrum.data(), scratch.data());
  bluestein_ = std::move(b);
}

template <class T>
void FftPlan<T>::run(Complex* row, Complex* scratch) const {
  bluestein_ ? run_bluestein(row, scratch) : run_passes(row, scratch);
}

// Stockham: a pass of radix r over sequences of length n at distance s leaves r times as many
// sequences of length n / r, in order, so no bit reversal is needed.
template <class T>
void FftPlan<T>::run_passes(Complex* row, Complex* scratch) const {
  Complex *x = row, *y = scratch;
  int64_t s = 1;
  for (const Pass& pass : passes_) {
    const int64_t r = pass.radix, m = pass.length / r;
    for (int64_t p = 0; p < m; ++p) {
      const Complex* w = pass.twiddles.data() + p * r;
      const Complex* from = x + s * p;
      Complex* to = y + s * r * p;
      if (r == 2) {
        for (int64_t q = 0; q < s; ++q) {
          const Complex a = from[q], b = from[q + s * m];
          to[q] = a + b;
          to[q + s] = times(a - b, w[1]);
        }
      } else if (r == 4) {
        const T turn = pass.roots[1].imag();  // -1 forward, 1 backward
        for (int64_t q = 0; q < s; ++q) {
          const Complex a = from[q], b = from[q + s * m], c = from[q + 2 * s * m];
          const Complex d = from[q + 3 * s * m];
          const Complex ac = a + c, bd = b + d, a_c = a - c, b_d = b - d;
          const Complex turned{-turn * b_d.imag(), turn * b_d.real()};
          to[q] = ac + bd;
          to[q + s] = times(a_c + turned, w[1]);
          to[q + 2 * s] = times(ac - bd, w[2]);
          to[q + 3 * s] = times(a_c - turned, w[3]);
        }
      } else {
        for (int64_t q = 0; q < s; ++q) {
          Complex a[kLargestRadix];
          for (int64_t t = 0; t < r; ++t) a[t] = from[q + t * s * m];
          for (int64_t u = 0; u < r; ++u) {
            Complex sum = a[0];
            for (int64_t t = 1; t < r; ++t) sum += times(a[t], pass.roots[t * u % r]);
            to[q + u * s] = times(sum, w[u]);
          }
        }
      }
    }
    std::swap(x, y);
    s *= r;
  }
  if (x != row) std::copy(x, x + n_, row);
}

// n k = (n^2 + k^2 - (n - k)^2) / 2 makes the transform a convolution with a chirp.
template <class T>
void FftPlan<T>::run_bluestein(Complex* row, Complex* scratch) const {
  const Bluestein& b = *bluestein_;
  Complex *padded = scratch, *work = scratch + b.length;
  for (int64_t k = 0; k < n_; ++k) padded[k] = times(row[k], b.chirp[k]);
  std::fill(padded + n_, padded + b.length, Complex{});
  b.forward->run(padded, work);
  for (int64_t k = 0; k < b.length; ++k) padded[k] = times(padded[k], b.spectrum[k]);
  b.backward->run(padded, work);
  for (int64_t k = 0; k < n_; ++k) row[k] = times(padded[k], b.chirp[k]);
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace rushlight::kernels::portable
