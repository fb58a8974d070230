#include "metrics.h"

#include <array>
#include <atomic>

namespace rushlight::lazy {
namespace {

std::array<std::atomic<int64_t>, static_cast<size_t>(Counter::kCount)> g_counters{};

std::atomic<int64_t>& at(Counter counter) { return g_counters[static_cast<size_t>(counter)]; }

}  // namespace

void count(Counter counter, int64_t by) { at(counter).fetch_add(by, std::memory_order_relaxed); }

int64_t value(Counter counter) { return at(counter).load(std::memory_order_relaxed); }

void reset_counters() {
  for (auto& c : g_counters) c.store(0, std::memory_order_relaxed);
}

std::string_view counter_name(Counter counter) {
  constexpr std::string_view names[] = {"RecordedCalls",     "EagerCalls",   "Runs",
                                        "CachedRuns",        "Compilations", "Interpretations",
                                        "AutomaticBarriers", "Failures"};
  static_assert(std::size(names) == static_cast<size_t>(Counter::kCount));
  return names[static_cast<size_t>(counter)];
}

}  // namespace rushlight::lazy
