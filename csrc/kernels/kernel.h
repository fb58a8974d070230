// What every kernel file includes: the types of its parameters and the helpers all kernels share.
//
// Files in csrc/kernels/ are compiled once per CPU capability, each time in another namespace
// (RL_CPU), and the op table's row picks the function by name. Files in csrc/kernels/portable/
// are compiled once: kernels that move data and gain nothing from wider registers.
#pragma once

#include "core/argument.h"
#include "cpu/parallel.h"
#include "kernels/copy.h"
#include "kernels/pointwise.h"

namespace rushlight::kernels {

/// Elements below which one thread is faster than waking another.
inline constexpr int64_t kGrain = 32768;

/// Uninitialised scratch memory of the calling thread, aligned to 64 bytes, valid until the next
/// call with the same slot on this thread.
void* scratch(size_t nbytes, int slot = 0);

}  // namespace rushlight::kernels
