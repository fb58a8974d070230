// The dimensions that several strided operands of one shape are walked over, reduced to as few
// as possible.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tensor.h"

namespace rushlight::kernels {

/// Dimensions of size 1 are dropped, the others sorted by the strides of operand 0 (outermost
/// first), and neighbours merged where every operand allows it. At least one dimension remains.
class LoopNest {
 public:
  static constexpr size_t kMaxRank = 64;
  static constexpr size_t kMaxOperands = 64;

  LoopNest() {}
  LoopNest(const LoopNest&) = delete;
  LoopNest& operator=(const LoopNest&) = delete;

  /// Operands broadcast to `sizes` (which holds no zero). `keep_order` leaves the dimensions in
  /// row-major order, so that a flat index means the same as in a contiguous operand 0.
  void build(IntList sizes, std::span<const Tensor* const> operands, bool keep_order = false);

  size_t rank() const { return rank_; }
  int64_t numel() const { return numel_; }
  int64_t size(size_t d) const { return sizes_[d]; }
  /// Elements of the innermost dimension.
  int64_t inner() const { return sizes_[rank_ - 1]; }
  /// Bytes between neighbours along dimension `d`.
  int64_t stride(size_t operand, size_t d) const { return strides_[operand][d]; }
  int64_t inner_stride(size_t operand) const { return strides_[operand][rank_ - 1]; }
  /// True when the operand's elements follow each other in the order of the walk.
  bool flat(size_t operand, int64_t item) const;
  /// True when the outer dimensions do not move the operand.
  bool outer_fixed(size_t operand) const;

  /// Coordinates of the flat index `index`.
  void locate(int64_t index, int64_t* coordinates) const;
  /// Moves `coordinates` on by `n` elements.
  void advance(int64_t n, int64_t* coordinates) const;
  int64_t offset(size_t operand, const int64_t* coordinates) const {
    int64_t bytes = 0;
    for (size_t d = 0; d < rank_; ++d) bytes += coordinates[d] * strides_[operand][d];
    return bytes;
  }

 private:
  void sort();
  void merge();

  size_t rank_;
  size_t operands_;
  int64_t numel_;
  int64_t sizes_[kMaxRank];
  int64_t strides_[kMaxOperands][kMaxRank];
};

}  // namespace rushlight::kernels
