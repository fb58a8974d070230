// Transposed convolution: one matrix product gives what every input pixel adds through every tap;
// then each output channel gathers its sums (col2im).
#include "kernels/conv.h"

namespace rushlight::kernels::RL_CPU {
namespace {

/// Where input positions land in one dimension for one tap: output = start + input * stride, for
/// inputs [first, last).
struct Landing {
  int64_t start, first, last;
};

Landing land(const ConvGeometry& g, int dim, int64_t tap) {
  const int64_t start = tap * g.dilation[dim] - g.pad_before[dim], step = g.stride[dim];
  const int64_t first = start < 0 ? (-start + step - 1) / step : 0;
  const int64_t room = g.out[dim] - start;
  const int64_t last = room <= 0 ? 0 : std::min(g.in[dim], (room + step - 1) / step);
  return {start, first, std::max(first, last)};
}

template <class T>
void add_row(const T* from, T* to, int64_t n, int64_t step) {
  if (step == 1)
    for (int64_t i = 0; i < n; ++i) to[i] += from[i];
  else if (step == 2)
    for (int64_t i = 0; i < n; ++i) to[2 * i] += from[i];
  else
    for (int64_t i = 0; i < n; ++i) to[i * step] += from[i];
}

/// `columns` holds [taps, input pixels] for one output channel.
template <class T>
void gather(const ConvGeometry& g, const T* columns, T bias, T* out) {
  std::fill_n(out, g.out_pixels(), bias);
  for (int64_t kd = 0; kd < g.kernel[0]; ++kd)
    for (int64_t kh = 0; kh < g.kernel[1]; ++kh)
      for (int64_t kw = 0; kw < g.kernel[2]; ++kw, columns += g.in_pixels()) {
        const Landing d = land(g, 0, kd), h = land(g, 1, kh), w = land(g, 2, kw);
        for (int64_t id = d.first; id < d.last; ++id)
          for (int64_t ih = h.first; ih < h.last; ++ih) {
            const T* from = columns + (id * g.in[1] + ih) * g.in[2] + w.first;
            const int64_t od = d.start + id * g.stride[0], oh = h.start + ih * g.stride[1];
            T* to = out + (od * g.out[1] + oh) * g.out[2] + w.start + w.first * g.stride[2];
            add_row(from, to, w.last - w.first, g.stride[2]);
          }
      }
}

}  // namespace

template <class T>
void conv_transposed(const Conv<T>& conv) {
  const ConvGeometry& g = conv.g;
  const int64_t channels = g.in_channels / g.groups, outs = g.out_channels / g.groups;
  const int64_t rows = outs * g.taps(), in_pixels = g.in_pixels(), pixels = g.out_pixels();
  const auto one = [&](int64_t index) {
    T* columns = static_cast<T*>(scratch(static_cast<size_t>(rows * in_pixels) * sizeof(T), 2));
    const int64_t group = index % g.groups;
    Gemm<T> product;
    product.m = rows, product.n = in_pixels, product.k = channels;
    product.a = conv.weight + group * channels * rows;
    product.a_row = 1, product.a_col = rows;
    product.b = conv.input + index * channels * in_pixels;
    product.b_row = in_pixels;
    product.c = columns;
    product.c_row = in_pixels;
    gemm(product);
    const int64_t work = g.taps() * in_pixels + pixels;
    cpu::parallel_for(
        0, outs, std::max<int64_t>(1, kGrain / work), [&](int64_t first, int64_t last) {
          for (int64_t o = first; o < last; ++o) {
            const int64_t channel = index * outs + o;
            gather(g, columns + o * g.taps() * in_pixels,
                   conv.bias ? conv.bias[group * outs + o] : T(0), conv.output + channel * pixels);
            conv.finish(channel * pixels, pixels);
          }
        });
  };
  const int64_t jobs = g.batch * g.groups;
  if (jobs >= 4 * cpu::num_threads() || jobs % cpu::num_threads() == 0) {
    cpu::parallel_for(0, jobs, 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) one(i);
    });
  } else {
    for (int64_t i = 0; i < jobs; ++i) one(i);
  }
}

template void conv_transposed(const Conv<float>&);
template void conv_transposed(const Conv<double>&);

}  // namespace rushlight::kernels::RL_CPU
