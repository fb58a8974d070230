#include "limits.h"

namespace rushlight::lazy {

std::array<std::atomic<int64_t>, 5> g_limits{2000, int64_t{2} << 30, 512, 256, 8};

}  // namespace rushlight::lazy
