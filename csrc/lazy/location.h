// The user's line behind a recorded call. Finding it takes as long as recording, so it is looked
// up only for calls that begin or continue a program not seen before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lazy/trace.h"

namespace rushlight::lazy {

/// Gives a number for the line that is being executed, and later its text ("train.py:12").
struct Locator {
  uint32_t (*now)();
  std::string (*text)(uint32_t location);
};
void set_locator(Locator locator);

/// Notes the line of the trace's latest call, unless a trace with the same beginning had it. Call
/// with the lock held.
void locate(Trace& trace);
/// From now on lines are looked up again.
void forget_lines();
/// The line being executed; 0 when nothing is known.
uint32_t current_location();
/// For each node of the trace's graph the line that recorded it.
std::vector<std::string> lines_of(const Trace& trace, const TraceGraph& graph);
/// "train.py:12", or "" when nothing is known.
std::string location_text(uint32_t location);

}  // namespace rushlight::lazy
