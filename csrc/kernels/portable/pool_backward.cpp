// Gradients of 2-D pooling and of embeddings: each output's gradient is spread over what made it.
#include "ir/shape/pool_sizes.h"
#include "kernels/compute.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

struct Plane {
  int64_t planes, height, width, out_height, out_width;
  Plane(const Tensor& input, const Tensor& grad)
      : planes(1),
        height(input.size(-2)),
        width(input.size(-1)),
        out_height(grad.size(-2)),
        out_width(grad.size(-1)) {
    for (int64_t d = 0; d < input.rank() - 2; ++d) planes *= input.sizes[d];
  }
};

// Calls body(gradient of one plane, zeroed plane of the result) for every image and channel.
template <class F>
void for_each_plane(const Tensor& grad, const Plane& p, Tensor& out, F&& body) {
  dispatch_float(grad.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Tensor from = contiguous_as(grad, dtype_of<T>::value);
    Result<T> to(out);
    const int64_t size = p.height * p.width, grad_size = p.out_height * p.out_width;
    cpu::parallel_for(0, p.planes, kGrain / std::max<int64_t>(size, 1) + 1,
                      [&](int64_t first, int64_t last) {
                        for (int64_t i = first; i < last; ++i) {
                          T* plane = to.data() + i * size;
                          std::fill_n(plane, size, T(0));
                          body(i, from.data<T>() + i * grad_size, plane);
                        }
                      });
    to.store();
  });
}

// The part [begin, end) of a window inside the input.
struct Range {
  int64_t begin, end;
};

template <class T>
void spread(T* plane, int64_t width, Range rows, Range columns, T share) {
  for (int64_t i = rows.begin; i < rows.end; ++i)
    for (int64_t j = columns.begin; j < columns.end; ++j) plane[i * width + j] += share;
}

}  // namespace

void avg_pool2d_backward(const Tensor& grad, const Tensor& self, IntList kernel, IntList stride,
                         IntList padding, bool ceil_mode, bool count_include_pad,
                         std::optional<int64_t> divisor, Tensor& out) {
  const PoolWindow w = pool_window(2, kernel, stride, padding, Dims{1, 1}, ceil_mode);
  const Plane p(self, grad);
  const auto window = [&](size_t d, int64_t i, int64_t size, int64_t& padded) {
    const int64_t start = i * w.stride[d] - w.padding[d];
    const int64_t end = std::min(start + w.kernel[d], size + w.padding[d]);
    padded = end - start;
    return Range{std::max<int64_t>(start, 0), std::min(end, size)};
  };
  for_each_plane(grad, p, out, [&](int64_t, const auto* from, auto* plane) {
    using T = std::remove_pointer_t<decltype(plane)>;
    for (int64_t i = 0; i < p.out_height; ++i)
      for (int64_t j = 0; j < p.out_width; ++j) {
        int64_t high = 0, wide = 0;
        const Range rows = window(1, i, p.height, high), columns = window(2, j, p.width, wide);
        const int64_t inside = (rows.end - rows.begin) * (columns.end - columns.begin);
        const int64_t count = divisor ? *divisor : count_include_pad ? high * wide : inside;
        spread(plane, p.width, rows, columns,
               static_cast<T>(from[i * p.out_width + j] / static_cast<T>(count)));
      }
  });
}

void adaptive_avg_pool2d_backward(const Tensor& grad, const Tensor& self, Tensor& out) {
  const Plane p(self, grad);
  const auto window = [](int64_t i, int64_t n, int64_t size) {
    return Range{i * size / n, ((i + 1) * size + n - 1) / n};
  };
  for_each_plane(grad, p, out, [&](int64_t, const auto* from, auto* plane) {
    using T = std::remove_pointer_t<decltype(plane)>;
    for (int64_t i = 0; i < p.out_height; ++i)
      for (int64_t j = 0; j < p.out_width; ++j) {
        const Range rows = window(i, p.out_height, p.height);
        const Range columns = window(j, p.out_width, p.width);
        const auto count = static_cast<T>((rows.end - rows.begin) * (columns.end - columns.begin));
        spread(plane, p.width, rows, columns, static_cast<T>(from[i * p.out_width + j] / count));
      }
  });
}

void max_pool2d_backward(const Tensor& grad, const Tensor& self, IntList, IntList, IntList, IntList,
                         bool, const Tensor& indices, Tensor& out) {
  const Plane p(self, grad);
  const Tensor places = as_int64(indices);
  const int64_t count = p.out_height * p.out_width, size = p.height * p.width;
  for_each_plane(grad, p, out, [&](int64_t plane, const auto* from, auto* to) {
    const int64_t* at = places.data<int64_t>() + plane * count;
    for (int64_t i = 0; i < count; ++i) {
      RL_CHECK(at[i] >= 0 && at[i] < size, Runtime, "max_pool2d_with_indices_backward: index ",
               at[i], " is out of bounds for a plane of ", size, " elements");
      to[at[i]] += from[i];
    }
  });
}

void embedding_dense_backward(const Tensor& grad, const Tensor& indices, int64_t rows,
                              int64_t padding_idx, bool scale_grad_by_freq, Tensor& out) {
  const Tensor index = as_int64(indices);
  const int64_t* row = index.data<int64_t>();
  const int64_t n = index.numel(), width = out.sizes[1];
  std::vector<int64_t> uses(static_cast<size_t>(rows));
  for (int64_t i = 0; i < n; ++i) {
    RL_CHECK(row[i] >= 0 && row[i] < rows, Index, "embedding_dense_backward: index ", row[i],
             " is out of range for ", rows, " rows");
    ++uses[static_cast<size_t>(row[i])];
  }
  dispatch_float(grad.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Tensor from = contiguous_as(grad, dtype_of<T>::value);
    Result<T> to(out);
    std::fill_n(to.data(), rows * width, T(0));
    for (int64_t i = 0; i < n; ++i) {
      if (row[i] == padding_idx) continue;
      const T scale =
          scale_grad_by_freq ? T(1) / static_cast<T>(uses[static_cast<size_t>(row[i])]) : T(1);
      for (int64_t j = 0; j < width; ++j)
        to.data()[row[i] * width + j] += scale * from.data<T>()[i * width + j];
    }
    to.store();
  });
}

}  // namespace rushlight::kernels::portable
