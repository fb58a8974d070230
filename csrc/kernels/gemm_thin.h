// Matrix products with few rows, which read B once and straight from where it is.
#pragma once

#include "kernels/gemm.h"

namespace rushlight::kernels::RL_CPU {

/// Computes the product if it is thin and B lies suitably; otherwise does nothing, returns false.
template <class T>
bool gemm_thin(const Gemm<T>& g);

/// Runs the fused tail over rows [i, i_end), columns [j, j_end) of a finished C.
template <class T>
void finish_rows(const Gemm<T>& g, int64_t i, int64_t i_end, int64_t j, int64_t j_end) {
  if (!g.epilogue || g.epilogue->empty()) return;
  if (j == 0 && j_end == g.n) {
    g.epilogue->apply(*g.out, g.out_begin + i * g.n, (i_end - i) * g.n);
    return;
  }
  for (; i < i_end; ++i) g.epilogue->apply(*g.out, g.out_begin + i * g.n + j, j_end - j);
}

}  // namespace rushlight::kernels::RL_CPU
