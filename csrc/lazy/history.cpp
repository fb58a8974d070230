#include "history.h"

#include <algorithm>
#include <deque>
#include <list>
#include <set>

#include "lazy/limits.h"
#include "lazy/outline.h"
#include "lazy/state.h"

namespace rushlight::lazy {
namespace {

// Compiled traces that a new one is compared with.
constexpr size_t kMostOutlines = 64;

// Guarded by notes_mutex.
struct History {
  std::deque<Compilation> compilations;
  std::list<Outline> outlines;  // the latest first
  std::set<uint32_t> warned;    // lines
  int64_t count = 0;
};
History& history() {
  static auto* const h = new History();
  return *h;
}

void (*g_warn)(uint32_t, const std::string&) = nullptr;  // set once, while the module is imported

bool same_inputs(const Outline& a, const Outline& b) {
  return std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
                    [](const Outline::Input& x, const Outline::Input& y) {
                      return x.meta.dtype == y.meta.dtype && x.meta.sizes == y.meta.sizes;
                    });
}

// The trace that the new one is most like: of those that begin at the same line, the one that is
// the same for longest; of these one of the same length or inputs; the latest of equals.
const Outline* closest(const std::list<Outline>& outlines, const Outline& now) {
  const Outline* best = nullptr;
  size_t longest = 0;
  for (const Outline& outline : outlines) {
    if (outline.steps.empty() || outline.place() != now.place()) continue;
    const size_t ahead = 4 * outline.common_prefix(now) +
                         2 * static_cast<size_t>(outline.steps.size() == now.steps.size()) +
                         static_cast<size_t>(same_inputs(outline, now));
    if (best && ahead <= longest) continue;
    best = &outline;
    longest = ahead;
  }
  return best;
}

// Has this line been the reason so often, in all that is remembered, that somebody should know?
bool is_too_often(const History& h, uint32_t location) {
  const int64_t most = limit(Limit::Recompilations);
  if (most <= 0 || location == 0 || h.warned.contains(location)) return false;
  return std::count_if(h.compilations.begin(), h.compilations.end(), [&](const Compilation& c) {
           return c.location == location && c.reason != Reason::First;
         }) >= most;
}

std::string warning_text(const Compilation& why) {
  std::string text = detail::concat("rushlight compiled the program of this line again ",
                                    limit(Limit::Recompilations), " times; the last time because ");
  if (!why.subject.empty()) text += why.subject + ": ";
  return text + detail::concat(reason_name(why.reason), " changed from ", why.before, " to ",
                               why.after, ". rushlight.lazy.explain() lists the reasons");
}

}  // namespace

std::string_view reason_name(Reason reason) {
  constexpr std::string_view names[] = {"first time", "size", "dtype",   "layout",
                                        "argument",   "node", "results", "forgotten"};
  return names[static_cast<size_t>(reason)];
}

void set_warner(void (*warn)(uint32_t, const std::string&)) { g_warn = warn; }

void note_compilation(const Trace& trace, std::span<const ValueId> wanted, bool planned_only,
                      double seconds, const Hash& program) {
  Outline now(trace, wanted);
  if (now.steps.empty()) return;
  Compilation why;
  why.start = why.location = now.place();
  why.calls = static_cast<int64_t>(now.steps.size());
  why.planned_only = planned_only;
  why.seconds = seconds;
  why.program = program;
  History& h = history();
  std::string warning;
  {
    std::lock_guard lock(notes_mutex());
    if (const Outline* before = closest(h.outlines, now)) compare(*before, now, why);
    why.number = ++h.count;
    h.compilations.push_back(why);
    const auto most = static_cast<size_t>(std::max<int64_t>(limit(Limit::History), 1));
    while (h.compilations.size() > most) h.compilations.pop_front();
    h.outlines.push_front(std::move(now));
    if (h.outlines.size() > kMostOutlines) h.outlines.pop_back();
    if (is_too_often(h, why.location)) {
      h.warned.insert(why.location);
      warning = warning_text(why);
    }
  }
  if (!warning.empty() && g_warn) g_warn(why.location, warning);
}

std::vector<Compilation> compilations() {
  History& h = history();
  std::lock_guard lock(notes_mutex());
  return {h.compilations.begin(), h.compilations.end()};
}

void forget_compilations() {
  History& h = history();
  std::lock_guard lock(notes_mutex());
  h.compilations.clear();
  h.outlines.clear();
  h.warned.clear();
  h.count = 0;
}

}  // namespace rushlight::lazy
