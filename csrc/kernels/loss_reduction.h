// PyTorch's codes for what happens to the losses of single elements (torch.nn._reduction).
#pragma once

#include <cstdint>

namespace rushlight {

inline constexpr int64_t kNone = 0, kMean = 1, kSum = 2;

}  // namespace rushlight
