// grid_sampler: each output reads the input around a position that the grid gives. The taps of a
// row of outputs are found once and then applied to every channel.
#include <cmath>

#include "kernels/compute.h"
#include "kernels/kernel.h"

namespace rushlight::kernels::RL_CPU {
namespace {

enum class Mode : uint8_t { Linear, Nearest, Cubic };
enum class Padding : uint8_t { Zeros, Border, Reflection };

template <class T>
struct Sampler {
  Mode mode;
  Padding padding;
  bool align;
  int dims;
  std::array<int64_t, 3> in;  // depth, height, width

  T unnormalize(T x, int64_t size) const {
    const T n = static_cast<T>(size);
    return align ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2;
  }

  // Mirrors x into [low / 2, high / 2].
  static T reflect(T x, int64_t twice_low, int64_t twice_high) {
    if (twice_low == twice_high) return 0;
    const T low = static_cast<T>(twice_low) / 2;
    const T span = static_cast<T>(twice_high - twice_low) / 2;
    x = std::abs(x - low);
    const T extra = std::fmod(x, span);
    const bool even = static_cast<int64_t>(std::floor(x / span)) % 2 == 0;
    return even ? extra + low : span - extra + low;
  }

  T pad(T x, int64_t size) const {
    const T last = static_cast<T>(size - 1);
    if (padding == Padding::Reflection)
      x = align ? reflect(x, 0, 2 * (size - 1)) : reflect(x, -1, 2 * size - 1);
    if (padding != Padding::Zeros) x = std::min(std::max(x, T(0)), last);
    return x;
  }

  // NaN and what no int64 holds lie outside every input, as PyTorch's conversions have it.
  static int64_t whole(T x) {
    return x > T(-1e9) && x < T(1e9) ? static_cast<int64_t>(x) : int64_t{-1} << 40;
  }

  // Taps of one dimension: positions and weights.
  int axis_taps(T coordinate, int64_t size, int64_t* at, T* weight) const {
    const T x = unnormalize(coordinate, size);
    if (mode == Mode::Nearest) {
      at[0] = whole(std::nearbyint(pad(x, size)));
      weight[0] = 1;
      return 1;
    }
    if (mode == Mode::Linear) {
      const T p = pad(x, size), floor = std::floor(p);
      at[0] = whole(floor);
      at[1] = at[0] + 1;
      weight[1] = p - floor;
      weight[0] = floor + 1 - p;
      return 2;
    }
    constexpr T a = T(-0.75);
    const T floor = std::floor(x), t = x - floor;
    const auto near = [](T v) { return ((a + 2) * v - (a + 3)) * v * v + 1; };
    const auto far = [](T v) { return ((a * v - 5 * a) * v + 8 * a) * v - 4 * a; };
    const T weights[4] = {far(t + 1), near(t), near(1 - t), far(2 - t)};
    for (int k = 0; k < 4; ++k) {
      at[k] = whole(pad(floor + static_cast<T>(k - 1), size));
      weight[k] = weights[k];
    }
    return 4;
  }

  // Offsets inside a channel and weights of the taps that lie inside the input.
  int taps(const T* grid, int64_t* offset, T* weight) const {
    int64_t at[3][4] = {{0}, {0}, {0}};
    T w[3][4] = {{1}, {1}, {1}};
    int n[3] = {1, 1, 1};
    for (int d = 0; d < dims; ++d)  // the grid's last dimension is x, y(, z)
      n[2 - d] = axis_taps(grid[d], in[2 - d], at[2 - d], w[2 - d]);
    int count = 0;
    for (int i = 0; i < n[0]; ++i)
      for (int j = 0; j < n[1]; ++j)
        for (int k = 0; k < n[2]; ++k) {
          const int64_t z = at[0][i], y = at[1][j], x = at[2][k];
          if (z < 0 || z >= in[0] || y < 0 || y >= in[1] || x < 0 || x >= in[2]) continue;
          offset[count] = (z * in[1] + y) * in[2] + x;
          weight[count++] = w[0][i] * w[1][j] * w[2][k];
        }
    return count;
  }
};

template <class T>
void sample(const Sampler<T>& s, const Tensor& input, const Tensor& grid, Tensor& out) {
  constexpr int kTaps = 16;
  const Tensor x = contiguous_as(input, dtype_of<T>::value);
  const Tensor g = contiguous_as(grid, dtype_of<T>::value);
  Result<T> result(out);
  const int64_t channels = x.sizes[1], in_size = s.in[0] * s.in[1] * s.in[2];
  const int64_t width = out.sizes.back(), out_size = out.numel() / (out.sizes[0] * channels);
  const int64_t rows = out_size / width;
  T* const y = result.data();
  const int64_t grain = std::max<int64_t>(1, kGrain / 8 / (width * channels));
  cpu::parallel_for(0, out.sizes[0] * rows, grain, [&](int64_t first, int64_t last) {
    const auto n = static_cast<size_t>(width);
    std::vector<int> counts(n);
    std::vector<int64_t> offsets(n * kTaps);
    std::vector<T> weights(n * kTaps);
    for (int64_t r = first; r < last; ++r) {
      const int64_t image = r / rows, row = r % rows;
      const T* from = g.data<T>() + r * width * s.dims;
      for (size_t j = 0; j < n; ++j)
        counts[j] = s.taps(from + j * static_cast<size_t>(s.dims), &offsets[j * kTaps],
                           &weights[j * kTaps]);
      for (int64_t c = 0; c < channels; ++c) {
        const T* plane = x.data<T>() + (image * channels + c) * in_size;
        T* to = y + (image * channels + c) * out_size + row * width;
        for (size_t j = 0; j < n; ++j) {
          T sum = 0;
          for (int k = 0; k < counts[j]; ++k)
            sum += plane[offsets[j * kTaps + static_cast<size_t>(k)]] *
                   weights[j * kTaps + static_cast<size_t>(k)];
          to[j] = sum;
        }
      }
    }
  });
  result.store();
}

}  // namespace

void grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                  int64_t padding_mode, bool align_corners, Tensor& out) {
  if (out.numel() == 0) return;
  dispatch_float(input.dtype, [&](auto t) {
    Sampler<decltype(t)> s{static_cast<Mode>(interpolation_mode),
                           static_cast<Padding>(padding_mode),
                           align_corners,
                           static_cast<int>(input.rank()) - 2,
                           {1, 1, 1}};
    for (int d = 0; d < s.dims; ++d) s.in[2 - d] = input.size(-1 - d);
    sample(s, input, grid, out);
  });
}

}  // namespace rushlight::kernels::RL_CPU
