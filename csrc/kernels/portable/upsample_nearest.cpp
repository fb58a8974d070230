// Nearest-neighbour resizing: moves elements, whatever their type.
#include "ir/shape/pool_sizes.h"
#include "kernels/kernel.h"
#include "kernels/upsample.h"

namespace rushlight::kernels::portable {
namespace {

using OptionalDims = std::optional<IntList>;
using Scales = std::array<std::optional<double>, 3>;

template <class T>
void gather(const Tensor& x, Tensor& out, const std::array<int64_t, 3>& in,
            const std::array<int64_t, 3>& o, const std::vector<int64_t> (&index)[3]) {
  const int64_t rows = o[0] * o[1], in_size = in[0] * in[1] * in[2];
  const int64_t planes = out.numel() / (rows * o[2]);
  const T* from = x.data<T>();
  T* to = out.data<T>();
  bool doubled = o[2] == 2 * in[2];
  for (int64_t j = 0; doubled && j < o[2]; ++j) doubled = index[2][static_cast<size_t>(j)] == j / 2;
  cpu::parallel_for(0, planes * rows, std::max<int64_t>(1, kGrain / o[2]),
                    [&](int64_t first, int64_t last) {
                      for (int64_t r = first; r < last; ++r) {
                        const int64_t d = index[0][static_cast<size_t>(r % rows / o[1])];
                        const int64_t h = index[1][static_cast<size_t>(r % o[1])];
                        const T* row = from + r / rows * in_size + (d * in[1] + h) * in[2];
                        T* const y = to + r * o[2];
                        if (doubled)
                          for (int64_t j = 0; j < in[2]; ++j) y[2 * j] = y[2 * j + 1] = row[j];
                        else
                          for (int64_t j = 0; j < o[2]; ++j)
                            y[j] = row[index[2][static_cast<size_t>(j)]];
                      }
                    });
}

void upsample(const Tensor& self, size_t n, bool exact, const Scales& scales, Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor x = self.contiguous();
  const auto in = spatial_sizes(self, n), o = spatial_sizes(out, n);
  std::vector<int64_t> index[3];
  for (size_t d = 0; d < 3; ++d) index[d] = nearest(in[d], o[d], scales[d], exact);
  switch (item_size(x.dtype)) {
    case 1:
      return gather<uint8_t>(x, out, in, o, index);
    case 2:
      return gather<uint16_t>(x, out, in, o, index);
    case 4:
      return gather<uint32_t>(x, out, in, o, index);
    default:
      return gather<uint64_t>(x, out, in, o, index);
  }
}

Scales scales_of(std::optional<FloatList> factors, size_t n) {
  Scales s;
  if (factors)
    for (size_t i = 0; i < n; ++i) s[3 - n + i] = (*factors)[factors->size() == 1 ? 0 : i];
  return s;
}

}  // namespace

#define RL_NEAREST(name, exact)                                                                \
  void name##1d(const Tensor& self, IntList, std::optional<double> s, Tensor& out) {           \
    upsample(self, 1, exact, {std::nullopt, std::nullopt, s}, out);                            \
  }                                                                                            \
  void name##2d(const Tensor& self, IntList, std::optional<double> h, std::optional<double> w, \
                Tensor& out) {                                                                 \
    upsample(self, 2, exact, {std::nullopt, h, w}, out);                                       \
  }                                                                                            \
  void name##3d(const Tensor& self, IntList, std::optional<double> d, std::optional<double> h, \
                std::optional<double> w, Tensor& out) {                                        \
    upsample(self, 3, exact, {d, h, w}, out);                                                  \
  }                                                                                            \
  void name##1d(const Tensor& self, OptionalDims, std::optional<FloatList> f, Tensor& out) {   \
    upsample(self, 1, exact, scales_of(f, 1), out);                                            \
  }                                                                                            \
  void name##2d(const Tensor& self, OptionalDims, std::optional<FloatList> f, Tensor& out) {   \
    upsample(self, 2, exact, scales_of(f, 2), out);                                            \
  }                                                                                            \
  void name##3d(const Tensor& self, OptionalDims, std::optional<FloatList> f, Tensor& out) {   \
    upsample(self, 3, exact, scales_of(f, 3), out);                                            \
  }
RL_NEAREST(upsample_nearest, false)
RL_NEAREST(upsample_nearest_exact, true)
#undef RL_NEAREST

}  // namespace rushlight::kernels::portable
