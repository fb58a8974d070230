// gather and index_select: elements and slices that an index chooses along one dimension.
#include <cstring>

#include "kernels/kernel.h"
#include "kernels/portable/lanes.h"

namespace rushlight::kernels::portable {

void gather(const Tensor& self, int64_t dim, const Tensor& index, bool, Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor from = at_least_1d(self), at = at_least_1d(as_int64(index)), to = at_least_1d(out);
  const int64_t d = wrap_dim(dim, self.rank());
  dispatch_item(item_size(self.dtype), [&](auto zero) {
    using T = decltype(zero);
    const T* source = from.data<T>();
    T* target = to.data<T>();
    for_each_indexed(from, d, at, at.sizes, to, kGatherRule,
                     [=](int64_t a, int64_t b) { target[b] = source[a]; });
  });
}

void index_select(const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor from = at_least_1d(self).contiguous(), rows = as_int64(index);
  const int64_t d = wrap_dim(dim, self.rank()), count = rows.numel();
  const Split split(from.sizes, d);
  const int64_t* at = rows.data<int64_t>();
  for (int64_t k = 0; k < count; ++k) {
    if (at[k] >= 0 && at[k] < split.size) continue;
    RL_CHECK(self.rank() > 1, Index, "index out of range in self");
    RL_FAIL(Runtime, "INDICES element is out of DATA bounds, id=", at[k], " axis_dim=", split.size);
  }
  const int64_t run = split.inner * item_size(self.dtype);
  cpu::parallel_for(0, split.outer * count, 4 * kGrain / run + 1, [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r)
      std::memcpy(out.raw() + r * run, from.raw() + (r / count * split.size + at[r % count]) * run,
                  static_cast<size_t>(run));
  });
}

void take_along_dim(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim,
                    Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t d = dim ? wrap_dim(*dim, self.rank()) : 0;
  Tensor from = self, at = as_int64(indices);
  if (!dim) {
    from = restrided(self.contiguous(), Dims{self.numel()}, Dims{1});
    at = restrided(at, Dims{at.numel()}, Dims{1});
  } else if (self.rank() > 0) {
    Dims sizes = out.sizes;
    at = expanded(at, sizes);
    sizes[d] = self.sizes[d];
    from = expanded(self, sizes);
  }
  from = at_least_1d(from), at = at_least_1d(at);
  const Tensor to = at_least_1d(out);
  dispatch_item(item_size(self.dtype), [&](auto zero) {
    using T = decltype(zero);
    const T* source = from.data<T>();
    T* target = to.data<T>();
    for_each_indexed(from, d, at, to.sizes, to, IndexRule{true, ErrorKind::Runtime},
                     [=](int64_t a, int64_t b) { target[b] = source[a]; });
  });
}

}  // namespace rushlight::kernels::portable
