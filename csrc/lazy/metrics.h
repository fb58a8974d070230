// Counters of what the recorder did.
#pragma once

#include <cstdint>
#include <string_view>

namespace rushlight::lazy {

enum class Counter : uint8_t {
  RecordedCalls,
  EagerCalls,
  Runs,
  CachedRuns,
  Compilations,
  Interpretations,
  AutomaticBarriers,
  Failures,
  kCount,
};

std::string_view counter_name(Counter counter);

void count(Counter counter, int64_t by = 1);
int64_t value(Counter counter);
void reset_counters();

}  // namespace rushlight::lazy
