// Fourier transforms along any dimensions.
#include <cmath>

#include "ir/shape/fft_call.h"
#include "kernels/portable/fft.h"
#include "kernels/portable/fft_plan.h"
#include "kernels/portable/fill.h"
#include "kernels/portable/parts.h"
#include "kernels/portable/roll.h"

namespace rushlight::kernels::portable {
namespace {

using Text = std::optional<std::string_view>;
using Sizes = std::optional<IntList>;

// Transforms every row of a contiguous complex tensor along one dimension, in place.
template <class T>
void transform(const Tensor& t, int64_t dim, bool forward) {
  using Complex = std::complex<T>;
  const Split split(t.sizes, dim);
  const int64_t n = split.size;
  if (n == 1 || t.numel() == 0) return;
  const FftPlan<T> plan(n, forward);
  Complex* data = t.data<Complex>();
  const int64_t grain = kGrain / (8 * n) + 1;
  cpu::parallel_for(0, split.outer * split.inner, grain, [&](int64_t first, int64_t last) {
    std::vector<Complex> scratch(static_cast<size_t>(plan.scratch_size()));
    std::vector<Complex> row(static_cast<size_t>(split.inner == 1 ? 0 : n));
    for (int64_t r = first; r < last; ++r) {
      Complex* lane = data + r / split.inner * n * split.inner + r % split.inner;
      if (split.inner == 1) {
        plan.run(lane, scratch.data());
        continue;
      }
      for (int64_t k = 0; k < n; ++k) row[k] = lane[k * split.inner];
      plan.run(row.data(), scratch.data());
      for (int64_t k = 0; k < n; ++k) lane[k * split.inner] = row[k];
    }
  });
}

void transform(const Tensor& t, int64_t dim, bool forward) {
  t.dtype == DType::Complex64 ? transform<float>(t, dim, forward)
                              : transform<double>(t, dim, forward);
}

void scale(const Tensor& t, FftNorm norm, const Dims& lengths) {
  double n = 1;
  for (int64_t length : lengths) n *= static_cast<double>(length);
  if (norm == FftNorm::None || n == 1) return;
  const double factor = 1 / (norm == FftNorm::ByRoot ? std::sqrt(n) : n);
  const int64_t reals = t.numel() * (is_complex(t.dtype) ? 2 : 1);
  const bool single = t.dtype == DType::Complex64 || t.dtype == DType::Float32;
  const auto multiply = [&](auto* data, auto by) {
    cpu::parallel_for(0, reals, kGrain, [=](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) data[i] *= by;
    });
  };
  single ? multiply(t.data<float>(), static_cast<float>(factor))
         : multiply(t.data<double>(), factor);
}

// `self` as `dtype`, cut or padded with zeros to `call.lengths`.
Tensor resized(const Tensor& self, DType dtype, const FftCall& call) {
  Dims sizes = self.sizes;
  for (size_t i = 0; i < call.dims.size(); ++i) sizes[call.dims[i]] = call.lengths[i];
  Tensor out = Tensor::empty(sizes, dtype);
  Tensor from = self, to = out;
  bool grows = false;
  for (int64_t d : call.dims) {
    const int64_t length = std::min(self.sizes[d], sizes[d]);
    grows |= sizes[d] > self.sizes[d];
    from = narrowed(from, d, 0, length);
    to = narrowed(to, d, 0, length);
  }
  if (grows) fill_dense(out, 0);
  copy_strided(from, to);
  return out;
}

void complex_fft(const Tensor& self, const FftCall& call, FftNorm norm, bool forward, Tensor& out) {
  const Tensor work = resized(self, out.dtype, call);
  for (int64_t d : call.dims) transform(work, d, forward);
  scale(work, norm, call.lengths);
  copy_strided(work, out);
}

void real_fft(const Tensor& self, const FftCall& call, FftNorm norm, Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor work = resized(self, out.dtype, call);
  const int64_t last = call.dims.back();
  transform(work, last, true);
  // The other half mirrors this one, so the remaining dimensions are done on half the rows.
  const Tensor half = narrowed(work, last, 0, out.sizes[last]).contiguous();
  for (int64_t d : call.dims)
    if (d != last) transform(half, d, true);
  scale(half, norm, call.lengths);
  copy_strided(half, out);
}

void inverse_real_fft(const Tensor& self, const FftCall& call, FftNorm norm, Tensor& out) {
  const int64_t last = call.dims.back(), n = call.lengths.back();
  FftCall half = call;
  half.lengths[half.lengths.size() - 1] = n / 2 + 1;
  const Tensor work =
      resized(self, out.dtype == DType::Float64 ? DType::Complex128 : DType::Complex64, half);
  for (int64_t d : call.dims)
    if (d != last) transform(work, d, false);
  // The missing frequencies are the conjugates of those that are there.
  half.lengths[half.lengths.size() - 1] = n;
  const Tensor full = resized(work, work.dtype, FftCall{Dims{last}, Dims{n}});
  const Split split(full.sizes, last);
  const auto mirror = [&](auto* data) {
    for (int64_t o = 0; o < split.outer; ++o, data += n * split.inner)
      for (int64_t i = 0; i < split.inner; ++i) {
        data[i] = data[i].real();
        if (n % 2 == 0) data[n / 2 * split.inner + i] = data[n / 2 * split.inner + i].real();
        for (int64_t k = n / 2 + 1; k < n; ++k)
          data[k * split.inner + i] = std::conj(data[(n - k) * split.inner + i]);
      }
  };
  work.dtype == DType::Complex64 ? mirror(full.data<complex64>()) : mirror(full.data<complex128>());
  transform(full, last, false);
  scale(full, norm, call.lengths);
  copy_strided(full, out);  // a complex number gives its real part
}

Sizes one(const std::optional<int64_t>& n) { return n ? Sizes(IntList(&*n, 1)) : std::nullopt; }

FftCall real_call(const Tensor& self, Sizes s, Sizes dim) {
  FftCall call = fft_call(self, s, dim);
  set_real_length(self, s, call);
  return call;
}

}  // namespace

void fft_c2c(const Tensor& self, IntList dim, int64_t normalization, bool forward, Tensor& out) {
  complex_fft(self, fft_call(self, std::nullopt, dim), static_cast<FftNorm>(normalization), forward,
              out);
}
void fft_r2c(const Tensor& self, IntList dim, int64_t normalization, bool onesided, Tensor& out) {
  const FftCall call = fft_call(self, std::nullopt, dim);
  const auto norm = static_cast<FftNorm>(normalization);
  onesided ? real_fft(self, call, norm, out) : complex_fft(self, call, norm, true, out);
}
void fft_c2r(const Tensor& self, IntList dim, int64_t normalization, int64_t last_dim_size,
             Tensor& out) {
  FftCall call = fft_call(self, std::nullopt, dim);
  call.lengths.back() = last_dim_size;
  inverse_real_fft(self, call, static_cast<FftNorm>(normalization), out);
}

void fftn(const Tensor& self, Sizes s, Sizes dim, Text norm, Tensor& out) {
  complex_fft(self, fft_call(self, s, dim), fft_norm(norm, true), true, out);
}
void ifftn(const Tensor& self, Sizes s, Sizes dim, Text norm, Tensor& out) {
  complex_fft(self, fft_call(self, s, dim), fft_norm(norm, false), false, out);
}
void rfftn(const Tensor& self, Sizes s, Sizes dim, Text norm, Tensor& out) {
  real_fft(self, fft_call(self, s, dim), fft_norm(norm, true), out);
}
void irfftn(const Tensor& self, Sizes s, Sizes dim, Text norm, Tensor& out) {
  inverse_real_fft(self, real_call(self, s, dim), fft_norm(norm, false), out);
}

// The one- and two-dimensional forms differ only in how they name their dimensions.
#define RL_FFT_FORMS(name)                                                                       \
  void name(const Tensor& self, Sizes s, IntList dim, Text norm, Tensor& out) {                  \
    name(self, s, Sizes(dim), norm, out);                                                        \
  }                                                                                              \
  void name(const Tensor& self, std::optional<int64_t> n, int64_t dim, Text norm, Tensor& out) { \
    name(self, one(n), Sizes(IntList(&dim, 1)), norm, out);                                      \
  }
RL_FFT_FORMS(fftn)
RL_FFT_FORMS(ifftn)
RL_FFT_FORMS(rfftn)
RL_FFT_FORMS(irfftn)
#undef RL_FFT_FORMS

namespace {

// Half of every dimension, rounded down (or up, for the inverse).
void shift(const Tensor& self, Sizes dim, bool inverse, Tensor& out) {
  Dims dims, shifts;
  if (dim)
    dims = Dims(*dim);
  else
    for (int64_t d = 0; d < self.rank(); ++d) dims.push_back(d);
  for (int64_t d : dims) {
    const int64_t n = self.rank() > 0 ? self.size(d) : 1;
    shifts.push_back(inverse ? (n + 1) / 2 : n / 2);
  }
  if (dims.empty()) return copy_strided(self, out);
  roll(self, shifts, dims, out);
}

}  // namespace

void fft_fftshift(const Tensor& self, Sizes dim, Tensor& out) { shift(self, dim, false, out); }
void fft_ifftshift(const Tensor& self, Sizes dim, Tensor& out) { shift(self, dim, true, out); }

}  // namespace rushlight::kernels::portable
