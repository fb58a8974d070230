#include "kernels/gemm.h"

#include "kernels/gemm_micro.h"
#include "kernels/gemm_pack.h"
#include "kernels/gemm_thin.h"

namespace rushlight::kernels::RL_CPU {
namespace {

// A strip of one K block (16 columns x 320 x 4 bytes = 20 KB) leaves room in a 32 KB L1 cache for
// the rows of A; the packed block of B and the block of A share an L2 cache of 512 KB or more.
template <class T>
constexpr int64_t kBlockK = 1280 / static_cast<int64_t>(sizeof(T));
constexpr int64_t kBlockRows = 16 * kTileRows;
constexpr int64_t kBlockBytesB = 256 * 1024;
/// Multiply-adds that are worth a thread.
constexpr int64_t kThreadWork = 128 * 1024;

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
/// The size of equal blocks, each at most `most` and a multiple of `unit`.
constexpr int64_t even_block(int64_t n, int64_t most, int64_t unit) {
  const int64_t blocks = std::max<int64_t>(ceil_div(n, most), 1);
  return std::max(ceil_div(ceil_div(n, blocks), unit) * unit, unit);
}

/// The part of C with rows [i0, i1) and columns [j0, j1), on this thread. j0 is a strip's start.
template <class T>
class Block {
 public:
  Block(const Gemm<T>& g, int64_t i0, int64_t i1, int64_t j0, int64_t j1)
      : g_(g), i0_(i0), i1_(i1), j0_(j0), j1_(j1) {}

  void run() {
    const int64_t kc = even_block(g_.k, kBlockK<T>, 8);
    const int64_t widest = std::max<int64_t>(kBlockBytesB / (kc * int64_t{sizeof(T)}), kStrip<T>);
    const int64_t nc = g_.b_packed ? j1_ - j0_ : even_block(j1_ - j0_, widest, kStrip<T>);
    const int64_t mc = even_block(i1_ - i0_, kBlockRows, kTileRows);
    // Rows of B that few tiles read are not worth packing.
    in_place_ = !g_.b_packed && g_.b_col == 1 && i1_ - i0_ <= 2 * kTileRows;
    if (!g_.b_packed)
      packed_b_ = static_cast<T*>(scratch(static_cast<size_t>(nc + kStrip<T>) * kc * sizeof(T), 0));
    const bool pack_a = g_.a_col != 1 && j1_ - j0_ > kStrip<T>;
    if (pack_a) packed_a_ = static_cast<T*>(scratch(static_cast<size_t>(mc * kc) * sizeof(T), 1));

    for (int64_t j = j0_; j < j1_; j += nc) {
      const int64_t j_end = std::min(j + nc, j1_);
      for (int64_t p = 0; p < g_.k; p += kc) {
        const int64_t depth = std::min(kc, g_.k - p);
        if (!g_.b_packed && !in_place_) pack(j, j_end, p, depth);
        for (int64_t i = i0_; i < i1_; i += mc) {
          const int64_t rows = std::min(mc, i1_ - i);
          const T* a = g_.a + i * g_.a_row + p * g_.a_col;
          if (pack_a) {
            pack_rows(rows, depth, a, g_.a_row, g_.a_col, packed_a_);
            multiply(i, rows, j, j_end, p, depth, packed_a_, depth, 1);
          } else {
            multiply(i, rows, j, j_end, p, depth, a, g_.a_row, g_.a_col);
          }
          if (p + depth == g_.k) finish_rows(g_, i, i + rows, j, j_end);
        }
      }
    }
  }

 private:
  void pack(int64_t j, int64_t j_end, int64_t p, int64_t depth) {
    T* to = packed_b_;
    for (; j < j_end; j += kStrip<T>, to += depth * kStrip<T>)
      pack_strip(depth, std::min<int64_t>(kStrip<T>, j_end - j), g_.b + p * g_.b_row + j * g_.b_col,
                 g_.b_row, g_.b_col, to);
  }

  void multiply(int64_t i, int64_t rows, int64_t j_begin, int64_t j_end, int64_t p, int64_t depth,
                const T* a, int64_t a_row, int64_t a_col) {
    for (int64_t j = j_begin; j < j_end; j += kStrip<T>) {
      const int64_t width = std::min<int64_t>(kStrip<T>, j_end - j);
      const bool partial = width % kLanes<T> != 0;
      const T* b = packed_b_ + (j - j_begin) * depth;
      int64_t b_row = kStrip<T>;
      if (g_.b_packed) {
        b = g_.b + j * g_.k + p * kStrip<T>;
      } else if (in_place_ && !partial) {
        b = g_.b + p * g_.b_row + j;
        b_row = g_.b_row;
      } else if (in_place_) {
        pack_strip(depth, width, g_.b + p * g_.b_row + j, g_.b_row, int64_t{1}, packed_b_);
        b = packed_b_;
      }
      T* c = g_.c + i * g_.c_row + j;
      alignas(64) T bias[kStrip<T>];
      const TileTarget<T> target{c,
                                 g_.c_row,
                                 g_.alpha,
                                 g_.accumulate || p > 0,
                                 column_bias(j, width, p, bias),
                                 g_.row_bias && p == 0 ? g_.row_bias + i : nullptr};
      run_strip(rows, width, depth, a, a_row, a_col, b, b_row, target, partial,
                [&](int64_t row, int64_t count, T* tile, bool load) {
                  for (int64_t r = 0; r < count; ++r) {
                    T* there = c + (row + r) * g_.c_row;
                    T* here = tile + r * kStrip<T>;
                    load ? std::copy_n(there, width, here) : std::copy_n(here, width, there);
                  }
                });
    }
  }

  // The micro-kernel reads whole vectors, so the last few biases are copied.
  const T* column_bias(int64_t j, int64_t width, int64_t p, T* copy) const {
    if (!g_.column_bias || p > 0) return nullptr;
    if (width % kLanes<T> == 0) return g_.column_bias + j;
    std::fill_n(copy, kStrip<T>, T(0));
    std::copy_n(g_.column_bias + j, width, copy);
    return copy;
  }

  const Gemm<T>& g_;
  const int64_t i0_, i1_, j0_, j1_;
  bool in_place_ = false;
  T* packed_b_ = nullptr;
  T* packed_a_ = nullptr;
};

struct Grid {
  int64_t rows = 1, columns = 1;
};

/// How many parts to cut rows and columns into: the cut whose largest part costs least. Packing a
/// column of B costs about as much as three rows of products.
template <class T>
Grid choose_grid(const Gemm<T>& g) {
  const int64_t work = g.m * g.n * g.k / kThreadWork;
  const int64_t threads = std::min<int64_t>(cpu::num_threads(), work);
  Grid best;
  double least = 1e300;
  for (int64_t rows = 1; rows <= threads; ++rows) {
    const int64_t columns = threads / rows;
    const double i = ceil_div(ceil_div(g.m, kTileRows), rows) * kTileRows;
    const double j = ceil_div(ceil_div(g.n, kStrip<T>), columns) * kStrip<T>;
    const double cost = (i + (g.b_packed ? 0 : 3)) * j;
    if (cost < least) least = cost, best = {rows, columns};
  }
  return best;
}

template <class T>
void no_depth(const Gemm<T>& g) {
  for (int64_t i = 0; i < g.m; ++i) {
    T* c = g.c + i * g.c_row;
    for (int64_t j = 0; j < g.n; ++j)
      c[j] = (g.accumulate ? c[j] : T(0)) + (g.column_bias ? g.column_bias[j] : T(0)) +
             (g.row_bias ? g.row_bias[i] : T(0));
  }
  finish_rows(g, 0, g.m, 0, g.n);
}

}  // namespace

template <class T>
void gemm(const Gemm<T>& g) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k == 0) return no_depth(g);
  if (gemm_thin(g)) return;
  const Grid grid = choose_grid(g);
  const int64_t rows = ceil_div(ceil_div(g.m, kTileRows), grid.rows) * kTileRows;
  const int64_t columns = ceil_div(ceil_div(g.n, kStrip<T>), grid.columns) * kStrip<T>;
  cpu::parallel_for(0, grid.rows * grid.columns, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      const int64_t i = part / grid.columns * rows, j = part % grid.columns * columns;
      if (i >= g.m || j >= g.n) continue;
      Block<T>(g, i, std::min(i + rows, g.m), j, std::min(j + columns, g.n)).run();
    }
  });
}

template <class T>
void pack_b(int64_t k, int64_t n, const T* b, int64_t b_row, int64_t b_col, T* packed) {
  const int64_t strips = ceil_div(n, kStrip<T>);
  cpu::parallel_for(0, strips, std::max<int64_t>(1, kGrain / (kStrip<T> * std::max<int64_t>(k, 1))),
                    [&](int64_t first, int64_t last) {
                      for (int64_t s = first; s < last; ++s) {
                        const int64_t j = s * kStrip<T>;
                        pack_strip(k, std::min<int64_t>(kStrip<T>, n - j), b + j * b_col, b_row,
                                   b_col, packed + j * k);
                      }
                    });
}

template void gemm(const Gemm<float>&);
template void gemm(const Gemm<double>&);
template void pack_b(int64_t, int64_t, const float*, int64_t, int64_t, float*);
template void pack_b(int64_t, int64_t, const double*, int64_t, int64_t, double*);

}  // namespace rushlight::kernels::RL_CPU
