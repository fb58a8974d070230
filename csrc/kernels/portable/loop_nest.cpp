#include "kernels/loop_nest.h"

namespace rushlight::kernels {

void LoopNest::build(IntList sizes, std::span<const Tensor* const> operands, bool keep_order) {
  RL_ASSERT(operands.size() <= kMaxOperands, operands.size(), " operands");
  operands_ = operands.size();
  rank_ = 0;
  numel_ = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    RL_ASSERT(rank_ < kMaxRank && sizes[d] > 1, Dims(sizes));
    sizes_[rank_] = sizes[d];
    numel_ *= sizes[d];
    for (size_t k = 0; k < operands_; ++k) {
      const Tensor& t = *operands[k];
      const size_t lead = sizes.size() - t.sizes.size();
      const bool broadcast = d < lead || t.sizes[d - lead] == 1;
      strides_[k][rank_] = broadcast ? 0 : t.strides[d - lead] * item_size(t.dtype);
    }
    ++rank_;
  }
  if (rank_ == 0) {
    rank_ = 1;
    sizes_[0] = 1;
    for (size_t k = 0; k < operands_; ++k) strides_[k][0] = item_size(operands[k]->dtype);
    return;
  }
  if (rank_ == 1) return;
  if (!keep_order) sort();
  merge();
}

void LoopNest::sort() {
  for (size_t i = 1; i < rank_; ++i) {
    for (size_t j = i; j > 0 && strides_[0][j - 1] < strides_[0][j]; --j) {
      std::swap(sizes_[j - 1], sizes_[j]);
      for (size_t k = 0; k < operands_; ++k) std::swap(strides_[k][j - 1], strides_[k][j]);
    }
  }
}

void LoopNest::merge() {
  size_t last = 0;
  for (size_t d = 1; d < rank_; ++d) {
    bool mergeable = true;
    for (size_t k = 0; k < operands_ && mergeable; ++k)
      mergeable = strides_[k][last] == strides_[k][d] * sizes_[d];
    if (mergeable) {
      sizes_[last] *= sizes_[d];
    } else {
      sizes_[++last] = sizes_[d];
    }
    for (size_t k = 0; k < operands_; ++k) strides_[k][last] = strides_[k][d];
  }
  rank_ = last + 1;
}

bool LoopNest::flat(size_t operand, int64_t item) const {
  int64_t expected = item;
  for (size_t d = rank_; d-- > 0;) {
    if (strides_[operand][d] != expected) return false;
    expected *= sizes_[d];
  }
  return true;
}

bool LoopNest::outer_fixed(size_t operand) const {
  for (size_t d = 0; d + 1 < rank_; ++d)
    if (strides_[operand][d] != 0) return false;
  return true;
}

void LoopNest::locate(int64_t index, int64_t* coordinates) const {
  for (size_t d = rank_; d-- > 0;) {
    coordinates[d] = index % sizes_[d];
    index /= sizes_[d];
  }
}

void LoopNest::advance(int64_t n, int64_t* coordinates) const {
  size_t d = rank_ - 1;
  coordinates[d] += n;
  while (d > 0 && coordinates[d] >= sizes_[d]) {
    const int64_t carry = coordinates[d] / sizes_[d];
    coordinates[d] -= carry * sizes_[d];
    coordinates[--d] += carry;
  }
}

}  // namespace rushlight::kernels
