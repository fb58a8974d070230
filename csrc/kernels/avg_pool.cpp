// avg_pool and adaptive pooling: the rows of a window are added first, then its columns.
#include "kernels/compute.h"
#include "kernels/kernel.h"
#include "kernels/pool.h"
#include "kernels/reduce_ops.h"

namespace rushlight::kernels::RL_CPU {
namespace {

struct AvgPool {
  PoolWindow window;
  bool count_include_pad;
  std::optional<int64_t> divisor;
  std::array<int64_t, 3> in, out;
  int64_t planes;
};

/// rows[i] = the sum over depths [d.begin, d.end) and heights [h.begin, h.end).
template <class T>
void add_window_rows(const T* plane, const std::array<int64_t, 3>& in, Span d, Span h, T* rows) {
  std::fill(rows, rows + in[2], T(0));
  for (int64_t i = d.begin; i < d.end; ++i)
    for (int64_t j = h.begin; j < h.end; ++j) {
      const T* row = plane + (i * in[1] + j) * in[2];
      for (int64_t k = 0; k < in[2]; ++k) rows[k] += row[k];
    }
}

/// Elements along one dimension that PyTorch divides by.
int64_t extent(const AvgPool& p, size_t d, int64_t i) {
  const int64_t begin = i * p.window.stride[d] - p.window.padding[d];
  const int64_t end = std::min(begin + p.window.kernel[d], p.in[d] + p.window.padding[d]);
  if (p.count_include_pad) return end - begin;
  return std::min(end, p.in[d]) - std::max<int64_t>(begin, 0);
}

template <class T>
void avg_pool_as(const AvgPool& p, const Tensor& self, Tensor& out) {
  const Tensor input = contiguous_as(self, dtype_of<T>::value);
  const T* x = input.data<T>();
  Result<T> result(out);
  T* y = result.data();
  const int64_t in_size = p.in[0] * p.in[1] * p.in[2], rows = p.out[0] * p.out[1];
  std::vector<T> extents(static_cast<size_t>(p.out[2]));
  for (int64_t j = 0; j < p.out[2]; ++j)
    extents[static_cast<size_t>(j)] = static_cast<T>(extent(p, 2, j));
  const int64_t work = p.out[2] * p.window.kernel[0] * p.window.kernel[1] * p.window.kernel[2];
  cpu::parallel_for(
      0, p.planes * rows, std::max<int64_t>(1, kGrain / work), [&](int64_t first, int64_t last) {
        std::vector<T> sums(static_cast<size_t>(p.in[2]));
        for (int64_t r = first; r < last; ++r) {
          const int64_t od = r % rows / p.out[1], oh = r % p.out[1];
          T* to = y + r * p.out[2];
          add_window_rows(x + r / rows * in_size, p.in, window(p.window, 0, od, p.in[0]),
                          window(p.window, 1, oh, p.in[1]), sums.data());
          std::fill(to, to + p.out[2], T(0));
          for (int64_t k = 0; k < p.window.kernel[2]; ++k)
            combine_row(sums.data(), k - p.window.padding[2], p.window.stride[2], p.in[2], to,
                        p.out[2], [](T a, T b) { return a + b; });
          const T outer = p.divisor ? static_cast<T>(*p.divisor)
                                    : static_cast<T>(extent(p, 0, od) * extent(p, 1, oh));
          if (p.divisor)
            for (int64_t j = 0; j < p.out[2]; ++j) to[j] /= outer;
          else
            for (int64_t j = 0; j < p.out[2]; ++j) to[j] /= outer * extents[static_cast<size_t>(j)];
        }
      });
  result.store();
}

void avg_pool(const Tensor& self, size_t n, IntList kernel, IntList stride, IntList padding,
              bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor, Tensor& out) {
  const int64_t one = 1;
  AvgPool p{pool_window(n, kernel, stride, padding, IntList(&one, 1), ceil_mode),
            count_include_pad,
            divisor,
            spatial_sizes(self, n),
            spatial_sizes(out, n),
            1};
  for (size_t d = 0; d + n < self.sizes.size(); ++d) p.planes *= self.sizes[d];
  if (self.dtype == DType::Int64) return avg_pool_as<int64_t>(p, self, out);
  dispatch_float(self.dtype, [&](auto t) { avg_pool_as<decltype(t)>(p, self, out); });
}

template <class T>
void adaptive_avg_as(const Tensor& self, size_t n, Tensor& out) {
  const Tensor input = contiguous_as(self, dtype_of<T>::value);
  const auto in = spatial_sizes(self, n), o = spatial_sizes(out, n);
  const int64_t in_size = in[0] * in[1] * in[2], rows = o[0] * o[1];
  const int64_t planes = in_size ? self.numel() / in_size : 0;
  const T* x = input.data<T>();
  Result<T> result(out);
  T* y = result.data();
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, in_size / rows));
  cpu::parallel_for(0, planes * rows, grain, [&](int64_t first, int64_t last) {
    std::vector<T> sums(static_cast<size_t>(in[2]));
    for (int64_t r = first; r < last; ++r) {
      const T* plane = x + r / rows * in_size;
      if (rows * o[2] == 1) {
        y[r] = static_cast<T>(reduction::row<SumOp<T>>(plane, in_size, T(0)) /
                              static_cast<double>(in_size));
        continue;
      }
      const Span d = adaptive_window(r % rows / o[1], o[0], in[0]);
      const Span h = adaptive_window(r % o[1], o[1], in[1]);
      add_window_rows(plane, in, d, h, sums.data());
      for (int64_t j = 0; j < o[2]; ++j) {
        const Span w = adaptive_window(j, o[2], in[2]);
        T sum = 0;
        for (int64_t i = w.begin; i < w.end; ++i) sum += sums[static_cast<size_t>(i)];
        y[r * o[2] + j] =
            sum / static_cast<T>((d.end - d.begin) * (h.end - h.begin) * (w.end - w.begin));
      }
    }
  });
  result.store();
}

template <class T>
void adaptive_max_as(const Tensor& self, size_t n, Tensor& out, Tensor& indices) {
  const Tensor input = contiguous_as(self, dtype_of<T>::value);
  const auto in = spatial_sizes(self, n), o = spatial_sizes(out, n);
  const int64_t in_size = in[0] * in[1] * in[2], out_size = o[0] * o[1] * o[2];
  const T* x = input.data<T>();
  Result<T> result(out);
  T* y = result.data();
  auto* index = indices.data<int64_t>();
  const int64_t grain = std::max<int64_t>(1, kGrain / (in_size / out_size + 1));
  cpu::parallel_for(0, out.numel(), grain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const T* plane = x + i / out_size * in_size;
      const int64_t at = i % out_size;
      const Span d = adaptive_window(at / (o[1] * o[2]), o[0], in[0]);
      const Span h = adaptive_window(at / o[2] % o[1], o[1], in[1]);
      const Span w = adaptive_window(at % o[2], o[2], in[2]);
      int64_t best = (d.begin * in[1] + h.begin) * in[2] + w.begin;
      T largest = plane[best];
      for (int64_t a = d.begin; a < d.end; ++a)
        for (int64_t b = h.begin; b < h.end; ++b)
          for (int64_t c = w.begin; c < w.end; ++c) {
            const int64_t p = (a * in[1] + b) * in[2] + c;
            if (!(plane[p] > largest || plane[p] != plane[p])) continue;
            largest = plane[p];
            best = p;
          }
      y[i] = largest;
      index[i] = best;
    }
  });
  result.store();
}

}  // namespace

void avg_pool1d(const Tensor& self, IntList kernel, IntList stride, IntList padding, bool ceil_mode,
                bool count_include_pad, Tensor& out) {
  avg_pool(self, 1, kernel, stride, padding, ceil_mode, count_include_pad, std::nullopt, out);
}
void avg_pool2d(const Tensor& self, IntList kernel, IntList stride, IntList padding, bool ceil_mode,
                bool count_include_pad, std::optional<int64_t> divisor, Tensor& out) {
  avg_pool(self, 2, kernel, stride, padding, ceil_mode, count_include_pad, divisor, out);
}
void avg_pool3d(const Tensor& self, IntList kernel, IntList stride, IntList padding, bool ceil_mode,
                bool count_include_pad, std::optional<int64_t> divisor, Tensor& out) {
  avg_pool(self, 3, kernel, stride, padding, ceil_mode, count_include_pad, divisor, out);
}

#define RL_ADAPTIVE(n)                                                                       \
  void adaptive_avg_pool##n##d(const Tensor& self, IntList, Tensor& out) {                   \
    if (out.numel() == 0) return;                                                            \
    dispatch_float(self.dtype, [&](auto t) { adaptive_avg_as<decltype(t)>(self, n, out); }); \
  }                                                                                          \
  void adaptive_max_pool##n##d(const Tensor& self, IntList, Tensor& out, Tensor& indices) {  \
    if (out.numel() == 0) return;                                                            \
    dispatch_float(self.dtype,                                                               \
                   [&](auto t) { adaptive_max_as<decltype(t)>(self, n, out, indices); });    \
  }
RL_ADAPTIVE(1)
RL_ADAPTIVE(2)
RL_ADAPTIVE(3)
#undef RL_ADAPTIVE

}  // namespace rushlight::kernels::RL_CPU
