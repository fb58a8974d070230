// Distances between all pairs of rows.
#include <cmath>

#include "kernels/compute.h"

namespace rushlight::kernels::portable {

void pdist(const Tensor& self, double p, Tensor& out) {
  const int64_t n = self.sizes[0], width = self.sizes[1];
  dispatch_float(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Tensor x = contiguous_as(self, dtype_of<T>::value);
    Result<T> y(out);
    cpu::parallel_for(
        0, n, kGrain / std::max<int64_t>(n * width / 2, 1) + 1, [&](int64_t first, int64_t last) {
          for (int64_t i = first; i < last; ++i) {
            T* to = y.data() + i * (2 * n - i - 1) / 2;
            const T* a = x.data<T>() + i * width;
            for (int64_t j = i + 1; j < n; ++j) {
              const T* b = x.data<T>() + j * width;
              double sum = 0;
              for (int64_t k = 0; k < width; ++k) {
                const double d = std::abs(static_cast<double>(a[k]) - b[k]);
                if (p == 0)
                  sum += d != 0;
                else if (std::isinf(p))
                  sum = std::max(sum, d);
                else
                  sum += p == 2 ? d * d : p == 1 ? d : std::pow(d, p);
              }
              *to++ = static_cast<T>(p == 2                              ? std::sqrt(sum)
                                     : p == 0 || p == 1 || std::isinf(p) ? sum
                                                                         : std::pow(sum, 1 / p));
            }
          }
        });
    y.store();
  });
}

}  // namespace rushlight::kernels::portable
