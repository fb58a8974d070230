// The copying side of operators that are views when strides allow it.
#include "kernels/kernel.h"

namespace rushlight::kernels::portable {
namespace {

// Elements in row-major order, whatever the sizes on either side.
void copy_elements(const Tensor& self, Tensor& out) {
  if (self.sizes == out.sizes) return copy_strided(self, out);
  TensorMeta flat;
  flat.set(out.dtype, self.sizes);
  copy_strided(self, out.view(flat));
}

}  // namespace

void reshape(const Tensor& self, IntList, Tensor& out) { copy_elements(self, out); }
void reshape_as(const Tensor& self, const Tensor&, Tensor& out) { copy_elements(self, out); }
void flatten(const Tensor& self, int64_t, int64_t, Tensor& out) { copy_elements(self, out); }
void unflatten(const Tensor& self, int64_t, IntList, Tensor& out) { copy_elements(self, out); }
void contiguous(const Tensor& self, MemoryFormat, Tensor& out) { copy_strided(self, out); }

void broadcast_tensors(TensorList tensors, std::span<Tensor* const> outs) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    TensorMeta expanded = *tensors[i];
    expanded.sizes = outs[i]->sizes;
    const size_t lead = expanded.sizes.size() - tensors[i]->sizes.size();
    expanded.strides.assign(expanded.sizes.size(), 0);
    for (size_t d = 0; d < tensors[i]->sizes.size(); ++d)
      if (tensors[i]->sizes[d] != 1) expanded.strides[lead + d] = tensors[i]->strides[d];
    copy_strided(tensors[i]->view(expanded), *outs[i]);
  }
}

}  // namespace rushlight::kernels::portable
