// Counters and timers of what the recorder did.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/op.h"

namespace rushlight::lazy {

enum class Counter : uint8_t {
  RecordedCalls,
  EagerCalls,
  Runs,
  CachedRuns,
  Compilations,
  Replans,
  Interpretations,
  AutomaticBarriers,
  Failures,
  Replays,
  kCount,
};

std::string_view counter_name(Counter counter);

void count(Counter counter, int64_t by = 1);
int64_t value(Counter counter);

/// Counts a call that ran instead of being recorded.
void count_eager(const OpDef& op);
/// Operators that ran at the call, and how often.
std::vector<std::pair<std::string_view, int64_t>> eager_calls();

enum class Timer : uint8_t { Compile, Replan, Run, Replay, kCount };
std::string_view timer_name(Timer timer);
void add_time(Timer timer, double seconds);

struct Times {
  int64_t count = 0;
  double total = 0;            // seconds
  std::vector<double> latest;  // seconds, at most 1024, in no order
};
Times times(Timer timer);

/// Measures how long it lives.
class Timed {
 public:
  explicit Timed(Timer timer) : timer_(timer) {}
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() { add_time(timer_, seconds()); }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void set(Timer timer) { timer_ = timer; }

 private:
  Timer timer_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Sets all counters and timers to zero.
void reset_metrics();

}  // namespace rushlight::lazy
