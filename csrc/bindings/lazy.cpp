// rushlight._C.lazy_*: the recorder's switches and reports.
#include "lazy/recorder.h"

#include <map>
#include <mutex>
#include <vector>

#include "bindings.h"
#include "lazy/location.h"
#include "lazy/metrics.h"

namespace rushlight::python {
namespace {

void* release_gil() { return PyGILState_Check() ? PyEval_SaveThread() : nullptr; }
void acquire_gil(void* state) { PyEval_RestoreThread(static_cast<PyThreadState*>(state)); }

// Lines by number; a code object is kept, so that its address stays its own. Guarded by the GIL.
struct Lines {
  std::map<std::pair<PyCodeObject*, int>, uint32_t> numbers;
  std::vector<std::pair<PyCodeObject*, int>> lines{{nullptr, 0}};
};
Lines& lines() {
  static auto* const l = new Lines();
  return *l;
}

uint32_t line_now() {
  if (!PyGILState_Check()) return 0;
  PyFrameObject* frame = PyEval_GetFrame();  // borrowed
  if (!frame) return 0;
  PyCodeObject* code = PyFrame_GetCode(frame);
  const int line = PyFrame_GetLineNumber(frame);
  const auto [it, is_new] =
      lines().numbers.try_emplace({code, line}, static_cast<uint32_t>(lines().lines.size()));
  if (is_new)
    lines().lines.emplace_back(code, line);
  else
    Py_DECREF(code);
  return it->second;
}

std::string line_text(uint32_t number) {
  nb::gil_scoped_acquire gil;
  const auto [code, line] = lines().lines.at(number);
  return nb::cast<std::string>(nb::handle(code->co_filename)) + ":" + std::to_string(line);
}

}  // namespace

void init_lazy(nb::module_& m) {
  lazy::set_yield({&release_gil, &acquire_gil});
  lazy::set_locator({&line_now, &line_text});
  m.def("lazy_flush", &lazy::flush, "Runs everything that this thread has recorded.");
  m.def("lazy_flush_all", &lazy::flush_all, "Runs everything that any thread has recorded.");
  m.def("compute", &lazy::compute, nb::arg("tensor"), "Gives a tensor its contents.");
  m.def("lazy_set_recording", &lazy::set_recording, nb::arg("on"),
        "Switches recording on or off for this thread; returns what it was.");
  m.def("lazy_is_recording", &lazy::is_recording);
  m.def(
      "lazy_counters",
      [] {
        nb::dict out;
        for (size_t i = 0; i < static_cast<size_t>(lazy::Counter::kCount); ++i) {
          const auto counter = static_cast<lazy::Counter>(i);
          out[nb::str(std::string(lazy::counter_name(counter)).c_str())] = lazy::value(counter);
        }
        return out;
      },
      nb::sig("def lazy_counters() -> dict[str, int]"), "What the recorder did, by name.");
  m.def("lazy_reset_counters", &lazy::reset_counters);
}

}  // namespace rushlight::python
