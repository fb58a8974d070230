// copy_strided: plain memory, transposes, strided rows, and conversions.
#include "kernels/copy.h"

#include "kernels/convert.h"
#include "kernels/kernel.h"
#include "kernels/loop_nest.h"
#include "kernels/strided.h"
#include "kernels/transpose.h"

namespace rushlight::kernels {
namespace {

constexpr size_t kDst = 0, kSrc = 1;

void copy_flat(const Tensor& src, const Tensor& dst, int64_t n) {
  const int64_t from = item_size(src.dtype), to = item_size(dst.dtype);
  const ConvertFn convert = convert_fn(src.dtype, dst.dtype);
  cpu::parallel_for(0, n, 4 * kGrain, [&](int64_t first, int64_t last) {
    convert(src.raw() + first * from, dst.raw() + first * to, last - first);
  });
}

// Rows of the two innermost dimensions; the outer ones are walked by coordinates.
void copy_rows(const LoopNest& nest, const std::byte* src, std::byte* dst, int64_t item) {
  const int64_t inner = nest.inner();
  const int64_t src_stride = nest.inner_stride(kSrc), dst_stride = nest.inner_stride(kDst);
  const auto copy_row = [&](const std::byte* s, std::byte* d) {
    if (dst_stride == item) {
      gather(s, src_stride, item, d, inner);
    } else if (src_stride == item) {
      scatter(s, d, dst_stride, item, inner);
    } else {
      dispatch_item(item, [&](auto tag) {
        using T = decltype(tag);
        for (int64_t i = 0; i < inner; ++i)
          *reinterpret_cast<T*>(d + i * dst_stride) =
              *reinterpret_cast<const T*>(s + i * src_stride);
      });
    }
  };
  const int64_t grain = std::max<int64_t>(1, kGrain / inner);
  cpu::parallel_for(0, nest.numel() / inner, grain, [&](int64_t first, int64_t last) {
    int64_t at[LoopNest::kMaxRank];
    nest.locate(first * inner, at);
    for (int64_t row = first; row < last; ++row) {
      copy_row(src + nest.offset(kSrc, at), dst + nest.offset(kDst, at));
      nest.advance(inner, at);
    }
  });
}

// The dimension along which the source is contiguous when the innermost one is not, or -1.
int transposed_dim(const LoopNest& nest, int64_t item) {
  if (nest.inner_stride(kDst) != item || nest.inner_stride(kSrc) <= item) return -1;
  for (size_t d = nest.rank() - 1; d-- > 0;)
    if (nest.stride(kSrc, d) == item) return static_cast<int>(d);
  return -1;
}

// dst is contiguous along `inner`, src along `t`; all other dimensions are loops around.
void copy_transposed(const LoopNest& nest, size_t t, const std::byte* src, std::byte* dst,
                     int64_t item) {
  constexpr int64_t kStrip = 64;  // columns of a strip: its cache lines stay in L1
  const int64_t rows = nest.size(t), columns = nest.inner();
  const int64_t strips = (columns + kStrip - 1) / kStrip;
  const int64_t outer = nest.numel() / (rows * columns);
  const int64_t grain = std::max<int64_t>(1, kGrain / (rows * std::min(columns, kStrip)));
  cpu::parallel_for(0, outer * strips, grain, [&](int64_t first, int64_t last) {
    for (int64_t unit = first; unit < last; ++unit) {
      int64_t rest = unit / strips, from = 0, to = 0;
      for (size_t d = nest.rank() - 1; d-- > 0;) {
        if (d == t) continue;
        from += rest % nest.size(d) * nest.stride(kSrc, d);
        to += rest % nest.size(d) * nest.stride(kDst, d);
        rest /= nest.size(d);
      }
      const int64_t column = unit % strips * kStrip;
      from += column * nest.inner_stride(kSrc);
      transpose(src + from, nest.inner_stride(kSrc), dst + to + column * item, nest.stride(kDst, t),
                item, std::min(kStrip, columns - column), rows);
    }
  });
}

// A program without steps: its one operand is converted and stored.
void copy_converted(const Tensor& src, const Tensor& dst) {
  PointwiseProgram program;
  program.operands.push_back({std::nullopt, dst.dtype});
  program.outputs.push_back(0);
  const Tensor* in = &src;
  Tensor out = dst;
  Tensor* outs = &out;
  run_pointwise(program, {&in, 1}, {&outs, 1});
}

}  // namespace

void copy_strided(const Tensor& src, const Tensor& dst) {
  RL_ASSERT(src.sizes == dst.sizes, "copy from ", describe(src), " to ", describe(dst));
  if (dst.numel() == 0) return;
  const Tensor* operands[] = {&dst, &src};
  LoopNest nest;
  nest.build(dst.sizes, operands);
  const int64_t item = item_size(dst.dtype);
  if (nest.flat(kDst, item) && nest.flat(kSrc, item_size(src.dtype)))
    return copy_flat(src, dst, nest.numel());
  if (src.dtype != dst.dtype) return copy_converted(src, dst);
  if (const int t = transposed_dim(nest, item); t >= 0)
    return copy_transposed(nest, static_cast<size_t>(t), src.raw(), dst.raw(), item);
  copy_rows(nest, src.raw(), dst.raw(), item);
}

}  // namespace rushlight::kernels
