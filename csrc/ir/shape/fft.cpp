// Sizes and dtypes of Fourier transforms.
#include "ir/shape/fft_call.h"
#include "ir/shape/generated.h"

namespace rushlight {

FftCall fft_call(const TensorMeta& self, std::optional<IntList> s, std::optional<IntList> dim) {
  FftCall call;
  const int64_t rank = self.rank();
  if (dim) {
    Dims seen(self.sizes.size() + 1);
    for (int64_t d : *dim) {
      RL_CHECK(rank > 0, Index, "Dimension specified as ", d, " but tensor has no dimensions");
      const int64_t at = wrap_dim(d, rank);
      RL_CHECK(!seen[at]++, Runtime, "FFT dims must be unique");
      call.dims.push_back(at);
    }
    RL_CHECK(!s || s->size() == dim->size(), Runtime,
             "When given, dim and shape arguments must have the same length");
  } else {
    const auto n = s ? static_cast<int64_t>(s->size()) : rank;
    RL_CHECK(n <= rank, Runtime, "Got shape with ", n, " values but input tensor only has ", rank,
             " dimensions.");
    for (int64_t d = rank - n; d < rank; ++d) call.dims.push_back(d);
  }
  for (size_t i = 0; i < call.dims.size(); ++i) {
    const int64_t given = s ? (*s)[i] : -1;
    const int64_t length = given == -1 ? (rank > 0 ? self.sizes[call.dims[i]] : 1) : given;
    RL_CHECK(length > 0, Runtime, "Invalid number of data points (", length, ") specified");
    call.lengths.push_back(length);
  }
  return call;
}

FftNorm fft_norm(std::optional<std::string_view> norm, bool forward) {
  if (!norm || *norm == "backward") return forward ? FftNorm::None : FftNorm::ByLength;
  if (*norm == "forward") return forward ? FftNorm::ByLength : FftNorm::None;
  RL_CHECK(*norm == "ortho", Runtime, "Invalid normalization mode: \"", *norm, "\"");
  return FftNorm::ByRoot;
}

void set_real_length(const TensorMeta& self, std::optional<IntList> s, FftCall& call) {
  RL_CHECK(!call.dims.empty(), Runtime, "irfftn must transform at least one axis");
  const bool given = s && s->back() != -1;
  if (!given) call.lengths.back() = 2 * (self.sizes[call.dims.back()] - 1);
  RL_CHECK(call.lengths.back() > 0, Runtime, "Invalid number of data points (", call.lengths.back(),
           ") specified");
}

namespace shape {
namespace {

using Text = std::optional<std::string_view>;
using Sizes = std::optional<IntList>;

void set_lengths(const TensorMeta& self, const FftCall& call, TensorMeta& out) {
  Dims sizes = self.sizes;
  for (size_t i = 0; i < call.dims.size(); ++i) sizes[call.dims[i]] = call.lengths[i];
  out.set(out.dtype, sizes);
}

void halve(const FftCall& call, TensorMeta& out) {
  RL_CHECK(!call.dims.empty(), Runtime, "rfftn must transform at least one axis");
  Dims sizes = out.sizes;
  sizes[call.dims.back()] = sizes[call.dims.back()] / 2 + 1;
  out.set(out.dtype, sizes);
}

void require_real(const TensorMeta& self, std::string_view name) {
  RL_CHECK(!is_complex(self.dtype), Runtime, name, " expects a real input tensor, but got ",
           dtype_name(self.dtype));
}

Sizes one(const std::optional<int64_t>& n) { return n ? Sizes(IntList(&*n, 1)) : std::nullopt; }

}  // namespace

void fft_c2c(const TensorMeta& self, IntList dim, int64_t, bool, TensorMeta& out) {
  RL_CHECK(is_complex(self.dtype), Runtime, "_fft_c2c expects a complex input tensor, but got ",
           dtype_name(self.dtype));
  set_lengths(self, fft_call(self, std::nullopt, dim), out);
}
void fft_r2c(const TensorMeta& self, IntList dim, int64_t, bool onesided, TensorMeta& out) {
  require_real(self, "_fft_r2c");
  const FftCall call = fft_call(self, std::nullopt, dim);
  set_lengths(self, call, out);
  if (onesided) halve(call, out);
}
void fft_c2r(const TensorMeta& self, IntList dim, int64_t, int64_t last_dim_size, TensorMeta& out) {
  RL_CHECK(is_complex(self.dtype), Runtime, "_fft_c2r expects a complex input tensor, but got ",
           dtype_name(self.dtype));
  FftCall call = fft_call(self, std::nullopt, dim);
  RL_CHECK(last_dim_size > 0, Runtime, "Invalid number of data points (", last_dim_size,
           ") specified");
  RL_CHECK(self.sizes[call.dims.back()] > last_dim_size / 2, Runtime,
           "_fft_c2r: ", self.sizes[call.dims.back()], " frequencies are too few for ",
           last_dim_size, " values");
  call.lengths.back() = last_dim_size;
  set_lengths(self, call, out);
}

void fftn(const TensorMeta& self, Sizes s, Sizes dim, Text norm, TensorMeta& out) {
  fft_norm(norm, true);
  set_lengths(self, fft_call(self, s, dim), out);
}
void rfftn(const TensorMeta& self, Sizes s, Sizes dim, Text norm, TensorMeta& out) {
  require_real(self, "rfft");
  fftn(self, s, dim, norm, out);
  halve(fft_call(self, s, dim), out);
}
void irfftn(const TensorMeta& self, Sizes s, Sizes dim, Text norm, TensorMeta& out) {
  fft_norm(norm, false);
  FftCall call = fft_call(self, s, dim);
  set_real_length(self, s, call);
  set_lengths(self, call, out);
}
void fftn(const TensorMeta& self, Sizes s, IntList dim, Text norm, TensorMeta& out) {
  fftn(self, s, Sizes(dim), norm, out);
}
void rfftn(const TensorMeta& self, Sizes s, IntList dim, Text norm, TensorMeta& out) {
  rfftn(self, s, Sizes(dim), norm, out);
}
void irfftn(const TensorMeta& self, Sizes s, IntList dim, Text norm, TensorMeta& out) {
  irfftn(self, s, Sizes(dim), norm, out);
}
void fftn(const TensorMeta& self, std::optional<int64_t> n, int64_t dim, Text norm,
          TensorMeta& out) {
  fftn(self, one(n), Sizes(IntList(&dim, 1)), norm, out);
}
void rfftn(const TensorMeta& self, std::optional<int64_t> n, int64_t dim, Text norm,
           TensorMeta& out) {
  rfftn(self, one(n), Sizes(IntList(&dim, 1)), norm, out);
}
void irfftn(const TensorMeta& self, std::optional<int64_t> n, int64_t dim, Text norm,
            TensorMeta& out) {
  irfftn(self, one(n), Sizes(IntList(&dim, 1)), norm, out);
}

void fft_shift(const TensorMeta& self, Sizes dim, TensorMeta& out) {
  for (int64_t d : dim.value_or(IntList{})) wrap_dim(d, self.rank());
  out.set(self.dtype, self.sizes);
}

}  // namespace shape
}  // namespace rushlight
