// Gated linear unit: the first half times the sigmoid of the second.
#include "kernels/compute.h"
#include "kernels/kernel.h"
#include "kernels/lanes_math.h"

namespace rushlight::kernels::RL_CPU {
namespace {

template <class T>
void glu_as(const Tensor& self, int64_t dim, Tensor& out) {
  const auto d = static_cast<size_t>(wrap_dim(dim, self.rank()));
  int64_t outer = 1, half = out.sizes[d];
  for (size_t i = 0; i < self.sizes.size(); ++i) {
    if (i < d) outer *= self.sizes[i];
    if (i > d) half *= self.sizes[i];
  }
  const Tensor input = contiguous_as(self, dtype_of<T>::value);
  Result<T> result(out);
  T* const y = result.data();
  cpu::parallel_for(
      0, outer, std::max<int64_t>(1, kGrain / 8 / half), [&](int64_t first, int64_t last) {
        for (int64_t r = first; r < last; ++r) {
          const T *a = input.data<T>() + 2 * r * half, *b = a + half;
          for_lanes<T>(half, [&](int64_t i, auto l) {
            using L = decltype(l);
            if constexpr (L::n == 1)
              y[r * half + i] = a[i] / (T(1) + std::exp(-b[i]));
            else
              L::store(y + r * half + i, L::load(a + i) * lane_sigmoid<T>(L::load(b + i)));
          });
        }
      });
  result.store();
}

}  // namespace

void glu(const Tensor& self, int64_t dim, Tensor& out) {
  if (out.numel() == 0) return;
  dispatch_float(self.dtype, [&](auto t) { glu_as<decltype(t)>(self, dim, out); });
}

}  // namespace rushlight::kernels::RL_CPU
