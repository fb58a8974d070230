// Short-time Fourier transforms: overlapping frames of a signal, each under a window.
#include <cmath>

#include "kernels/portable/fft.h"
#include "kernels/portable/fill.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

// The window as complex numbers of `dtype`'s width, centred in n_fft elements.
Tensor full_window(const Tensor* window, int64_t win_length, int64_t n_fft, DType dtype) {
  Tensor out = Tensor::empty(Dims{n_fft}, dtype);
  fill_dense(out, 0);
  Tensor middle = narrowed(out, 0, (n_fft - win_length) / 2, win_length);
  if (window) {
    copy_strided(*window, middle);
  } else {
    Tensor one = Tensor::empty({}, dtype);
    fill_dense(one, 1);
    copy_strided(expanded(one, middle.sizes), middle);
  }
  return out;
}

// rows[r, k] *= window[k], on contiguous complex tensors.
template <class T>
void multiply_rows(const Tensor& rows, const Tensor& window) {
  const int64_t n = window.numel();
  const auto* w = window.data<std::complex<T>>();
  auto* data = rows.data<std::complex<T>>();
  cpu::parallel_for(0, rows.numel() / n, kGrain / n + 1, [=](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r)
      for (int64_t k = 0; k < n; ++k) data[r * n + k] *= w[k];
  });
}

void multiply_rows(const Tensor& rows, const Tensor& window) {
  rows.dtype == DType::Complex64 ? multiply_rows<float>(rows, window)
                                 : multiply_rows<double>(rows, window);
}

Tensor transposed(const Tensor& t) {
  TensorMeta meta = t;
  std::swap(meta.sizes[t.rank() - 1], meta.sizes[t.rank() - 2]);
  std::swap(meta.strides[t.rank() - 1], meta.strides[t.rank() - 2]);
  return t.view(meta);
}

Tensor batched(const Tensor& t, int64_t rank) {
  if (t.rank() == rank) return t;
  Dims sizes = t.sizes, strides = t.strides;
  sizes.insert(0, 1);
  strides.insert(0, 0);
  return restrided(t, sizes, strides);
}

// Adds frames at their places and divides by the sum of the squared windows there.
template <class T>
void overlap_add(const Tensor& frames, const Tensor& window, int64_t hop, int64_t start,
                 const Tensor& out) {
  using Complex = std::complex<T>;
  const int64_t batch = frames.sizes[0], count = frames.sizes[1], n = frames.sizes[2];
  const int64_t whole = n + hop * (count - 1), kept = out.sizes[1];
  const auto* w = window.data<Complex>();
  std::vector<T> envelope(static_cast<size_t>(whole));
  for (int64_t f = 0; f < count; ++f)
    for (int64_t k = 0; k < n; ++k) envelope[f * hop + k] += std::norm(w[k]);
  for (int64_t i = start; i < std::min(whole, start + kept); ++i)
    RL_CHECK(envelope[i] > T(1e-11), Runtime, "istft: the windows do not cover sample ", i);
  cpu::parallel_for(0, batch, 1, [&](int64_t first, int64_t last) {
    std::vector<Complex> sum(static_cast<size_t>(whole));
    for (int64_t b = first; b < last; ++b) {
      std::fill(sum.begin(), sum.end(), Complex{});
      const auto* frame = frames.data<Complex>() + b * count * n;
      for (int64_t f = 0; f < count; ++f)
        for (int64_t k = 0; k < n; ++k) sum[f * hop + k] += frame[f * n + k];
      auto* to = out.data<Complex>() + b * kept;
      for (int64_t i = 0; i < kept; ++i)
        to[i] = start + i < whole ? sum[start + i] / envelope[start + i] : Complex{};
    }
  });
}

}  // namespace

void stft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length,
          std::optional<int64_t> win_length, const Tensor* window, bool normalized,
          std::optional<bool>, std::optional<bool>, std::optional<bool>, Tensor& out) {
  const bool pairs = !is_complex(out.dtype);  // real and imaginary parts side by side
  const DType type =
      pairs ? (out.dtype == DType::Float64 ? DType::Complex128 : DType::Complex64) : out.dtype;
  const Tensor signal = batched(self, 2);
  const int64_t hop = hop_length.value_or(n_fft / 4);
  const int64_t count = (signal.sizes[1] - n_fft) / hop + 1, stride = signal.strides[1];
  const Dims sizes{signal.sizes[0], count, n_fft};
  Tensor frames = Tensor::empty(sizes, type);
  copy_strided(restrided(signal, sizes, Dims{signal.strides[0], hop * stride, stride}), frames);
  multiply_rows(frames, full_window(window, win_length.value_or(n_fft), n_fft, type));
  Tensor spectrum = Tensor::empty(sizes, type);
  fft_c2c(frames, Dims{2}, normalized ? 1 : 0, true, spectrum);

  TensorMeta view = out;
  if (pairs) view.set(type, IntList(out.sizes).first(out.sizes.size() - 1));
  const Tensor target = batched(out.view(view), 3);
  copy_strided(narrowed(transposed(spectrum), 1, 0, target.sizes[1]), target);
}

void istft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length,
           std::optional<int64_t> win_length, const Tensor* window, bool center, bool normalized,
           std::optional<bool> onesided, std::optional<int64_t>, bool return_complex, Tensor& out) {
  Tensor spectrum = transposed(batched(self, 3));
  bool half = onesided.value_or(spectrum.sizes[2] != n_fft);
  if (!half && !return_complex) {  // a real signal follows from one half
    spectrum = narrowed(spectrum, 2, 0, n_fft / 2 + 1);
    half = true;
  }
  const int64_t norm = normalized ? 1 : 2;
  const Dims sizes{spectrum.sizes[0], spectrum.sizes[1], n_fft};
  Tensor frames = Tensor::empty(sizes, self.dtype);
  if (half) {
    Tensor real = Tensor::empty(sizes, real_type(self.dtype));
    fft_c2r(spectrum, Dims{2}, norm, n_fft, real);
    copy_strided(real, frames);
  } else {
    fft_c2c(spectrum, Dims{2}, norm, false, frames);
  }
  const Tensor w = full_window(window, win_length.value_or(n_fft), n_fft, self.dtype);
  multiply_rows(frames, w);
  Tensor sum = Tensor::empty(Dims{sizes[0], out.sizes.back()}, self.dtype);
  const int64_t hop = hop_length.value_or(n_fft / 4), start = center ? n_fft / 2 : 0;
  self.dtype == DType::Complex64 ? overlap_add<float>(frames, w, hop, start, sum)
                                 : overlap_add<double>(frames, w, hop, start, sum);
  copy_strided(sum, batched(out, 2));
}

}  // namespace rushlight::kernels::portable
