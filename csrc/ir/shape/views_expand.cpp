// Views that repeat elements with a stride of zero.
#include "ir/shape/generated.h"

namespace rushlight::shape {

void expand(const TensorMeta& self, IntList size, bool /*implicit*/, TensorMeta& out) {
  RL_CHECK(size.size() >= self.sizes.size(), Runtime, "expand(", describe(self),
           ", size=", Dims(size), "): the number of sizes provided (", size.size(),
           ") must be greater or equal to the number of dimensions in the tensor (", self.rank(),
           ")");
  out.sizes = Dims(size);
  out.strides.assign(size.size(), 0);
  const size_t lead = size.size() - self.sizes.size();
  for (size_t i = size.size(); i-- > 0;) {
    if (i < lead) {
      RL_CHECK(size[i] >= 0, Runtime, "The expanded size of the tensor (", size[i],
               ") isn't allowed in a leading, non-existing dimension ", i);
      if (size[i] == 1 && self.rank() > 0)
        out.strides[i] = i + 1 < size.size() ? out.sizes[i + 1] * out.strides[i + 1] : 1;
      continue;
    }
    const int64_t own = self.sizes[i - lead];
    if (size[i] == -1) out.sizes[i] = own;
    RL_CHECK(out.sizes[i] >= 0 && (own == 1 || out.sizes[i] == own), Runtime,
             "The expanded size of the tensor (", size[i], ") must match the existing size (", own,
             ") at non-singleton dimension ", i, ".  Target sizes: ", Dims(size),
             ".  Tensor sizes: ", self.sizes);
    // A dimension of size 1 keeps its stride as long as it is not repeated.
    if (out.sizes[i] == own) out.strides[i] = self.strides[i - lead];
  }
}

void expand_as(const TensorMeta& self, const TensorMeta& other, TensorMeta& out) {
  expand(self, other.sizes, false, out);
}

void broadcast_to(const TensorMeta& self, IntList size, TensorMeta& out) {
  expand(self, size, false, out);
}

void broadcast_tensors(TensorList tensors, std::vector<TensorMeta>& outs) {
  Dims sizes;
  for (const Tensor* t : tensors) sizes = broadcast(sizes, t->sizes);
  outs.assign(tensors.size(), {});
  for (size_t i = 0; i < tensors.size(); ++i) outs[i].set(tensors[i]->dtype, sizes);
}

}  // namespace rushlight::shape
