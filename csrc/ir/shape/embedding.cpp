// Shape rules of embedding, pixel_shuffle and glu.
#include "ir/shape/generated.h"

namespace rushlight::shape {

void embedding(const TensorMeta& weight, const TensorMeta& indices, int64_t, bool, bool,
               TensorMeta& out) {
  RL_CHECK(weight.rank() == 2, Runtime, "embedding: 'weight' must be 2-D, got shape ",
           weight.sizes);
  RL_CHECK(indices.dtype == DType::Int64 || indices.dtype == DType::Int32, Runtime,
           "embedding: expected indices of dtype int64 or int32, got ", dtype_name(indices.dtype));
  Dims sizes = indices.sizes;
  sizes.push_back(weight.sizes[1]);
  out.set(weight.dtype, sizes);
}

void pixel_shuffle(const TensorMeta& self, int64_t factor, TensorMeta& out) {
  RL_CHECK(self.rank() >= 3, Runtime,
           "pixel_shuffle: expected input to have at least 3 dimensions, got shape ", self.sizes);
  RL_CHECK(factor > 0 && self.size(-3) % (factor * factor) == 0, Runtime,
           "pixel_shuffle: expected channel dimension to be divisible by the square of "
           "upscale_factor=",
           factor, ", got shape ", self.sizes);
  Dims sizes = self.sizes;
  const size_t c = sizes.size() - 3;
  sizes[c] /= factor * factor;
  sizes[c + 1] *= factor;
  sizes[c + 2] *= factor;
  out.set(self.dtype, sizes);
}

void pixel_unshuffle(const TensorMeta& self, int64_t factor, TensorMeta& out) {
  RL_CHECK(self.rank() >= 3, Runtime,
           "pixel_unshuffle: expected input to have at least 3 dimensions, got shape ", self.sizes);
  RL_CHECK(factor > 0 && self.size(-2) % factor == 0 && self.size(-1) % factor == 0, Runtime,
           "pixel_unshuffle: expected height and width to be divisible by downscale_factor=",
           factor, ", got shape ", self.sizes);
  Dims sizes = self.sizes;
  const size_t c = sizes.size() - 3;
  sizes[c] *= factor * factor;
  sizes[c + 1] /= factor;
  sizes[c + 2] /= factor;
  out.set(self.dtype, sizes);
}

void glu(const TensorMeta& self, int64_t dim, TensorMeta& out) {
  RL_CHECK(is_floating(self.dtype), NotImplemented, "glu is not implemented for ",
           dtype_name(self.dtype));
  RL_CHECK(self.rank() > 0, Runtime, "glu does not support 0-dimensional tensors");
  const auto d = static_cast<size_t>(wrap_dim(dim, self.rank()));
  RL_CHECK(self.sizes[d] % 2 == 0, Runtime, "glu: halving dimension must be even, got dimension ",
           d, " of size ", self.sizes[d]);
  Dims sizes = self.sizes;
  sizes[d] /= 2;
  out.set(self.dtype, sizes);
}

}  // namespace rushlight::shape
