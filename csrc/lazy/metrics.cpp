#include "metrics.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "ir/custom_op.h"

namespace rushlight::lazy {
namespace {

constexpr size_t kSamples = 1024;

struct TimerState {
  std::atomic<int64_t> count{0};
  std::atomic<double> total{0};
  std::array<std::atomic<double>, kSamples> latest{};
};

std::array<std::atomic<int64_t>, static_cast<size_t>(Counter::kCount)> g_counters{};
std::array<TimerState, static_cast<size_t>(Timer::kCount)> g_timers{};

std::atomic<int64_t>& at(Counter counter) { return g_counters[static_cast<size_t>(counter)]; }

// By position in the op table.
std::atomic<int64_t>* eager_counts() {
  static auto* const counts = new std::atomic<int64_t>[all_ops().size()]();
  return counts;
}

}  // namespace

void count(Counter counter, int64_t by) { at(counter).fetch_add(by, std::memory_order_relaxed); }

int64_t value(Counter counter) { return at(counter).load(std::memory_order_relaxed); }

void count_eager(const OpDef& op) {
  count(Counter::EagerCalls);
  if (op.custom)
    op.custom->eager->fetch_add(1, std::memory_order_relaxed);
  else
    eager_counts()[&op - all_ops().data()].fetch_add(1, std::memory_order_relaxed);
}

std::vector<std::pair<std::string_view, int64_t>> eager_calls() {
  std::vector<std::pair<std::string_view, int64_t>> out;
  const auto ops = all_ops();
  for (size_t i = 0; i < ops.size(); ++i)
    if (const int64_t n = eager_counts()[i].load(std::memory_order_relaxed))
      out.emplace_back(ops[i].name, n);
  for (const OpDef* op : custom_ops())
    if (const int64_t n = op->custom->eager->load(std::memory_order_relaxed))
      out.emplace_back(op->name, n);
  return out;
}

void add_time(Timer timer, double seconds) {
  TimerState& t = g_timers[static_cast<size_t>(timer)];
  const int64_t n = t.count.fetch_add(1, std::memory_order_relaxed);
  t.total.fetch_add(seconds, std::memory_order_relaxed);
  t.latest[static_cast<size_t>(n) % kSamples].store(seconds, std::memory_order_relaxed);
}

Times times(Timer timer) {
  const TimerState& t = g_timers[static_cast<size_t>(timer)];
  Times out;
  out.count = t.count.load(std::memory_order_relaxed);
  out.total = t.total.load(std::memory_order_relaxed);
  const size_t n = std::min(static_cast<size_t>(out.count), kSamples);
  for (size_t i = 0; i < n; ++i) out.latest.push_back(t.latest[i].load(std::memory_order_relaxed));
  return out;
}

void reset_metrics() {
  for (auto& c : g_counters) c.store(0, std::memory_order_relaxed);
  for (const OpDef* op : custom_ops()) op->custom->eager->store(0, std::memory_order_relaxed);
  for (size_t i = 0; i < all_ops().size(); ++i)
    eager_counts()[i].store(0, std::memory_order_relaxed);
  for (TimerState& t : g_timers) {
    t.count.store(0, std::memory_order_relaxed);
    t.total.store(0, std::memory_order_relaxed);
  }
}

std::string_view counter_name(Counter counter) {
  constexpr std::string_view names[] = {
      "RecordedCalls",   "EagerCalls",        "Runs",     "CachedRuns", "Compilations", "Replans",
      "Interpretations", "AutomaticBarriers", "Failures", "Replays"};
  static_assert(std::size(names) == static_cast<size_t>(Counter::kCount));
  return names[static_cast<size_t>(counter)];
}

std::string_view timer_name(Timer timer) {
  constexpr std::string_view names[] = {"CompileTime", "ReplanTime", "RunTime", "ReplayTime"};
  static_assert(std::size(names) == static_cast<size_t>(Timer::kCount));
  return names[static_cast<size_t>(timer)];
}

}  // namespace rushlight::lazy
