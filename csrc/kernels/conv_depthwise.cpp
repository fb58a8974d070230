// Depthwise convolution: every output channel reads one input channel, whose flat image fits the
// cache, so the sums of a stretch of pixels stay in registers over all taps.
#include "kernels/conv.h"

namespace rushlight::kernels::RL_CPU {
namespace {

template <class T, int kVectors>
inline void stretch(const T* pixels, const std::vector<int64_t>& taps, const T* weight, T bias,
                    T* to) {
  Vec<T> sum[kVectors];
  for (int v = 0; v < kVectors; ++v) sum[v] = splat(bias);
  for (size_t k = 0; k < taps.size(); ++k) {
    const Vec<T> w = splat(weight[k]);
    const T* from = pixels + taps[k];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sum[v] = fma(w, load(from + v * kLanes<T>), sum[v]);
  }
  for (int v = 0; v < kVectors; ++v) store(to + v * kLanes<T>, sum[v]);
}

/// All flat columns of one output channel into `line`, which has room for whole stretches.
template <class T>
void all_columns(const T* pixels, const FlatImage& image, const T* weight, T bias, T* line) {
  constexpr int wide = 6;
  const int64_t columns = image.columns();
  int64_t j = 0;
  for (; j + wide * kLanes<T> <= columns; j += wide * kLanes<T>)
    stretch<T, wide>(pixels + j, image.taps(), weight, bias, line + j);
  for (; j < columns; j += kLanes<T>)
    stretch<T, 1>(pixels + j, image.taps(), weight, bias, line + j);
}

}  // namespace

template <class T>
void conv_depthwise(const Conv<T>& conv) {
  const ConvGeometry& g = conv.g;
  const FlatImage image(g);
  const int64_t multiplier = g.out_channels / g.groups, pixels = g.out_pixels();
  const int64_t work = image.columns() * g.taps() * multiplier;
  cpu::parallel_for(
      0, g.batch * g.groups, std::max<int64_t>(1, kGrain / work), [&](int64_t first, int64_t last) {
        // The last vector of a channel may read past its end: room for that is part of the image.
        const int64_t size = image.channel_size() + kLanes<T>;
        T* flat = static_cast<T*>(scratch(static_cast<size_t>(size) * sizeof(T), 0));
        std::fill_n(flat + image.channel_size(), kLanes<T>, T(0));
        const int64_t room = image.columns() + kLanes<T>;
        T* line = static_cast<T*>(scratch(static_cast<size_t>(room) * sizeof(T), 1));
        for (int64_t index = first; index < last; ++index) {
          const T* input = conv.input + index * g.in_pixels();
          if (image.in_place())
            std::copy_n(input, g.in_pixels(), flat);
          else
            image.fill(input, flat);
          const int64_t channel = index % g.groups * multiplier;
          for (int64_t m = 0; m < multiplier; ++m) {
            const T bias = conv.bias ? conv.bias[channel + m] : T(0);
            all_columns(flat, image, conv.weight + (channel + m) * g.taps(), bias, line);
            T* out = conv.output + (index * multiplier + m) * pixels;
            image.for_each_run(0, image.columns(),
                               [&](int64_t column, int64_t pixel, int64_t length) {
                                 std::copy_n(line + column, length, out + pixel);
                               });
          }
          conv.finish(index * multiplier * pixels, multiplier * pixels);
        }
      });
}

template void conv_depthwise(const Conv<float>&);
template void conv_depthwise(const Conv<double>&);

}  // namespace rushlight::kernels::RL_CPU
