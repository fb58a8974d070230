#include "cblas_threads.h"

#include <mutex>

extern "C" void scipy_openblas_set_num_threads(int n);

namespace rushlight::cpu {

void serial_blas() {
  static std::once_flag once;
  std::call_once(once, [] { scipy_openblas_set_num_threads(1); });
}

}  // namespace rushlight::cpu
