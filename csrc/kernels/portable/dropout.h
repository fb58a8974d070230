// Attention whose weights are dropped at random, while a model trains.
#pragma once

#include "kernels/kernel.h"

namespace rushlight::kernels::portable {

/// The arguments of scaled_dot_product_attention; writes the result into `out`.
void attention_with_dropout(const Tensor& query, const Tensor& key, const Tensor& value,
                            const Tensor* mask, double dropout, bool causal,
                            std::optional<double> scale, Tensor& out);

}  // namespace rushlight::kernels::portable
