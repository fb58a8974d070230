#include "kernels/blas.h"

extern "C" void scipy_openblas_set_num_threads(int threads);

namespace rushlight::kernels {

void use_blas() {
  static const bool once = (scipy_openblas_set_num_threads(1), true);
  (void)once;
}

}  // namespace rushlight::kernels
