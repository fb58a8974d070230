// When a trace is long enough to be run, so that a program that never looks stays small.
//
// Where a trace is cut decides which program it is. A loop cut every 2000 calls would be another
// program for every phase of its body; so a trace is cut where one was cut before, if it comes by
// such a point after half its length.
#pragma once

#include "lazy/limits.h"
#include "lazy/trace.h"

namespace rushlight::lazy {

/// For traces of half the limits or more: is this the place to run it?
bool is_place_to_cut(const Trace& trace);

inline bool is_full(const Trace& trace) {
  if (2 * static_cast<int64_t>(trace.calls().size()) < limit(Limit::TraceCalls) &&
      2 * trace.bytes() < limit(Limit::TraceBytes))
    return false;
  return is_place_to_cut(trace);
}

}  // namespace rushlight::lazy
