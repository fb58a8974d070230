// The driver of all reductions that combine elements with a commutative operation. An operation is
// a struct of static functions that work on scalars and on GCC vectors alike:
//
//   In        type of the elements (a compute type)
//   Total     type results are combined in (float sums: double, so that long ones stay accurate)
//   identity  the neutral element
//   map(x, shift), combine(a, b)
#pragma once

#include <algorithm>
#include <limits>

#include "kernels/kernel.h"
#include "kernels/lanes.h"
#include "kernels/reduce_load.h"
#include "kernels/reduce_plan.h"

namespace rushlight::kernels::RL_CPU {

namespace reduction {

/// Vectors each lane takes before its sum moves to the wider Total.
inline constexpr int64_t kBlock = 16;
/// Columns whose accumulators stay in the L1 cache, and elements converted at a time.
inline constexpr int64_t kColumns = 512;
/// Elements that make a piece when one result is computed by several threads.
inline constexpr int64_t kPiece = 65536;

template <class Op, class V>
typename Op::Total fold(V v) {
  using Total = typename Op::Total;
  if constexpr (has_lanes<typename Op::In>) {
    Total t = Op::identity;
    for (int64_t l = 0; l < Lanes<typename Op::In>::n; ++l) t = Op::combine(t, Total(v[l]));
    return t;
  } else {
    return v;
  }
}

/// Combines `n` contiguous elements.
template <class Op>
typename Op::Total row(const typename Op::In* x, int64_t n, typename Op::In shift) {
  using L = Lanes<typename Op::In>;
  using V = typename L::type;
  typename Op::Total total = Op::identity;
  const V s = L::splat(shift), none = L::splat(Op::identity);
  while (n >= 4 * L::n) {
    V a = none, b = none, c = none, d = none;
    int64_t steps = std::min(n / (4 * L::n), kBlock);
    n -= steps * 4 * L::n;
    for (; steps > 0; --steps, x += 4 * L::n) {
      a = Op::combine(a, Op::map(L::load(x), s));
      b = Op::combine(b, Op::map(L::load(x + L::n), s));
      c = Op::combine(c, Op::map(L::load(x + 2 * L::n), s));
      d = Op::combine(d, Op::map(L::load(x + 3 * L::n), s));
    }
    total = Op::combine(total, fold<Op>(V(Op::combine(Op::combine(a, b), Op::combine(c, d)))));
  }
  if (n >= L::n) {
    V a = none;
    for (; n >= L::n; n -= L::n, x += L::n) a = Op::combine(a, Op::map(L::load(x), s));
    total = Op::combine(total, fold<Op>(a));
  }
  for (; n > 0; --n, ++x) total = Op::combine(total, typename Op::Total(Op::map(*x, shift)));
  return total;
}

/// The same for elements that `load` brings to the compute type first.
template <class Op>
typename Op::Total loaded_row(const std::byte* x, int64_t n, typename Op::In shift,
                              const Load& load) {
  using In = typename Op::In;
  if (load.direct()) return row<Op>(reinterpret_cast<const In*>(x), n, shift);
  alignas(64) std::byte buffer[kColumns * sizeof(In)];
  In* const values = reinterpret_cast<In*>(buffer);
  typename Op::Total total = Op::identity;
  for (; n > 0; n -= kColumns, x += kColumns * load.item) {
    const int64_t m = std::min(n, kColumns);
    load.run(x, values, m);
    total = Op::combine(total, row<Op>(values, m, shift));
  }
  return total;
}

template <class Op>
void reduce_rows(const ReducePlan& plan, const Load& load, const typename Op::In* shift,
                 typename Op::Total* totals) {
  using Total = typename Op::Total;
  const std::byte* const base = plan.input.raw();
  const int64_t n = plan.inner.size, per_output = n * plan.outer_reduced;
  auto one_row = [&](int64_t in, int64_t length, int64_t out) {
    return loaded_row<Op>(base + in * load.item, length, shift ? shift[out] : typename Op::In(0),
                          load);
  };
  if (plan.outer_kept >= 16 || per_output < 2 * kPiece) {
    const int64_t grain = std::max<int64_t>(1, kGrain / per_output);
    cpu::parallel_for(0, plan.outer_kept, grain, [&](int64_t first, int64_t last) {
      AxisWalk kept(plan.kept, first);
      for (int64_t i = first; i < last; ++i, kept.next()) {
        Total total = Op::identity;
        AxisWalk reduced(plan.reduced, 0);
        for (int64_t r = 0; r < plan.outer_reduced; ++r, reduced.next())
          total = Op::combine(total, one_row(kept.in + reduced.in, n, kept.out));
        totals[kept.out] = total;
      }
    });
    return;
  }
  // Few long results: pieces of fixed size, so that the number of threads does not show.
  const int64_t cuts = (n + kPiece - 1) / kPiece;  // of one row
  const int64_t rows = std::max<int64_t>(1, kPiece / n);
  const int64_t groups = (plan.outer_reduced + rows - 1) / rows;
  const int64_t pieces = cuts * groups;
  auto* partial = static_cast<Total*>(
      scratch(static_cast<size_t>(plan.outer_kept * pieces) * sizeof(Total), kReduceSlot));
  cpu::parallel_for(0, plan.outer_kept * pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      const AxisWalk kept(plan.kept, p / pieces);
      const int64_t group = p % pieces / cuts, cut = p % cuts;
      const int64_t end = std::min((group + 1) * rows, plan.outer_reduced);
      AxisWalk reduced(plan.reduced, group * rows);
      Total total = Op::identity;
      for (int64_t r = group * rows; r < end; ++r, reduced.next())
        total = Op::combine(total, one_row(kept.in + reduced.in + cut * kPiece,
                                           std::min(kPiece, n - cut * kPiece), kept.out));
      partial[p] = total;
    }
  });
  AxisWalk kept(plan.kept, 0);
  for (int64_t i = 0; i < plan.outer_kept; ++i, kept.next()) {
    Total total = Op::identity;
    for (int64_t p = 0; p < pieces; ++p) total = Op::combine(total, partial[i * pieces + p]);
    totals[kept.out] = total;
  }
}

/// acc[j] = combine over `count` (1 or 4) rows of `n` columns.
template <class Op>
void add_rows(const typename Op::In* const* rows, int count, const typename Op::In* shift,
              typename Op::In* acc, int64_t n) {
  using L = Lanes<typename Op::In>;
  using V = typename L::type;
  int64_t j = 0;
  if (count == 4) {
    const auto *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
    for (; j + L::n <= n; j += L::n) {
      const V s = L::load(shift + j);
      const V ab = Op::combine(Op::map(L::load(a + j), s), Op::map(L::load(b + j), s));
      const V cd = Op::combine(Op::map(L::load(c + j), s), Op::map(L::load(d + j), s));
      L::store(acc + j, Op::combine(L::load(acc + j), Op::combine(ab, cd)));
    }
    for (; j < n; ++j)
      acc[j] = Op::combine(
          acc[j], Op::combine(Op::combine(Op::map(a[j], shift[j]), Op::map(b[j], shift[j])),
                              Op::combine(Op::map(c[j], shift[j]), Op::map(d[j], shift[j]))));
    return;
  }
  const auto* a = rows[0];
  for (; j + L::n <= n; j += L::n)
    L::store(acc + j, Op::combine(L::load(acc + j), Op::map(L::load(a + j), L::load(shift + j))));
  for (; j < n; ++j) acc[j] = Op::combine(acc[j], Op::map(a[j], shift[j]));
}

template <class Op>
struct ColumnTile {
  using In = typename Op::In;
  using Total = typename Op::Total;
  alignas(64) std::byte storage[kColumns * (6 * sizeof(In) + sizeof(Total))];
  In* const acc = reinterpret_cast<In*>(storage);
  In* const shift = acc + kColumns;
  In* const loaded = shift + kColumns;  // four rows
  Total* const total = reinterpret_cast<Total*>(loaded + 4 * kColumns);

  /// Combines rows [first, last) of the reduced axes into `total`.
  void run(const ReducePlan& plan, const Load& load, const std::byte* base, int64_t first,
           int64_t last, int64_t n) {
    constexpr int64_t kFlush = 4 * kBlock;
    std::fill(total, total + n, Total(Op::identity));
    AxisWalk walk(plan.reduced, first);
    for (int64_t r = first; r < last;) {
      std::fill(acc, acc + n, In(Op::identity));
      const int64_t end = std::min(last, r + kFlush);
      while (r < end) {
        const int count = end - r >= 4 ? 4 : 1;
        const In* rows[4];
        for (int k = 0; k < count; ++k, walk.next()) {
          const std::byte* p = base + walk.in * load.item;
          if (load.direct()) {
            rows[k] = reinterpret_cast<const In*>(p);
          } else {
            load.run(p, loaded + k * kColumns, n);
            rows[k] = loaded + k * kColumns;
          }
        }
        add_rows<Op>(rows, count, shift, acc, n);
        r += count;
      }
      for (int64_t j = 0; j < n; ++j) total[j] = Op::combine(total[j], Total(acc[j]));
    }
  }
};

template <class Op>
void reduce_columns(const ReducePlan& plan, const Load& load, const typename Op::In* shift,
                    typename Op::Total* totals) {
  using In = typename Op::In;
  using Total = typename Op::Total;
  const int64_t columns = plan.inner.size;
  const int64_t width = std::min(columns, kColumns);
  const int64_t tiles = (columns + width - 1) / width, jobs = plan.outer_kept * tiles;
  const int64_t work = width * plan.outer_reduced;
  int64_t pieces = 1;
  if (jobs < 16 && work >= 2 * kPiece) pieces = std::min<int64_t>(16, work / kPiece);
  const int64_t outputs = columns * plan.outer_kept;
  Total* results = totals;
  if (pieces > 1)
    results = static_cast<Total*>(
        scratch(static_cast<size_t>(outputs * pieces) * sizeof(Total), kReduceSlot));
  const int64_t grain = pieces > 1 ? 1 : std::max<int64_t>(1, kGrain / std::max<int64_t>(work, 1));
  const int64_t per_piece = (plan.outer_reduced + pieces - 1) / pieces;
  cpu::parallel_for(0, jobs * pieces, grain, [&](int64_t first, int64_t last) {
    ColumnTile<Op> tile;
    std::fill(tile.shift, tile.shift + kColumns, In(0));
    for (int64_t job = first; job < last; ++job) {
      const int64_t piece = job / jobs, column = job % tiles * width;
      const int64_t n = std::min(width, columns - column);
      const AxisWalk kept(plan.kept, job % jobs / tiles);
      const int64_t out = kept.out + column * plan.inner.out;
      if (shift)
        for (int64_t j = 0; j < n; ++j) tile.shift[j] = shift[out + j * plan.inner.out];
      tile.run(plan, load, plan.input.raw() + (kept.in + column) * load.item, piece * per_piece,
               std::min((piece + 1) * per_piece, plan.outer_reduced), n);
      Total* const to = results + piece * outputs + out;
      for (int64_t j = 0; j < n; ++j) to[j * plan.inner.out] = tile.total[j];
    }
  });
  if (pieces == 1) return;
  std::copy(results, results + outputs, totals);
  for (int64_t p = 1; p < pieces; ++p)
    for (int64_t i = 0; i < outputs; ++i)
      totals[i] = Op::combine(totals[i], results[p * outputs + i]);
}

}  // namespace reduction

/// Reduces the dimensions in `mask`: one Total per output, contiguous. `shift`, if given, holds
/// one value per output, the second argument of `Op::map`.
template <class Op>
void reduce(const Tensor& input, const DimMask& mask, const Load& load,
            const typename Op::In* shift, typename Op::Total* totals) {
  if (input.numel() == 0) {
    int64_t outputs = 1;
    for (size_t d = 0; d < input.sizes.size(); ++d)
      if (!mask[d]) outputs *= input.sizes[d];
    std::fill(totals, totals + outputs, typename Op::Total(Op::identity));
    return;
  }
  const ReducePlan plan = plan_reduction(input, mask);
  if (plan.rows || plan.inner.size == 1)
    reduction::reduce_rows<Op>(plan, load, shift, totals);
  else
    reduction::reduce_columns<Op>(plan, load, shift, totals);
}

}  // namespace rushlight::kernels::RL_CPU
