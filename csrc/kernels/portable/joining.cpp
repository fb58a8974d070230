// Tensors put together from several.
#include <cstring>

#include "ir/shape/stacking.h"
#include "kernels/kernel.h"
#include "kernels/portable/fill.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

// Copies `t` to positions [at, at + size) of `out` along `dim`.
void place(const Tensor& t, Tensor& out, int64_t dim, int64_t at) {
  const Split split(t.sizes, dim);
  if (t.dtype != out.dtype || split.outer == 1 || !t.is_contiguous() || !out.is_contiguous())
    return copy_strided(t, narrowed(out, dim, at, t.sizes[dim]));
  const int64_t item = item_size(t.dtype), run = split.size * split.inner * item;
  const int64_t pitch = out.sizes[dim] * split.inner * item;
  std::byte* to = out.raw() + at * split.inner * item;
  const int64_t grain = std::max<int64_t>(4 * kGrain / std::max<int64_t>(run, 1), 1);
  cpu::parallel_for(0, split.outer, grain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      std::memcpy(to + i * pitch, t.raw() + i * run, static_cast<size_t>(run));
  });
}

}  // namespace

void cat(TensorList tensors, int64_t dim, Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t d = wrap_dim(dim, out.rank());
  int64_t at = 0;
  for (const Tensor* t : tensors) {
    if (t->numel() == 0) continue;
    place(*t, out, d, at);
    at += t->sizes[d];
  }
}

void stack(TensorList tensors, int64_t dim, Tensor& out) {
  cat(unsqueezed_inputs(tensors, dim).list, wrap_dim(dim, out.rank()), out);
}

void hstack(TensorList tensors, Tensor& out) {
  const StackedInputs inputs = stacked_inputs(tensors, Stacking::Horizontal);
  cat(inputs.list, inputs.dim, out);
}
void vstack(TensorList tensors, Tensor& out) {
  cat(stacked_inputs(tensors, Stacking::Vertical).list, 0, out);
}
void dstack(TensorList tensors, Tensor& out) {
  cat(stacked_inputs(tensors, Stacking::Depth).list, 2, out);
}
void column_stack(TensorList tensors, Tensor& out) {
  cat(stacked_inputs(tensors, Stacking::Columns).list, 1, out);
}

void block_diag(TensorList tensors, Tensor& out) {
  fill_dense(out, 0);
  int64_t row = 0, column = 0;
  for (const Tensor& t : stacked_inputs(tensors, Stacking::Vertical).tensors) {
    copy_strided(t, narrowed(narrowed(out, 0, row, t.sizes[0]), 1, column, t.sizes[1]));
    row += t.sizes[0];
    column += t.sizes[1];
  }
}

void meshgrid(TensorList tensors, std::string_view indexing, std::span<Tensor* const> outs) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    Tensor& out = *outs[i];
    const size_t axis = indexing == "xy" && tensors.size() >= 2 && i < 2 ? 1 - i : i;
    Dims strides(out.sizes.size());
    if (tensors[i]->rank() == 1) strides[axis] = tensors[i]->strides[0];
    copy_strided(restrided(*tensors[i], out.sizes, strides), out);
  }
}
void meshgrid(TensorList tensors, std::span<Tensor* const> outs) { meshgrid(tensors, "ij", outs); }

void cartesian_prod(TensorList tensors, Tensor& out) {
  if (tensors.size() == 1) return copy_strided(*tensors[0], out);
  Dims sizes;
  for (const Tensor* t : tensors) sizes.push_back(t->sizes[0]);
  Dims out_strides = contiguous_strides(sizes);
  for (int64_t& s : out_strides) s *= static_cast<int64_t>(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    Dims strides(sizes.size());
    strides[i] = tensors[i]->strides[0];
    TensorMeta column = out;
    column.sizes = sizes;
    column.strides = out_strides;
    column.view_offset = static_cast<int64_t>(i);
    copy_strided(restrided(*tensors[i], sizes, strides), out.view(column));
  }
}

}  // namespace rushlight::kernels::portable
