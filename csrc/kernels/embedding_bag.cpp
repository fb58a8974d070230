// embedding_bag: the sum, mean or maximum of rows of a table, bag by bag.
#include <cstring>

#include "kernels/compute.h"
#include "kernels/kernel.h"
#include "kernels/lanes.h"

namespace rushlight::kernels::RL_CPU {
namespace {

enum Mode : int64_t { kSumOfRows, kMeanOfRows, kMaxOfRows };

struct BagOutputs {
  Tensor &out, &offset2bag, &bag_size, &max_indices;
};

template <class T>
void embedding_bag_as(const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                      int64_t mode, const Tensor* per_sample_weights, int64_t padding,
                      const BagOutputs& to) {
  const Tensor table = contiguous_as(weight, dtype_of<T>::value);
  const Tensor index = contiguous_as(indices, DType::Int64);
  const Tensor starts = contiguous_as(offsets, DType::Int64);
  const Parameter<T> scales(per_sample_weights);
  const int64_t bags = to.out.sizes[0], width = to.out.sizes[1], n = index.numel();
  const auto *at = index.data<int64_t>(), *start = starts.data<int64_t>();
  Result<T> result(to.out);
  auto* owner = to.offset2bag.data<int64_t>();
  auto* sizes = to.bag_size.data<int64_t>();
  auto* winners = to.max_indices.data<int64_t>();
  std::fill_n(owner, to.offset2bag.numel(), int64_t{0});
  std::fill_n(winners, to.max_indices.numel(), int64_t{0});
  for (int64_t b = 0; b < bags; ++b) {
    const int64_t end = b + 1 < starts.numel() ? start[b + 1] : n;
    RL_CHECK(start[b] >= 0 && start[b] <= end && end <= n, Runtime,
             "embedding_bag: offsets must rise from 0 to at most ", n, ", got ", start[b],
             " before ", end);
    T* const y = result.data() + b * width;
    std::fill_n(y, width, T(0));
    int64_t count = 0;
    for (int64_t i = start[b]; i < end; ++i) {
      if (to.offset2bag.numel() > 0) owner[i] = b;
      RL_CHECK(at[i] >= 0 && at[i] < weight.sizes[0], Index,
               "embedding_bag: index out of range: expected 0 <= index < ", weight.sizes[0],
               ", got ", at[i], " at position ", i);
      if (at[i] == padding) continue;
      const T* row = table.data<T>() + at[i] * width;
      if (mode == kMaxOfRows) {
        for (int64_t j = 0; j < width; ++j)
          if (count == 0 || row[j] > y[j]) {
            y[j] = row[j];
            winners[b * width + j] = at[i];
          }
      } else {
        const T scale = scales.data() ? scales.data()[i] : T(1);
        for_lanes<T>(width, [&](int64_t j, auto l) {
          using L = decltype(l);
          L::store(y + j, L::load(y + j) + L::load(row + j) * scale);
        });
      }
      ++count;
    }
    if (mode == kMeanOfRows && count > 0)
      for (int64_t j = 0; j < width; ++j) y[j] /= static_cast<T>(count);
    sizes[b] = mode == kSumOfRows ? 0 : count;
    if (mode == kMeanOfRows) winners[b] = count;
  }
  result.store();
}

void run(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode,
         const Tensor* per_sample_weights, int64_t padding, const BagOutputs& to) {
  dispatch_float(weight.dtype, [&](auto t) {
    embedding_bag_as<decltype(t)>(weight, indices, offsets, mode, per_sample_weights, padding, to);
  });
}

}  // namespace

void embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool,
                   int64_t mode, bool, const Tensor* per_sample_weights, bool, Tensor& out,
                   Tensor& offset2bag, Tensor& bag_size, Tensor& max_indices) {
  run(weight, indices, offsets, mode, per_sample_weights, -1,
      {out, offset2bag, bag_size, max_indices});
}
void embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool,
                   int64_t mode, bool, const Tensor* per_sample_weights, bool,
                   std::optional<int64_t> padding_idx, Tensor& out, Tensor& offset2bag,
                   Tensor& bag_size, Tensor& max_indices) {
  int64_t padding = padding_idx.value_or(-1);
  if (padding_idx && padding < 0) padding += weight.sizes[0];
  run(weight, indices, offsets, mode, per_sample_weights, padding,
      {out, offset2bag, bag_size, max_indices});
}
void embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool,
                   int64_t mode, bool, const Tensor* per_sample_weights, bool, int64_t padding_idx,
                   Tensor& out, Tensor& offset2bag, Tensor& bag_size, Tensor& max_indices) {
  run(weight, indices, offsets, mode, per_sample_weights, padding_idx,
      {out, offset2bag, bag_size, max_indices});
}

}  // namespace rushlight::kernels::RL_CPU
