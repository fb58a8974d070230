// max_pool: first the rows of a window become one row, then the columns one number each.
#include "kernels/compute.h"
#include "kernels/kernel.h"
#include "kernels/pool.h"
#include "kernels/reduce_ops.h"

namespace rushlight::kernels::RL_CPU {
namespace {

struct MaxPool {
  PoolWindow window;
  std::array<int64_t, 3> in, out;
  int64_t planes;
};

template <class T>
T larger(T a, T b) {
  return MaxOp<T>::combine(a, b);
}

template <class T>
void max_rows(const MaxPool& p, const T* plane, int64_t od, int64_t oh, T* rows, T* out) {
  const auto [d0, d1] = window(p.window, 0, od, p.in[0]);
  const auto [h0, h1] = window(p.window, 1, oh, p.in[1]);
  const int64_t width = p.in[2], outputs = p.out[2];
  const T* source = nullptr;  // the one row, until there are more
  for (int64_t d = d0; d < d1; d += p.window.dilation[0]) {
    for (int64_t h = h0; h < h1; h += p.window.dilation[1]) {
      const T* row = plane + (d * p.in[1] + h) * width;
      if (!source) {
        source = row;
        continue;
      }
      for_lanes<T>(width, [&](int64_t i, auto l) {
        using L = decltype(l);
        L::store(rows + i, MaxOp<T>::combine(L::load(source + i), L::load(row + i)));
      });
      source = rows;
    }
  }
  std::fill(out, out + outputs, MaxOp<T>::identity);
  if (!source) return;
  for (int64_t k = 0; k < p.window.kernel[2]; ++k)
    combine_row(source, k * p.window.dilation[2] - p.window.padding[2], p.window.stride[2], width,
                out, outputs, larger<T>);
}

// The same with flat positions inside the plane. The first of equal elements wins, the last NaN.
template <class T>
void max_rows_indexed(const MaxPool& p, const T* plane, int64_t od, int64_t oh, T* out,
                      int64_t* index) {
  const auto [d0, d1] = window(p.window, 0, od, p.in[0]);
  const auto [h0, h1] = window(p.window, 1, oh, p.in[1]);
  const int64_t width = p.in[2], outputs = p.out[2], stride = p.window.stride[2];
  for (int64_t j = 0; j < outputs; ++j) {
    out[j] = MaxOp<T>::identity;
    index[j] = (d0 * p.in[1] + h0) * width + window(p.window, 2, j, width).begin;
  }
  for (int64_t d = d0; d < d1; d += p.window.dilation[0])
    for (int64_t h = h0; h < h1; h += p.window.dilation[1])
      for (int64_t k = 0; k < p.window.kernel[2]; ++k) {
        const int64_t row = (d * p.in[1] + h) * width;
        const int64_t offset = k * p.window.dilation[2] - p.window.padding[2];
        const auto [begin, end] = reach(offset, stride, width, outputs);
        const T* x = plane + row + offset;
        for (int64_t j = begin; j < end; ++j) {
          const T v = x[j * stride];
          const bool wins = (v > out[j]) | (v != v);
          out[j] = wins ? v : out[j];
          index[j] = wins ? row + offset + j * stride : index[j];
        }
      }
}

template <class T>
void max_pool_as(const MaxPool& p, const Tensor& self, Tensor& out, Tensor* indices) {
  const Tensor input = contiguous_as(self, dtype_of<T>::value);
  const T* x = input.data<T>();
  Result<T> result(out);
  T* y = result.data();
  int64_t* index = indices ? indices->data<int64_t>() : nullptr;
  const int64_t in_size = p.in[0] * p.in[1] * p.in[2], rows = p.out[0] * p.out[1];
  const int64_t work = p.out[2] * p.window.kernel[0] * p.window.kernel[1] * p.window.kernel[2];
  cpu::parallel_for(
      0, p.planes * rows, std::max<int64_t>(1, kGrain / work), [&](int64_t first, int64_t last) {
        std::vector<T> buffer(static_cast<size_t>(p.in[2]));
        for (int64_t r = first; r < last; ++r) {
          const T* plane = x + r / rows * in_size;
          const int64_t od = r % rows / p.out[1], oh = r % p.out[1];
          if (index)
            max_rows_indexed(p, plane, od, oh, y + r * p.out[2], index + r * p.out[2]);
          else
            max_rows(p, plane, od, oh, buffer.data(), y + r * p.out[2]);
        }
      });
  result.store();
}

void max_pool(const Tensor& self, size_t n, IntList kernel, IntList stride, IntList padding,
              IntList dilation, bool ceil_mode, Tensor& out, Tensor* indices = nullptr) {
  MaxPool p{pool_window(n, kernel, stride, padding, dilation, ceil_mode), spatial_sizes(self, n),
            spatial_sizes(out, n), 1};
  for (size_t d = 0; d + n < self.sizes.size(); ++d) p.planes *= self.sizes[d];
  switch (self.dtype) {
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
      return max_pool_as<float>(p, self, out, indices);
    case DType::Float64:
      return max_pool_as<double>(p, self, out, indices);
    default:
      return max_pool_as<int64_t>(p, self, out, indices);
  }
}

}  // namespace

#define RL_MAX_POOL(n)                                                                     \
  void max_pool##n##d(const Tensor& self, IntList kernel, IntList stride, IntList padding, \
                      IntList dilation, bool ceil_mode, Tensor& out) {                     \
    max_pool(self, n, kernel, stride, padding, dilation, ceil_mode, out);                  \
  }                                                                                        \
  void max_pool##n##d(const Tensor& self, IntList kernel, IntList stride, IntList padding, \
                      IntList dilation, bool ceil_mode, Tensor& out, Tensor& indices) {    \
    max_pool(self, n, kernel, stride, padding, dilation, ceil_mode, out, &indices);        \
  }
RL_MAX_POOL(1)
RL_MAX_POOL(2)
RL_MAX_POOL(3)
#undef RL_MAX_POOL

}  // namespace rushlight::kernels::RL_CPU
