// Rearrangements between channels and space: one strided copy each.
#include "kernels/kernel.h"

namespace rushlight::kernels::portable {
namespace {

// `t`, contiguous, cut into `sizes` and its dimensions reordered.
Tensor regrouped(const Tensor& t, IntList sizes, std::initializer_list<size_t> order) {
  const Dims strides = contiguous_strides(sizes);
  TensorMeta meta;
  meta.dtype = t.dtype;
  for (size_t d : order) {
    meta.sizes.push_back(sizes[d]);
    meta.strides.push_back(strides[d]);
  }
  return Tensor(meta, t.storage(), t.raw());
}

int64_t leading(const Tensor& t) {
  int64_t n = 1;
  for (size_t i = 0; i + 3 < t.sizes.size(); ++i) n *= t.sizes[i];
  return n;
}

void copy_into(const Tensor& view, Tensor& out) {
  TensorMeta meta;
  meta.set(out.dtype, view.sizes);
  copy_strided(view, Tensor(meta, out.storage(), out.raw()));
}

}  // namespace

void pixel_shuffle(const Tensor& self, int64_t r, Tensor& out) {
  const int64_t c = out.size(-3), h = self.size(-2), w = self.size(-1);
  copy_into(regrouped(self.contiguous(), Dims{leading(self), c, r, r, h, w}, {0, 1, 4, 2, 5, 3}),
            out);
}

void pixel_unshuffle(const Tensor& self, int64_t r, Tensor& out) {
  const int64_t c = self.size(-3), h = out.size(-2), w = out.size(-1);
  copy_into(regrouped(self.contiguous(), Dims{leading(self), c, h, r, w, r}, {0, 1, 3, 5, 2, 4}),
            out);
}

}  // namespace rushlight::kernels::portable
