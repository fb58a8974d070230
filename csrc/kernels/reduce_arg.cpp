// argmax, argmin, and max and min with indices. The first of equal elements wins, and the first
// NaN wins over everything, as in PyTorch on the CPU.
#include "kernels/kernel.h"
#include "kernels/reduce_ops.h"

namespace rushlight::kernels::RL_CPU {
namespace {

constexpr int64_t kChunk = 2048;

template <class Op, class T>
bool beats(T x, T best) {
  const bool better = std::is_same_v<Op, MaxOp<T>> ? x > best : x < best;
  return better | ((x != x) & (best == best));
}

// Position of the first element that is `value` (any NaN for a NaN); one exists.
template <class T>
int64_t find(const T* x, int64_t n, T value) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    int hits = 0;
    for (int64_t j = 0; j < 16; ++j) hits |= (x[i + j] == value) | (x[i + j] != x[i + j]);
    if (hits) break;
  }
  for (; i < n; ++i)
    if (x[i] == value || x[i] != x[i]) return i;
  RL_ASSERT(false, "extremum not found");
}

template <class Op>
int64_t arg_row(const std::byte* x, int64_t n, const Load& load) {
  using T = typename Op::In;
  alignas(64) T buffer[kChunk];
  T best{};
  int64_t at = -1;
  for (int64_t i = 0; i < n; i += kChunk) {
    const int64_t m = std::min(kChunk, n - i);
    const T* values = reinterpret_cast<const T*>(x + i * load.item);
    if (!load.direct()) {
      load.run(values, buffer, m);
      values = buffer;
    }
    const T extremum = reduction::row<Op>(values, m, T(0));
    if (at >= 0 && !beats<Op, T>(extremum, best)) continue;
    best = extremum;
    at = i + find(values, m, extremum);
  }
  return at;
}

template <class Op>
void arg_columns(const std::byte* x, int64_t n, int64_t stride, int64_t width, const Load& load,
                 int64_t* index) {
  using T = typename Op::In;
  alignas(64) T best[reduction::kColumns], buffer[reduction::kColumns];
  for (int64_t r = 0; r < n; ++r, x += stride * load.item) {
    const T* values = reinterpret_cast<const T*>(x);
    if (!load.direct()) {
      load.run(x, buffer, width);
      values = buffer;
    }
    if (r == 0) {
      std::copy(values, values + width, best);
      std::fill(index, index + width, int64_t{0});
      continue;
    }
    for (int64_t j = 0; j < width; ++j) {
      const bool better = beats<Op, T>(values[j], best[j]);
      best[j] = better ? values[j] : best[j];
      index[j] = better ? r : index[j];
    }
  }
}

// Indices into dimension `dim` of [outer, n, inner], contiguous.
template <class Op>
void arg_as(const Tensor& x, int64_t outer, int64_t n, int64_t inner, int64_t* index) {
  const Load load = load_for(x.dtype, dtype_of<typename Op::In>::value);
  if (inner == 1) {
    cpu::parallel_for(0, outer, std::max<int64_t>(1, kGrain / n), [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i)
        index[i] = arg_row<Op>(x.raw() + i * n * load.item, n, load);
    });
    return;
  }
  const int64_t width = std::min(inner, reduction::kColumns);
  const int64_t tiles = (inner + width - 1) / width;
  const int64_t grain = std::max<int64_t>(1, kGrain / (n * width));
  cpu::parallel_for(0, outer * tiles, grain, [&](int64_t first, int64_t last) {
    for (int64_t job = first; job < last; ++job) {
      const int64_t i = job / tiles, column = job % tiles * width;
      arg_columns<Op>(x.raw() + (i * n * inner + column) * load.item, n, inner,
                      std::min(width, inner - column), load, index + i * inner + column);
    }
  });
}

template <template <class> class Op>
void arg_into(const Tensor& x, int64_t outer, int64_t n, int64_t inner, int64_t* index) {
  switch (x.dtype) {
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
      return arg_as<Op<float>>(x, outer, n, inner, index);
    case DType::Float64:
      return arg_as<Op<double>>(x, outer, n, inner, index);
    case DType::Bool:
    case DType::UInt8:
      return arg_as<Op<uint8_t>>(x, outer, n, inner, index);
    default:
      return arg_as<Op<int64_t>>(x, outer, n, inner, index);
  }
}

struct Split {
  int64_t outer = 1, n = 1, inner = 1;
  Split(const Tensor& self, std::optional<int64_t> dim) {
    if (!dim || self.rank() == 0) {
      n = self.numel();
      return;
    }
    const auto d = static_cast<size_t>(wrap_dim(*dim, self.rank()));
    for (size_t i = 0; i < self.sizes.size(); ++i)
      (i < d ? outer : i == d ? n : inner) *= self.sizes[i];
  }
};

template <template <class> class Op>
void arg(const Tensor& self, std::optional<int64_t> dim, Tensor& out) {
  if (out.numel() == 0) return;
  const Split s(self, dim);
  arg_into<Op>(self.contiguous(), s.outer, s.n, s.inner, out.data<int64_t>());
}

template <template <class> class Op>
void with_index(const Tensor& self, int64_t dim, Tensor& values, Tensor& indices) {
  if (values.numel() == 0) return;
  const Split s(self, dim);
  const Tensor x = self.contiguous();
  const auto* index = indices.data<int64_t>();
  arg_into<Op>(x, s.outer, s.n, s.inner, indices.data<int64_t>());
  auto gather = [&](auto tag) {
    using T = decltype(tag);
    const T* from = x.data<T>();
    T* to = values.data<T>();
    for (int64_t o = 0; o < s.outer; ++o)
      for (int64_t i = 0; i < s.inner; ++i, ++index) *to++ = from[(o * s.n + *index) * s.inner + i];
  };
  switch (item_size(x.dtype)) {
    case 1:
      return gather(uint8_t{});
    case 2:
      return gather(uint16_t{});
    case 4:
      return gather(uint32_t{});
    default:
      return gather(uint64_t{});
  }
}

}  // namespace

void argmax(const Tensor& self, std::optional<int64_t> dim, bool, Tensor& out) {
  arg<MaxOp>(self, dim, out);
}
void argmin(const Tensor& self, std::optional<int64_t> dim, bool, Tensor& out) {
  arg<MinOp>(self, dim, out);
}
void max(const Tensor& self, int64_t dim, bool, Tensor& values, Tensor& indices) {
  with_index<MaxOp>(self, dim, values, indices);
}
void min(const Tensor& self, int64_t dim, bool, Tensor& values, Tensor& indices) {
  with_index<MinOp>(self, dim, values, indices);
}

}  // namespace rushlight::kernels::RL_CPU
