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

// One call: operator, line and sizes.
uint64_t kind_of(const Trace& trace, const Call& call) {
  Hash hash;
  hash.mix(reinterpret_cast<uintptr_t>(call.op));
  hash.mix(call.location);
  for (int64_t s : trace.meta(call.first_output).sizes) hash.mix(static_cast<uint64_t>(s));
  return hash.a;
}

// The latest calls.
uint64_t place_of(const Trace& trace) {
  const auto calls = trace.calls();
  Hash hash;
  for (const Call& call : calls.last(std::min(kCallsOfPlace, calls.size())))
    hash.mix(kind_of(trace, call));
  return hash.a;
}

// Calls of the body of a loop that at least the second half of the trace repeats, two times or
// more; 0 if there is none. By the failure function of Knuth, Morris and Pratt, from the end.
size_t loop_body(const Trace& trace) {
  const auto calls = trace.calls();
  const size_t n = calls.size();
  std::vector<uint64_t> kinds;
  for (size_t i = n; i-- > 0;) kinds.push_back(kind_of(trace, calls[i]));
  std::vector<size_t> border(n + 1, 0);
  size_t body = 0;
  for (size_t i = 1, matched = 0; i < n; ++i) {
    while (matched > 0 && kinds[i] != kinds[matched]) matched = border[matched];
    if (kinds[i] == kinds[matched]) ++matched;
    border[i + 1] = matched;
    const size_t length = i + 1, period = length - matched;
    if (2 * length >= n && 2 * period <= length && (body == 0 || period < body)) body = period;
  }
  return body;
}

}  // namespace

bool is_place_to_cut(Trace& trace) {
  if (trace.empty()) return false;
  const size_t n = trace.calls().size();
  if (!trace.cut_at) {
    const size_t body = loop_body(trace);
    trace.cut_at = body == 0 ? SIZE_MAX : (n + body - 1) / body * body;
  }
  if (*trace.cut_at != SIZE_MAX) return n >= *trace.cut_at;
  const uint64_t place = place_of(trace);
  const size_t known = std::min(t_places.count, kMostPlaces);
  const auto end = t_places.latest.begin() + static_cast<std::ptrdiff_t>(known);
  if (std::find(t_places.latest.begin(), end, place) != end) return true;
  if (static_cast<int64_t>(n) < limit(Limit::TraceCalls) &&
      trace.bytes() < limit(Limit::TraceBytes))
    return false;
  t_places.latest[t_places.count++ % kMostPlaces] = place;
  return true;
}

}  // namespace rushlight::lazy
