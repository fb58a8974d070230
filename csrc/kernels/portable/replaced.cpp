// Copies of a tensor with a part replaced, and diagonals.
#include "ir/shape/generated.h"
#include "kernels/kernel.h"
#include "kernels/portable/fill.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {

void diag_embed(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2, Tensor& out) {
  fill_dense(out, 0);
  TensorMeta view;
  view.dtype = out.dtype;
  shape::diagonal(out, offset, dim1, dim2, view);
  copy_strided(self, out.view(view));
}

void diag(const Tensor& self, int64_t offset, Tensor& out) {
  if (self.rank() == 1) return diag_embed(self, offset, 0, 1, out);
  TensorMeta view;
  view.dtype = self.dtype;
  shape::diagonal(self, offset, 0, 1, view);
  copy_strided(self.view(view), out);
}

void diagflat(const Tensor& self, int64_t offset, Tensor& out) {
  diag_embed(restrided(self.contiguous(), Dims{self.numel()}, Dims{1}), offset, 0, 1, out);
}

namespace {

// `out` is `self` with the part that `rule` describes replaced by `src`.
template <class Rule>
void replace_part(const Tensor& self, const Tensor& src, Tensor& out, Rule&& rule) {
  copy_unless_same(self, out);
  TensorMeta view;
  view.dtype = out.dtype;
  rule(view);
  copy_strided(src, out.view(view));
}

}  // namespace

void slice_scatter(const Tensor& self, const Tensor& src, int64_t dim, std::optional<int64_t> start,
                   std::optional<int64_t> end, int64_t step, Tensor& out) {
  replace_part(self, src, out,
               [&](TensorMeta& view) { shape::slice(out, dim, start, end, step, view); });
}
void select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index,
                    Tensor& out) {
  replace_part(self, src, out, [&](TensorMeta& view) { shape::select(out, dim, index, view); });
}
void diagonal_scatter(const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1,
                      int64_t dim2, Tensor& out) {
  replace_part(self, src, out,
               [&](TensorMeta& view) { shape::diagonal(out, offset, dim1, dim2, view); });
}
void as_strided_scatter(const Tensor& self, const Tensor& src, IntList size, IntList stride,
                        std::optional<int64_t> storage_offset, Tensor& out) {
  replace_part(self, src, out, [&](TensorMeta& view) {
    shape::as_strided(out, size, stride, storage_offset, view);
  });
}

void fill_diagonal(const Tensor& self, Scalar value, bool wrap, Tensor& out) {
  copy_unless_same(self, out);
  int64_t step = 0, shortest = INT64_MAX;
  for (int64_t d = 0; d < out.rank(); ++d) {
    step += out.strides[d];
    shortest = std::min(shortest, out.sizes[d]);
  }
  dispatch_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T v = value.to<T>();
    T* data = out.data<T>();
    for (int64_t i = 0; i < shortest; ++i) data[i * step] = v;
    // A tall matrix starts a new diagonal after one row left out.
    if (!wrap || out.rank() != 2 || out.sizes[0] <= out.sizes[1] + 1) return;
    const int64_t columns = out.sizes[1];
    for (int64_t r = columns + 1; r < out.sizes[0]; ++r)
      if (const int64_t c = r % (columns + 1); c < columns)
        data[r * out.strides[0] + c * out.strides[1]] = v;
  });
}

}  // namespace rushlight::kernels::portable
