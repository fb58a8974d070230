// When a trace is long enough to be run, so that a program that never looks stays small.
#pragma once

#include "lazy/trace.h"

namespace rushlight::lazy {

/// Calls of one trace.
inline constexpr size_t kMostCalls = 2000;
/// Bytes that running the trace call by call would allocate.
inline constexpr int64_t kMostBytes = int64_t{2} << 30;

inline bool is_full(const Trace& trace) {
  return trace.calls().size() >= kMostCalls || trace.bytes() >= kMostBytes;
}

}  // namespace rushlight::lazy
