// Shape rules of quantisation.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

using Type = std::optional<DType>;

void check_levels(int64_t low, int64_t high) {
  RL_CHECK(low <= high, Runtime, "`quant_min` should be less than or equal to `quant_max`, got ",
           low, " and ", high);
}
void check_float(const TensorMeta& t) {
  RL_CHECK(is_floating(t.dtype), Runtime, "quantize: expected a floating-point input, got ",
           dtype_name(t.dtype));
}
void to(const TensorMeta& input, DType dtype, TensorMeta& out) { out.set(dtype, input.sizes); }

void rows(const TensorMeta& input, DType scale, DType zero, TensorMeta& scales, TensorMeta& zeros) {
  check_float(input);
  RL_CHECK(input.rank() > 0 && input.sizes.back() > 0, Runtime,
           "choose_qparams_per_token: expected rows with elements, got shape ", input.sizes);
  Dims sizes = input.sizes;
  sizes[sizes.size() - 1] = 1;
  scales.set(scale, sizes);
  zeros.set(zero, sizes);
}

}  // namespace

void quantize(const TensorMeta& input, double, int64_t, int64_t low, int64_t high, DType dtype,
              TensorMeta& out) {
  check_float(input);
  check_levels(low, high);
  to(input, dtype, out);
}
void quantize(const TensorMeta& input, const TensorMeta&, const TensorMeta&, int64_t low,
              int64_t high, DType dtype, TensorMeta& out) {
  quantize(input, 1, 0, low, high, dtype, out);
}
void quantize(const TensorMeta& input, const TensorMeta&, const TensorMeta&, const TensorMeta&,
              const TensorMeta&, DType dtype, TensorMeta& out) {
  quantize(input, 1, 0, 0, 0, dtype, out);
}
void quantize(const TensorMeta& input, const TensorMeta&, const TensorMeta&, int64_t axis,
              int64_t low, int64_t high, DType dtype, TensorMeta& out) {
  wrap_dim(axis, input.rank());
  quantize(input, 1, 0, low, high, dtype, out);
}
void dequantize(const TensorMeta& input, double, int64_t, int64_t, int64_t, DType, Type out_dtype,
                TensorMeta& out) {
  to(input, out_dtype.value_or(DType::Float32), out);
}
void dequantize(const TensorMeta& input, const TensorMeta&, const TensorMeta&, int64_t, int64_t,
                DType, Type out_dtype, TensorMeta& out) {
  to(input, out_dtype.value_or(DType::Float32), out);
}
void dequantize(const TensorMeta& input, const TensorMeta&, const TensorMeta&, const TensorMeta&,
                const TensorMeta&, DType, Type out_dtype, TensorMeta& out) {
  to(input, out_dtype.value_or(DType::Float32), out);
}
void dequantize(const TensorMeta& input, const TensorMeta&, const TensorMeta*, int64_t axis,
                int64_t, int64_t, DType, Type out_dtype, TensorMeta& out) {
  wrap_dim(axis, input.rank());
  to(input, out_dtype.value_or(DType::Float32), out);
}
void dequantize(const TensorMeta& input, const TensorMeta&, const TensorMeta&, int64_t, int64_t,
                DType, DType output_dtype, TensorMeta& out) {
  to(input, output_dtype, out);
}
void quantize_groups(const TensorMeta& input, const TensorMeta&, const TensorMeta&, int64_t low,
                     int64_t high, DType dtype, int64_t group, TensorMeta& out) {
  RL_CHECK(group > 1 && input.rank() > 0 && input.sizes.back() % group == 0, Runtime,
           "quantize_per_channel_group: rows of ", input.sizes, " do not divide into groups of ",
           group);
  quantize(input, 1, 0, low, high, dtype, out);
}
void quantize_groups(const TensorMeta& input, const TensorMeta&, const TensorMeta*, int64_t,
                     int64_t, DType, int64_t group, DType output_dtype, TensorMeta& out) {
  RL_CHECK(group > 1 && input.rank() > 0 && input.sizes.back() % group == 0, Runtime,
           "dequantize_per_channel_group: rows of ", input.sizes, " do not divide into groups of ",
           group);
  to(input, output_dtype, out);
}
void choose_qparams(const TensorMeta& input, int64_t, int64_t, double, DType, TensorMeta& scale,
                    TensorMeta& zero) {
  check_float(input);
  scale.set(DType::Float64, Dims{1});
  zero.set(DType::Int64, Dims{1});
}
void choose_qparams_per_token(const TensorMeta& input, DType, TensorMeta& scale, TensorMeta& zero) {
  rows(input, input.dtype == DType::BFloat16 ? DType::BFloat16 : DType::Float32, DType::Float32,
       scale, zero);
}
void choose_qparams_asymmetric(const TensorMeta& input, DType, TensorMeta& scale,
                               TensorMeta& zero) {
  rows(input, DType::Float32, DType::Float32, scale, zero);
}

void fake_quantize(const TensorMeta& input, const TensorMeta& scale, const TensorMeta& zero_point,
                   int64_t axis, int64_t low, int64_t high, TensorMeta& out) {
  check_float(input);
  check_levels(low, high);
  RL_CHECK(scale.rank() == 1 && zero_point.rank() == 1, Runtime,
           "scale and zero-point need to be 1-D tensors");
  RL_CHECK(scale.numel() == zero_point.numel() && input.size(axis) == scale.numel(), Runtime,
           "dimensions of scale and zero-point are not consistent with input tensor");
  out.set(input.dtype, input.sizes);
}
void fake_quantize(const TensorMeta& input, const TensorMeta& scale, const TensorMeta& zero_point,
                   int64_t axis, int64_t low, int64_t high, TensorMeta& out, TensorMeta& mask) {
  fake_quantize(input, scale, zero_point, axis, low, high, out);
  mask.set(DType::Bool, input.sizes);
}
void fake_quantize(const TensorMeta& input, double, int64_t zero_point, int64_t low, int64_t high,
                   TensorMeta& out) {
  check_float(input);
  check_levels(low, high);
  RL_CHECK(zero_point >= low && zero_point <= high, Runtime,
           "`zero_point` must be between `quant_min` and `quant_max`.");
  out.set(input.dtype, input.sizes);
}
void fake_quantize(const TensorMeta& input, double scale, int64_t zero_point, int64_t low,
                   int64_t high, TensorMeta& out, TensorMeta& mask) {
  fake_quantize(input, scale, zero_point, low, high, out);
  mask.set(DType::Bool, input.sizes);
}
void fake_quantize(const TensorMeta& input, const TensorMeta&, const TensorMeta&, int64_t low,
                   int64_t high, TensorMeta& out) {
  check_float(input);
  check_levels(low, high);
  out.set(input.dtype, input.sizes);
}
void fake_quantize(const TensorMeta& input, const TensorMeta& scale, const TensorMeta& zero_point,
                   const TensorMeta&, int64_t low, int64_t high, TensorMeta& out,
                   TensorMeta& mask) {
  fake_quantize(input, scale, zero_point, low, high, out);
  mask.set(DType::Bool, input.sizes);
}

}  // namespace rushlight::shape
