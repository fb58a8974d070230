// torchao's affine quantisation: one scale for every block of a tensor, the block's size given for
// each dimension. A dimension of n elements is seen as [n / block, block], so that scales
// broadcast.
#include <limits>

#include "kernels/portable/call.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

using Bound = std::optional<Scalar>;

struct Blocks {
  Dims elements, scales;  // sizes of the input and of its scales, two for every dimension
  Dims inside;            // the dimensions that a block spans
  Blocks(const Tensor& input, IntList block) {
    for (size_t d = 0; d < block.size(); ++d) {
      const int64_t size = input.sizes[d], count = size / block[d];
      for (int64_t s : {count, block[d]}) elements.push_back(s);
      for (int64_t s : {count, int64_t{1}}) scales.push_back(s);
      inside.push_back(static_cast<int64_t>(2 * d + 1));
    }
  }
  Tensor of(const Tensor& input) const { return call("reshape", input, IntList(elements)); }
  Tensor scale(const Tensor& t) const {
    return call("to.dtype", call("reshape", t, IntList(scales)), DType::Float32);
  }
};

struct Range {
  double low, high;
};

Range range_of(DType dtype, Bound low, Bound high) {
  Range r{0, 0};
  dispatch_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      r = {static_cast<double>(std::numeric_limits<T>::lowest()),
           static_cast<double>(std::numeric_limits<T>::max())};
  });
  RL_CHECK(r.high > r.low || (low && high), Runtime, "quantize_affine: ", dtype_name(dtype),
           " needs quant_min and quant_max");
  return {low ? low->to_double() : r.low, high ? high->to_double() : r.high};
}

Tensor clamped(const Tensor& t, Range r) { return call("clamp", t, Scalar(r.low), Scalar(r.high)); }

}  // namespace

void quantize_affine(const Tensor& input, IntList block, const Tensor& scale,
                     const Tensor* zero_point, DType dtype, Bound low, Bound high, Tensor& out) {
  const Blocks blocks(input, block);
  const Tensor inverse = call("reciprocal", blocks.scale(scale));
  const Tensor x = call("to.dtype", blocks.of(input), DType::Float32);
  Tensor q = call("round", call("mul.Tensor", x, inverse));
  if (zero_point) q = call("add.Tensor", q, blocks.scale(*zero_point));
  q = clamped(q, range_of(dtype, low, high));
  copy_strided(call("reshape", q, IntList(out.sizes)), out);
}

void dequantize_affine(const Tensor& input, IntList block, const Tensor& scale,
                       const Tensor* zero_point, DType, Bound, Bound, DType, Tensor& out) {
  const Blocks blocks(input, block);
  Tensor x = call("to.dtype", blocks.of(input), DType::Float32);
  if (zero_point) x = call("sub.Tensor", x, blocks.scale(*zero_point));
  x = call("mul.Tensor", x, blocks.scale(scale));
  copy_strided(call("reshape", x, IntList(out.sizes)), out);
}

void choose_qparams_affine(const Tensor& input, std::string_view mapping, IntList block,
                           DType target, Bound quant_min, Bound quant_max,
                           std::optional<double> eps, std::optional<DType>, std::optional<DType>,
                           bool, Tensor& scale, Tensor& zero_point) {
  const Range range = range_of(target, quant_min, quant_max);
  const Blocks blocks(input, block);
  const Tensor x = call("to.dtype", blocks.of(input), DType::Float32);
  const Tensor low = call("clamp_max", call("amin", x, IntList(blocks.inside)), Scalar(0));
  const Tensor high = call("clamp_min", call("amax", x, IntList(blocks.inside)), Scalar(0));
  const double levels = range.high - range.low;
  const double smallest = eps.value_or(input.dtype == DType::Float16    ? 0x1p-10
                                       : input.dtype == DType::BFloat16 ? 0x1p-7
                                       : input.dtype == DType::Float64  ? 0x1p-52
                                                                        : 0x1p-23);
  Tensor step, zero;
  if (mapping == "ASYMMETRIC") {
    step = call("div.Scalar", call("sub.Tensor", high, low), Scalar(levels));
    step = call("clamp_min", step, Scalar(smallest));
    zero = call("rsub.Scalar", call("round", call("div.Tensor", low, step)), Scalar(range.low));
    zero = clamped(zero, range);
  } else if (mapping == "SYMMETRIC") {
    step = call("div.Scalar", call("maximum", call("neg", low), high), Scalar(levels / 2));
  } else {  // SYMMETRIC_NO_CLIPPING_ERR: each end of the range for its own sign
    step = call("maximum", call("div.Scalar", low, Scalar(range.low)),
                call("div.Scalar", high, Scalar(range.high)));
  }
  step = call("clamp_min", step, Scalar(smallest));
  if (!zero.defined()) {
    const auto middle = static_cast<int64_t>((range.high + range.low + 1) / 2);
    zero = call("full_like", step, Scalar(middle));
  }
  copy_strided(call("reshape", step, IntList(scale.sizes)), scale);
  copy_strided(call("reshape", zero, IntList(zero_point.sizes)), zero_point);
}

// Rows [offs[g - 1], offs[g]) of `input` times matrix g.
void grouped_mm(const Tensor& input, const Tensor& weight, const Tensor& offs, Tensor& out) {
  const Tensor ends = as_int64(offs);
  call("zero_", out);
  int64_t begin = 0;
  for (int64_t g = 0; g < weight.sizes[0]; ++g) {
    const int64_t end = ends.data<int64_t>()[g];
    RL_CHECK(end >= begin && end <= input.sizes[0], Runtime, "grouped_mm: offset ", end,
             " of group ", g, " does not lie between ", begin, " and ", input.sizes[0]);
    if (end > begin)
      copy_strided(
          call("mm", narrowed(input, 0, begin, end - begin), call("select.int", weight, 0, g)),
          narrowed(out, 0, begin, end - begin));
    begin = end;
  }
}

}  // namespace rushlight::kernels::portable
