// Arguments of a Fourier transform, brought to one form.
#pragma once

#include <string_view>

#include "core/argument.h"

namespace rushlight {

/// How the result is scaled: PyTorch's numbers.
enum class FftNorm : int64_t { None = 0, ByRoot = 1, ByLength = 2 };

struct FftCall {
  Dims dims;     // transformed dimensions, wrapped; the last one is halved for real data
  Dims lengths;  // of the signal along them; the input is cut or padded with zeros to them
};

/// `s` and `dim` as torch.fft takes them: -1 in `s` keeps the size, missing `dim` means the last
/// dimensions, or all.
FftCall fft_call(const TensorMeta& self, std::optional<IntList> s, std::optional<IntList> dim);
/// "backward", "forward", "ortho" or nothing -> the scaling of one direction.
FftNorm fft_norm(std::optional<std::string_view> norm, bool forward);
/// For complex input that stands for the half spectrum of a real signal: the signal's length.
void set_real_length(const TensorMeta& self, std::optional<IntList> s, FftCall& call);

}  // namespace rushlight
