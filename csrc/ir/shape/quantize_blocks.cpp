// Shape rules of torchao's quantisation in blocks and of grouped matrix products.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

using Bound = std::optional<Scalar>;

// How many blocks each dimension has; the sizes of the scales.
Dims block_counts(const TensorMeta& input, IntList block) {
  RL_CHECK(static_cast<int64_t>(block.size()) == input.rank(), Runtime,
           "affine quantization: expected a block size for each of ", input.rank(),
           " dimensions, got ", Dims(block));
  Dims counts;
  for (size_t d = 0; d < block.size(); ++d) {
    RL_CHECK(block[d] > 0 && input.sizes[d] % block[d] == 0, Runtime,
             "affine quantization: dimension ", d, " of size ", input.sizes[d],
             " does not divide into blocks of ", block[d]);
    counts.push_back(input.sizes[d] / block[d]);
  }
  return counts;
}
void check_scale(const TensorMeta& input, IntList block, const TensorMeta& scale,
                 const TensorMeta* zero_point) {
  const int64_t count = checked_numel(block_counts(input, block));
  RL_CHECK(scale.numel() == count && (!zero_point || zero_point->numel() == count), Runtime,
           "affine quantization: ", count, " blocks, but scale of shape ", scale.sizes);
}

}  // namespace

void quantize_affine(const TensorMeta& input, IntList block, const TensorMeta& scale,
                     const TensorMeta* zero_point, DType dtype, Bound, Bound, TensorMeta& out) {
  RL_CHECK(is_floating(input.dtype), Runtime,
           "quantize_affine: expected a floating-point input, got ", dtype_name(input.dtype));
  check_scale(input, block, scale, zero_point);
  out.set(dtype, input.sizes);
}
void dequantize_affine(const TensorMeta& input, IntList block, const TensorMeta& scale,
                       const TensorMeta* zero_point, DType, Bound, Bound, DType dtype,
                       TensorMeta& out) {
  check_scale(input, block, scale, zero_point);
  out.set(dtype, input.sizes);
}
void choose_qparams_affine(const TensorMeta& input, std::string_view mapping, IntList block, DType,
                           Bound, Bound, std::optional<double>, std::optional<DType> scale_dtype,
                           std::optional<DType> zero_dtype, bool keepdim, TensorMeta& scale,
                           TensorMeta& zero_point) {
  RL_CHECK(
      mapping == "SYMMETRIC" || mapping == "ASYMMETRIC" || mapping == "SYMMETRIC_NO_CLIPPING_ERR",
      Value, "choose_qparams_affine: unsupported mapping type ", mapping);
  const Dims counts = block_counts(input, block);
  Dims sizes;
  // A block that covers a whole dimension removes it, as the reduction over it does.
  for (size_t d = 0; d < block.size(); ++d)
    if (keepdim || block[d] == 1 || block[d] != input.sizes[d]) sizes.push_back(counts[d]);
  scale.set(scale_dtype.value_or(input.dtype), sizes);
  zero_point.set(zero_dtype.value_or(DType::Int32), sizes);
}

void grouped_mm(const TensorMeta& input, const TensorMeta& weight, const TensorMeta& offs,
                TensorMeta& out) {
  RL_CHECK(input.rank() == 2 && weight.rank() == 3 && offs.rank() == 1 &&
               input.sizes[1] == weight.sizes[1] && offs.sizes[0] == weight.sizes[0],
           Runtime,
           "grouped_mm: expected input [rows, k], weight [groups, k, n] and offsets "
           "[groups], got ",
           input.sizes, ", ", weight.sizes, " and ", offs.sizes);
  out.set(input.dtype, Dims{input.sizes[0], weight.sizes[2]});
}

}  // namespace rushlight::shape
