// The numbers that users may change: how long traces get, how much is remembered.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace rushlight::lazy {

enum class Limit : uint8_t {
  TraceCalls,     // calls of one trace; then it runs
  TraceBytes,     // bytes that running a trace call by call would allocate
  Programs,       // compiled programs remembered
  History,        // compilations that explain() knows
  Recompilations  // of one place, until there is a warning; 0: never
};

extern std::array<std::atomic<int64_t>, 5> g_limits;

inline int64_t limit(Limit l) {
  return g_limits[static_cast<size_t>(l)].load(std::memory_order_relaxed);
}
inline void set_limit(Limit l, int64_t value) {
  g_limits[static_cast<size_t>(l)].store(value, std::memory_order_relaxed);
}

}  // namespace rushlight::lazy
