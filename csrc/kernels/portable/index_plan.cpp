#include "kernels/portable/index_plan.h"

#include <cstring>

#include "ir/shape/index_layout.h"

namespace rushlight::kernels::portable {
namespace {

// One int64 tensor per dimension of `self`; undefined where that is not indexed.
std::vector<Tensor> expand_masks(const Tensor& self, TensorList indices) {
  std::vector<Tensor> expanded;
  for (size_t i = 0; i < indices.size(); ++i) {
    const Tensor* t = indices[i];
    if (!t) {
      expanded.emplace_back();
    } else if (!is_mask(*t)) {
      expanded.push_back(as_int64(*t));
    } else {
      const size_t at = expanded.size();
      RL_CHECK(t->rank() > 0, Index, "too many indices for tensor of dimension ", self.rank());
      for (size_t d = 0; d < t->sizes.size(); ++d)
        RL_CHECK(at + d < self.sizes.size() && t->sizes[d] == self.sizes[at + d], Index,
                 "The shape of the mask ", t->sizes, " at index ", d,
                 " does not match the shape of the indexed tensor ", self.sizes, " at index ",
                 at + d);
      const Tensor positions = nonzero_positions(*t);
      for (int64_t d = 0; d < t->rank(); ++d) {
        TensorMeta column;
        column.set(DType::Int64, Dims{positions.sizes[0]});
        column.strides[0] = positions.strides[0];
        column.view_offset = d;
        expanded.push_back(positions.view(column).contiguous());
      }
    }
  }
  return expanded;
}

void add_offsets(const Tensor& index, const Dims& sizes, int64_t dim, int64_t size, int64_t stride,
                 std::vector<int64_t>& offsets) {
  const Tensor all = expanded(index, sizes).contiguous();
  const int64_t* data = all.data<int64_t>();
  for (size_t b = 0; b < offsets.size(); ++b) {
    const int64_t v = data[b];
    RL_CHECK(v >= -size && v < size, Index, "index ", v, " is out of bounds for dimension ", dim,
             " with size ", size);
    offsets[b] += (v < 0 ? v + size : v) * stride;
  }
}

}  // namespace

Tensor nonzero_positions(const Tensor& self) {
  Tensor mask = Tensor::empty(self.sizes, DType::Bool);
  copy_strided(self, mask);
  const bool* set = mask.data<bool>();
  const int64_t n = mask.numel(), rank = mask.rank();
  const int64_t count = std::count(set, set + n, true);
  Tensor out = Tensor::empty(Dims{count, rank}, DType::Int64);
  if (rank == 0 || count == 0) return out;
  // Row by row along the last dimension, so that the other coordinates are found once a row.
  const int64_t width = self.sizes.back();
  int64_t* at = out.data<int64_t>();
  Dims outer(static_cast<size_t>(rank));
  for (const bool* row = set; row < set + n; row += width) {
    if (std::memchr(row, 1, static_cast<size_t>(width))) {
      for (int64_t i = 0; i < width; ++i) {
        if (!row[i]) continue;
        for (int64_t d = 0; d + 1 < rank; ++d) at[d] = outer[d];
        at[rank - 1] = i;
        at += rank;
      }
    }
    for (int64_t d = rank - 1; d-- > 0;) {
      if (++outer[d] < self.sizes[d]) break;
      outer[d] = 0;
    }
  }
  return out;
}

IndexPlan plan_index(const Tensor& self, TensorList indices) {
  const std::vector<Tensor> tensors = expand_masks(self, indices);
  std::vector<const TensorMeta*> metas;
  for (const Tensor& t : tensors) metas.push_back(t.defined() ? &t : nullptr);
  const IndexLayout layout = index_layout(self, metas);

  IndexPlan plan;
  plan.sizes = layout.sizes;
  plan.indexed.assign(static_cast<size_t>(checked_numel(layout.broadcast)), 0);
  Dims before_sizes, before_strides, after_sizes, after_strides;
  for (int64_t d = 0; d < self.rank(); ++d) {
    if (layout.has[d]) {
      add_offsets(tensors[d], layout.broadcast, d, self.sizes[d], self.strides[d], plan.indexed);
    } else {
      (d < layout.lead ? before_sizes : after_sizes).push_back(self.sizes[d]);
      (d < layout.lead ? before_strides : after_strides).push_back(self.strides[d]);
    }
  }
  plan.before = offsets_of(before_sizes, before_strides);
  plan.after = offsets_of(after_sizes, after_strides);
  plan.contiguous_after = true;
  for (size_t j = 0; j < plan.after.size() && plan.contiguous_after; ++j)
    plan.contiguous_after = plan.after[j] == static_cast<int64_t>(j);
  return plan;
}

}  // namespace rushlight::kernels::portable
