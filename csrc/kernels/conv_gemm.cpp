// Convolution as a product of the weights and the flat image (conv.h).
#include "kernels/conv.h"
#include "kernels/gemm_micro.h"
#include "kernels/gemm_pack.h"

namespace rushlight::kernels::RL_CPU {
namespace {

constexpr int64_t kBlockBytes = 24 * 1024;    // one strip of a K block, in the L1 cache
constexpr int64_t kBlockBytesB = 256 * 1024;  // all strips of a block, in the L2 cache
constexpr int64_t kBlockRows = 16 * kTileRows;
constexpr int64_t kThreadWork = 128 * 1024;  // multiply-adds that are worth a thread

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t even_block(int64_t n, int64_t most, int64_t unit) {
  const int64_t blocks = std::max<int64_t>(ceil_div(n, most), 1);
  return std::max(ceil_div(ceil_div(n, blocks), unit) * unit, unit);
}

/// Offset of every row of the product's second matrix.
std::vector<int64_t> row_offsets(const FlatImage& image, int64_t channels) {
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(channels) * image.taps().size());
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t tap : image.taps()) offsets.push_back(c * image.channel_size() + tap);
  return offsets;
}

/// One image and group.
template <class T>
struct Job {
  const FlatImage& image;
  const std::vector<int64_t>& offsets;
  const T* pixels;  // flat image
  const T* weight;  // [rows, K]
  const T* bias;    // or null
  T* output;        // [rows, pixels]
  int64_t out_begin;
};

struct Run {
  int64_t tile, pixel, length;
};

template <class T>
void pack(const Job<T>& job, int64_t p, int64_t depth, int64_t j, int64_t width, T* to) {
  constexpr int64_t strip = kStrip<T>;
  const T* pixels = job.pixels + j;
  const int64_t* offset = job.offsets.data() + p;
  for (int64_t i = 0; i < depth; ++i, to += strip) {
    const T* from = pixels + offset[i];
    if (width == strip) {
      for (int v = 0; v < kStripVectors; ++v) store(to + v * kLanes<T>, load(from + v * kLanes<T>));
    } else {
      for (int64_t l = 0; l < strip; ++l) to[l] = l < width ? from[l] : T(0);
    }
  }
}

/// Rows [i0, i1) of the output, columns [j0, j1) of the flat image, on this thread.
template <class T>
void block(const Conv<T>& conv, const Job<T>& job, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
  constexpr int64_t strip = kStrip<T>;
  const int64_t k = static_cast<int64_t>(job.offsets.size()), pixels = conv.g.out_pixels();
  const int64_t kc = even_block(k, kBlockBytes / (strip * int64_t{sizeof(T)}), 8);
  const int64_t widest = std::max<int64_t>(kBlockBytesB / (kc * int64_t{sizeof(T)}), strip);
  const int64_t nc = even_block(j1 - j0, widest, strip);
  const int64_t mc = even_block(i1 - i0, kBlockRows, kTileRows);
  T* packed = static_cast<T*>(scratch(static_cast<size_t>(nc * kc) * sizeof(T), 0));
  std::vector<Run> runs;

  for (int64_t j = j0; j < j1; j += nc) {
    const int64_t j_end = std::min(j + nc, j1);
    for (int64_t p = 0; p < k; p += kc) {
      const int64_t depth = std::min(kc, k - p);
      for (int64_t s = j; s < j_end; s += strip)
        pack(job, p, depth, s, std::min(strip, j_end - s), packed + (s - j) * depth);
      for (int64_t i = i0; i < i1; i += mc) {
        const int64_t rows = std::min(mc, i1 - i);
        T* out = job.output + i * pixels;
        for (int64_t s = j; s < j_end; s += strip) {
          const int64_t width = std::min(strip, j_end - s);
          runs.clear();
          job.image.for_each_run(s, s + width, [&](int64_t column, int64_t pixel, int64_t length) {
            runs.push_back({column - s, pixel, length});
          });
          if (runs.empty()) continue;
          const bool whole = runs[0].length == width && width % kLanes<T> == 0;
          const TileTarget<T> target{out + runs[0].pixel,
                                     pixels,
                                     T(1),
                                     p > 0,
                                     nullptr,
                                     job.bias && p == 0 ? job.bias + i : nullptr};
          run_strip(rows, width, depth, job.weight + i * k + p, k, int64_t{1},
                    packed + (s - j) * depth, strip, target, !whole,
                    [&](int64_t row, int64_t count, T* tile, bool load) {
                      for (int64_t r = 0; r < count; ++r)
                        for (const Run& run : runs) {
                          T* there = out + (row + r) * pixels + run.pixel;
                          T* here = tile + r * strip + run.tile;
                          load ? std::copy_n(there, run.length, here)
                               : std::copy_n(here, run.length, there);
                        }
                    });
        }
        if (p + depth < k) continue;
        const int64_t first = job.image.pixels_before(j), last = job.image.pixels_before(j_end);
        if (first == 0 && last == pixels)
          conv.finish(job.out_begin + i * pixels, rows * pixels);
        else
          for (int64_t r = i; r < i + rows; ++r)
            conv.finish(job.out_begin + r * pixels + first, last - first);
      }
    }
  }
}

/// One image and group on all threads that may help.
template <class T>
void run_job(const Conv<T>& conv, const Job<T>& job, int64_t rows) {
  const int64_t columns = job.image.columns(), k = static_cast<int64_t>(job.offsets.size());
  const int64_t threads = std::min<int64_t>(cpu::num_threads(), rows * columns * k / kThreadWork);
  int64_t row_parts = 1, column_parts = 1;
  double least = 1e300;
  for (int64_t r = 1; r <= threads; ++r) {
    const int64_t c = threads / r;
    // Packing a column costs about as much as three rows of products.
    const double cost = (ceil_div(ceil_div(rows, kTileRows), r) * kTileRows + 3.0) *
                        static_cast<double>(ceil_div(ceil_div(columns, kStrip<T>), c));
    if (cost < least) least = cost, row_parts = r, column_parts = c;
  }
  const int64_t i_step = ceil_div(ceil_div(rows, kTileRows), row_parts) * kTileRows;
  const int64_t j_step = ceil_div(ceil_div(columns, kStrip<T>), column_parts) * kStrip<T>;
  cpu::parallel_for(0, row_parts * column_parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      const int64_t i = part / column_parts * i_step, j = part % column_parts * j_step;
      if (i < rows && j < columns)
        block(conv, job, i, std::min(i + i_step, rows), j, std::min(j + j_step, columns));
    }
  });
}

}  // namespace

template <class T>
void conv_gemm(const Conv<T>& conv) {
  const ConvGeometry& g = conv.g;
  const FlatImage image(g);
  const int64_t channels = g.in_channels / g.groups, rows = g.out_channels / g.groups;
  const std::vector<int64_t> offsets = row_offsets(image, channels);
  const int64_t k = static_cast<int64_t>(offsets.size());
  const int64_t in_size = channels * g.in_pixels(), out_size = rows * g.out_pixels();
  const auto one = [&](int64_t index) {
    const T* pixels = conv.input + index * in_size;
    if (!image.in_place()) {
      const size_t bytes = static_cast<size_t>(channels * image.channel_size()) * sizeof(T);
      T* flat = static_cast<T*>(scratch(bytes, 2));
      const int64_t size = image.channel_size();
      cpu::parallel_for(0, channels, std::max<int64_t>(1, kGrain / size),
                        [&](int64_t first, int64_t last) {
                          for (int64_t c = first; c < last; ++c)
                            image.fill(pixels + c * g.in_pixels(), flat + c * size);
                        });
      pixels = flat;
    }
    const int64_t group = index % g.groups;
    run_job(conv,
            Job<T>{image, offsets, pixels, conv.weight + group * rows * k,
                   conv.bias ? conv.bias + group * rows : nullptr, conv.output + index * out_size,
                   index * out_size},
            rows);
  };
  // Whole images for each thread where they divide well, otherwise threads share an image.
  const int64_t jobs = g.batch * g.groups, threads = cpu::num_threads();
  const bool divide = jobs >= 4 * threads || (jobs >= threads && jobs % threads == 0) ||
                      rows * image.columns() * k < 2 * kThreadWork;
  if (!divide) {
    for (int64_t i = 0; i < jobs; ++i) one(i);
    return;
  }
  const int64_t work = std::max<int64_t>(rows * image.columns() * k, 1);
  cpu::parallel_for(0, jobs, std::max<int64_t>(1, kThreadWork / work),
                    [&](int64_t first, int64_t last) {
                      for (int64_t i = first; i < last; ++i) one(i);
                    });
}

template void conv_gemm(const Conv<float>&);
template void conv_gemm(const Conv<double>&);

}  // namespace rushlight::kernels::RL_CPU
