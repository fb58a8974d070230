// How a reduction walks its input: dimensions coalesced and split into kept and reduced ones.
#pragma once

#include <vector>

#include "core/tensor.h"
#include "ir/shape/reduce_dims.h"

namespace rushlight::kernels {

struct ReducePlan {
  struct Axis {
    int64_t size;
    int64_t in;   // stride in the input, elements
    int64_t out;  // stride in the output, elements; 0 for a reduced axis
  };
  Tensor input;  // the tensor to read: the original or a contiguous copy
  /// True: the innermost reduced axis is contiguous ("rows"). False: the innermost kept axis is,
  /// and rows of it are combined with each other ("columns").
  bool rows = true;
  std::vector<Axis> kept;     // outermost first; in column form without the contiguous axis
  std::vector<Axis> reduced;  // outermost first; in row form without the contiguous axis
  Axis inner{1, 1, 0};        // the contiguous axis
  int64_t outer_kept = 1;     // product of the sizes of `kept`
  int64_t outer_reduced = 1;  // product of the sizes of `reduced`
};

/// `sizes` of the output follow `mask` in the order of the input's dimensions, contiguously.
ReducePlan plan_reduction(const Tensor& input, const DimMask& mask);

/// Walks the positions of some axes in order.
class AxisWalk {
 public:
  AxisWalk(const std::vector<ReducePlan::Axis>& axes, int64_t position)
      : axes_(axes), index_(axes.size()) {
    for (size_t i = axes.size(); i-- > 0;) {
      index_[i] = position % axes[i].size;
      position /= axes[i].size;
      in += index_[i] * axes[i].in;
      out += index_[i] * axes[i].out;
    }
  }
  void next() {
    for (size_t i = axes_.size(); i-- > 0;) {
      in += axes_[i].in;
      out += axes_[i].out;
      if (++index_[i] < axes_[i].size) return;
      in -= axes_[i].size * axes_[i].in;
      out -= axes_[i].size * axes_[i].out;
      index_[i] = 0;
    }
  }
  int64_t in = 0;
  int64_t out = 0;

 private:
  const std::vector<ReducePlan::Axis>& axes_;
  Dims index_;
};

}  // namespace rushlight::kernels
