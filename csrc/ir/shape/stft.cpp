// Sizes of short-time Fourier transforms.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

void check_window(const TensorMeta* window, int64_t win_length, int64_t n_fft,
                  std::string_view name) {
  RL_CHECK(win_length > 0 && win_length <= n_fft, Runtime, name,
           ": expected 0 < win_length <= n_fft, but got win_length=", win_length,
           " and n_fft=", n_fft);
  RL_CHECK(!window || (window->rank() == 1 && window->sizes[0] == win_length), Runtime, name,
           ": expected a 1D window tensor of size equal to win_length=", win_length,
           ", but got window with size ", window ? window->sizes : Dims{});
}

}  // namespace

void stft(const TensorMeta& self, int64_t n_fft, std::optional<int64_t> hop_length,
          std::optional<int64_t> win_length, const TensorMeta* window, bool,
          std::optional<bool> onesided, std::optional<bool> return_complex, std::optional<bool>,
          TensorMeta& out) {
  RL_CHECK(self.rank() == 1 || self.rank() == 2, Runtime,
           "stft: expected a 1D or 2D tensor, but got ", describe(self));
  RL_CHECK(is_floating(self.dtype) || is_complex(self.dtype), Runtime,
           "stft: expected a tensor of floating point or complex values");
  const bool complex = is_complex(self.dtype) || (window && is_complex(window->dtype));
  const int64_t length = self.sizes.back(), hop = hop_length.value_or(n_fft / 4);
  RL_CHECK(n_fft > 0 && n_fft <= length, Runtime, "stft: expected 0 < n_fft <= ", length,
           ", but got n_fft=", n_fft);
  RL_CHECK(hop > 0, Runtime, "stft: expected hop_length > 0, but got hop_length=", hop);
  check_window(window, win_length.value_or(n_fft), n_fft, "stft");
  const bool half = onesided.value_or(!complex);
  RL_CHECK(!half || !complex, Runtime, "Cannot have onesided output if window or input is complex");
  RL_CHECK(return_complex || complex, Runtime,
           "stft requires the return_complex parameter be given for real inputs, and will further "
           "require that return_complex=True in a future PyTorch release.");
  Dims sizes;
  if (self.rank() == 2) sizes.push_back(self.sizes[0]);
  sizes.push_back(half ? n_fft / 2 + 1 : n_fft);
  sizes.push_back((length - n_fft) / hop + 1);
  const DType wide = rules::to_complex(self.dtype);
  if (return_complex.value_or(true)) return out.set(wide, sizes);
  sizes.push_back(2);
  out.set(real_type(wide), sizes);
}

void istft(const TensorMeta& self, int64_t n_fft, std::optional<int64_t> hop_length,
           std::optional<int64_t> win_length, const TensorMeta* window, bool center, bool,
           std::optional<bool> onesided, std::optional<int64_t> length, bool return_complex,
           TensorMeta& out) {
  RL_CHECK(is_complex(self.dtype), Runtime,
           "istft requires a complex-valued input tensor matching the output from stft with "
           "return_complex=True.");
  RL_CHECK(self.rank() == 2 || self.rank() == 3, Runtime,
           "istft: expected a tensor with 2 or 3 dimensions, but got ", self.rank());
  const int64_t hop = hop_length.value_or(n_fft / 4), bins = self.sizes[self.rank() - 2];
  const int64_t win = win_length.value_or(n_fft);
  RL_CHECK(hop > 0 && hop <= win, Runtime, "istft: expected 0 < hop_length <= win_length");
  check_window(window, win, n_fft, "istft");
  const bool half = onesided.value_or(bins != n_fft);
  RL_CHECK(
      bins == (half ? n_fft / 2 + 1 : n_fft), Runtime,
      "istft: expected the frequency dimension (3rd to the last) of the input tensor to match ",
      half ? "n_fft / 2 + 1" : "n_fft", " when onesided=", half ? "True" : "False", ", but got ",
      bins);
  RL_CHECK(!return_complex || !half, Runtime,
           "cannot have onesided output if window or input is "
           "complex");
  const int64_t whole = n_fft + hop * (self.sizes.back() - 1);
  const int64_t start = center ? n_fft / 2 : 0;
  const int64_t kept = length.value_or(whole - start - (center ? n_fft / 2 : 0));
  RL_CHECK(kept > 0 && self.sizes.back() > 0, Runtime, "istft: expected output of positive length");
  Dims sizes;
  if (self.rank() == 3) sizes.push_back(self.sizes[0]);
  sizes.push_back(kept);
  out.set(return_complex ? self.dtype : real_type(self.dtype), sizes);
}

}  // namespace rushlight::shape
