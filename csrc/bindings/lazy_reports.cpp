// rushlight._C.lazy_*: what the recorder remembers and why it compiled.
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "lazy/history.h"
#include "lazy/limits.h"
#include "lazy/location.h"
#include "lazy/metrics.h"
#include "lazy/state.h"

namespace rushlight::python {
namespace {

lazy::Limit to_limit(const std::string& name) {
  constexpr std::string_view names[] = {"trace_calls", "trace_bytes", "programs", "history",
                                        "recompilations"};
  for (size_t i = 0; i < std::size(names); ++i)
    if (names[i] == name) return static_cast<lazy::Limit>(i);
  RL_FAIL(Key, "no limit called '", name, "'");
}

nb::str text(std::string_view s) { return nb::str(s.data(), s.size()); }

nb::list compilations() {
  nb::list out;
  for (const lazy::Compilation& c : lazy::compilations())
    out.append(nb::make_tuple(c.number, text(lazy::reason_name(c.reason)), c.subject, c.before,
                              c.after, lazy::location_text(c.location),
                              lazy::location_text(c.start), c.calls, c.planned_only, c.seconds,
                              lazy::hex(c.program)));
  return out;
}

nb::dict timers() {
  nb::dict out;
  for (size_t i = 0; i < static_cast<size_t>(lazy::Timer::kCount); ++i) {
    const auto timer = static_cast<lazy::Timer>(i);
    const lazy::Times times = lazy::times(timer);
    nb::list latest;
    for (double s : times.latest) latest.append(s);
    out[text(lazy::timer_name(timer))] = nb::make_tuple(times.count, times.total, latest);
  }
  return out;
}

nb::dict eager_calls() {
  nb::dict out;
  for (const auto& [name, count] : lazy::eager_calls()) out[text(name)] = count;
  return out;
}

nb::list programs() {
  nb::list out;
  for (const lazy::ProgramFacts& p : lazy::programs())
    out.append(nb::make_tuple(lazy::hex(p.key), p.calls, p.steps, p.arena_bytes));
  return out;
}

}  // namespace

void init_lazy_reports(nb::module_& m) {
  m.def(
      "lazy_limit", [](const std::string& name) { return lazy::limit(to_limit(name)); },
      nb::arg("name"));
  m.def(
      "lazy_set_limit",
      [](const std::string& name, int64_t value) { lazy::set_limit(to_limit(name), value); },
      nb::arg("name"), nb::arg("value"));
  m.def("lazy_compilations", &compilations,
        nb::sig("def lazy_compilations() -> list[tuple[int, str, str, str, str, str, str, int, "
                "bool, float, str]]"),
        "Why programs were compiled, the oldest first.");
  m.def("lazy_forget_compilations", &lazy::forget_compilations);
  m.def("lazy_timers", &timers,
        nb::sig("def lazy_timers() -> dict[str, tuple[int, float, list[float]]]"),
        "By name: how often, seconds in all, the latest 1024.");
  m.def("lazy_eager_calls", &eager_calls, nb::sig("def lazy_eager_calls() -> dict[str, int]"),
        "How often each operator ran at the call instead of being recorded.");
  m.def("lazy_programs", &programs,
        nb::sig("def lazy_programs() -> list[tuple[str, int, int, int]]"),
        "Programs remembered: hash, calls, steps, bytes of the arena.");
  m.def(
      "lazy_forget_programs",
      [] {
        lazy::forget_programs();
        lazy::forget_lines();
      },
      "Forgets compiled programs and the lines that recorded them.");
}

}  // namespace rushlight::python
