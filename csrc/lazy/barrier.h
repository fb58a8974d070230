// When a trace is long enough to be run, so that a program that never looks stays small.
//
// Where a trace is cut decides which program it is. A loop cut every 2000 calls would be another
// program for every phase of its body. So when a trace has half its length, we look for a loop in
// it, and cut after a whole number of its bodies: the next trace begins as this one did. Bodies too
// long for that are cut where a trace was cut before, if it comes by such a place.
#pragma once

#include "lazy/limits.h"
#include "lazy/trace.h"

namespace rushlight::lazy {

/// For traces of half the limits or more: is this the place to run it?
bool is_place_to_cut(Trace& trace);

inline bool is_full(Trace& trace) {
  if (2 * static_cast<int64_t>(trace.calls().size()) < limit(Limit::TraceCalls) &&
      2 * trace.bytes() < limit(Limit::TraceBytes))
    return false;
  return is_place_to_cut(trace);
}

}  // namespace rushlight::lazy
