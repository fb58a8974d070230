// Shape rules of embedding_bag. Outputs after the first serve gradients; their shapes follow
// PyTorch's CPU path.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

void bag(const TensorMeta& weight, const TensorMeta& indices, const TensorMeta& offsets,
         int64_t mode, const TensorMeta* scales, bool include_last_offset, bool padded,
         TensorMeta& out, TensorMeta& offset2bag, TensorMeta& bag_size, TensorMeta& max_indices) {
  RL_CHECK(is_floating(weight.dtype), NotImplemented, "embedding_bag is not implemented for ",
           dtype_name(weight.dtype));
  RL_CHECK(weight.rank() == 2 && indices.rank() == 1 && offsets.rank() == 1, Runtime,
           "embedding_bag: expected 2D weight, 1D indices and 1D offsets, got shapes ",
           weight.sizes, ", ", indices.sizes, " and ", offsets.sizes);
  RL_CHECK(mode >= 0 && mode <= 2, Runtime,
           "embedding_bag: mode must be 0 (sum), 1 (mean) or 2 (max), got ", mode);
  RL_CHECK(!scales || mode == 0, Runtime,
           "embedding_bag: per_sample_weights is only supported with mode='sum'");
  RL_CHECK(!scales || scales->sizes == indices.sizes, Runtime,
           "embedding_bag: expected per_sample_weights of the indices' shape ", indices.sizes);
  RL_CHECK(!include_last_offset || offsets.sizes[0] >= 1, Runtime,
           "embedding_bag: include_last_offset: number of offsets should be at least 1");
  const int64_t bags = offsets.sizes[0] - (include_last_offset ? 1 : 0);
  const Dims sizes{bags, weight.sizes[1]};
  out.set(weight.dtype, sizes);
  offset2bag.set(DType::Int64, Dims{mode == 0 && !padded ? 0 : indices.sizes[0]});
  bag_size.set(DType::Int64, Dims{bags});
  max_indices.set(DType::Int64, mode == 2 ? sizes : Dims{bags});
}

}  // namespace

void embedding_bag(const TensorMeta& weight, const TensorMeta& indices, const TensorMeta& offsets,
                   bool, int64_t mode, bool, const TensorMeta* scales, bool include_last_offset,
                   TensorMeta& out, TensorMeta& offset2bag, TensorMeta& bag_size,
                   TensorMeta& max_indices) {
  bag(weight, indices, offsets, mode, scales, include_last_offset, false, out, offset2bag, bag_size,
      max_indices);
}
void embedding_bag(const TensorMeta& weight, const TensorMeta& indices, const TensorMeta& offsets,
                   bool, int64_t mode, bool, const TensorMeta* scales, bool include_last_offset,
                   std::optional<int64_t> padding_idx, TensorMeta& out, TensorMeta& offset2bag,
                   TensorMeta& bag_size, TensorMeta& max_indices) {
  bag(weight, indices, offsets, mode, scales, include_last_offset, padding_idx.has_value(), out,
      offset2bag, bag_size, max_indices);
}
void embedding_bag(const TensorMeta& weight, const TensorMeta& indices, const TensorMeta& offsets,
                   bool, int64_t mode, bool, const TensorMeta* scales, bool include_last_offset,
                   int64_t padding_idx, TensorMeta& out, TensorMeta& offset2bag,
                   TensorMeta& bag_size, TensorMeta& max_indices) {
  bag(weight, indices, offsets, mode, scales, include_last_offset, padding_idx >= 0, out,
      offset2bag, bag_size, max_indices);
}

}  // namespace rushlight::shape
