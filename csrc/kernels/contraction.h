// Products over labelled dimensions: what einsum, tensordot and their kin come down to.
#pragma once

#include <vector>

#include "ir/shape/einsum.h"
#include "kernels/product.h"

namespace rushlight::kernels::RL_CPU {

/// A tensor whose dimensions carry labels; equal labels run over the same index.
struct Labelled {
  Tensor tensor;
  Labels labels;
};

/// Multiplies all operands and sums over the labels that `output` lacks, from left to right. A
/// dimension of size 1 is repeated where another operand's is longer. `out` is contiguous, of the
/// sizes of its labels; operands are converted to its dtype.
void contract(std::vector<Labelled> operands, const Labels& output, Tensor& out);

}  // namespace rushlight::kernels::RL_CPU
