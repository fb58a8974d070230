#include "barrier.h"

#include <algorithm>

namespace rushlight::lazy {
namespace {

// Calls by which a place in a program is recognised.
constexpr size_t kCallsOfPlace = 16;
// Places remembered for each thread.
constexpr size_t kMostPlaces = 64;

struct Places {
  std::array<uint64_t, kMostPlaces> latest{};
  size_t count = 0;
};
thread_local Places t_places;

// The latest calls: operators, lines and sizes.
uint64_t place_of(const Trace& trace) {
  const auto calls = trace.calls();
  Hash hash;
  for (const Call& call : calls.last(std::min(kCallsOfPlace, calls.size()))) {
    hash.mix(reinterpret_cast<uintptr_t>(call.op));
    hash.mix(call.location);
    for (int64_t s : trace.meta(call.first_output).sizes) hash.mix(static_cast<uint64_t>(s));
  }
  return hash.a;
}

}  // namespace

bool is_place_to_cut(const Trace& trace) {
  if (trace.empty()) return false;
  const uint64_t place = place_of(trace);
  const size_t known = std::min(t_places.count, kMostPlaces);
  const auto end = t_places.latest.begin() + static_cast<std::ptrdiff_t>(known);
  if (std::find(t_places.latest.begin(), end, place) != end) return true;
  if (static_cast<int64_t>(trace.calls().size()) < limit(Limit::TraceCalls) &&
      trace.bytes() < limit(Limit::TraceBytes))
    return false;
  t_places.latest[t_places.count++ % kMostPlaces] = place;
  return true;
}

}  // namespace rushlight::lazy
