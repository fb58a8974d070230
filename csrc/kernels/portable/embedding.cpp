// embedding: rows of a table, copied.
#include <cstring>

#include "kernels/compute.h"
#include "kernels/kernel.h"

namespace rushlight::kernels::portable {

void embedding(const Tensor& weight, const Tensor& indices, int64_t, bool, bool, Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor index = contiguous_as(indices, DType::Int64);
  const int64_t rows = weight.sizes[0], width = weight.sizes[1];
  const Tensor table = weight.strides[1] == 1 || width == 1 ? weight : weight.contiguous();
  const int64_t item = item_size(weight.dtype), bytes = width * item;
  const int64_t step = table.strides[0] * item;
  const auto* at = index.data<int64_t>();
  std::byte* const to = out.raw();
  cpu::parallel_for(
      0, index.numel(), std::max<int64_t>(1, 4 * kGrain / bytes), [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          RL_CHECK(at[i] >= 0 && at[i] < rows, Index,
                   "embedding: index out of range: expected 0 <= ", "index < ", rows, ", got ",
                   at[i], " at position ", i);
          std::memcpy(to + i * bytes, table.raw() + at[i] * step, static_cast<size_t>(bytes));
        }
      });
}

}  // namespace rushlight::kernels::portable
