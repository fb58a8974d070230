// OpenBLAS has threads of its own; matrix products are split by our pool instead.
#pragma once

namespace rushlight::cpu {

/// Makes every OpenBLAS call run on the thread that makes it. Done once; called by whatever first
/// asks for the number of threads.
void serial_blas();

}  // namespace rushlight::cpu
