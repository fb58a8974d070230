// rushlight._C.lazy_*: the recorder's switches and reports.
#include "lazy/recorder.h"

#include <cstring>

#include <map>
#include <mutex>
#include <vector>

#include "bindings.h"
#include "lazy/history.h"
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

// The folder of the package: its own Python files are not the user's lines.
std::string& package_folder() {
  static auto* const folder = new std::string();
  return *folder;
}

bool is_ours(PyCodeObject* code) {
  const char* name = PyUnicode_AsUTF8(code->co_filename);
  if (!name) PyErr_Clear();
  const std::string& folder = package_folder();
  return name && !folder.empty() && std::strncmp(name, folder.c_str(), folder.size()) == 0;
}

// The innermost frame that is not ours; a new reference, or null.
PyFrameObject* users_frame() {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const bool ours = is_ours(code);
    Py_DECREF(code);
    if (!ours) return frame;
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  return nullptr;
}

uint32_t line_now() {
  if (!PyGILState_Check()) return 0;
  PyFrameObject* frame = users_frame();
  if (!frame) return 0;
  PyCodeObject* code = PyFrame_GetCode(frame);
  const int line = PyFrame_GetLineNumber(frame);
  Py_DECREF(frame);
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
  if (number >= lines().lines.size()) return "";
  const auto [code, line] = lines().lines.at(number);
  return nb::cast<std::string>(nb::handle(code->co_filename)) + ":" + std::to_string(line);
}

// Warnings wait until the main thread is between two instructions: a compilation may happen where
// an exception, which a warning may become, would be lost.
struct Warnings {
  std::mutex mutex;
  std::vector<std::pair<uint32_t, std::string>> waiting;
};
Warnings& warnings() {
  static auto* const w = new Warnings();
  return *w;
}

int warn_now(void*) {
  std::vector<std::pair<uint32_t, std::string>> waiting;
  {
    std::lock_guard lock(warnings().mutex);
    waiting.swap(warnings().waiting);
  }
  for (const auto& [location, text] : waiting) {
    const auto [code, line] = lines().lines.at(location);
    const char* file = code ? PyUnicode_AsUTF8(code->co_filename) : nullptr;
    if (!file) PyErr_Clear();
    if (PyErr_WarnExplicit(PyExc_UserWarning, text.c_str(), file ? file : "<unknown>", line,
                           nullptr, nullptr) != 0)
      return -1;
  }
  return 0;
}

void warn_later(uint32_t location, const std::string& text) {
  {
    std::lock_guard lock(warnings().mutex);
    warnings().waiting.emplace_back(location, text);
  }
  Py_AddPendingCall(&warn_now, nullptr);
}

}  // namespace

void init_lazy(nb::module_& m) {
  lazy::set_warner(&warn_later);
  m.def(
      "lazy_set_package_folder", [](const std::string& folder) { package_folder() = folder; },
      "Frames of files in this folder are not taken for the user's lines.");
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
  m.def("lazy_reset_metrics", &lazy::reset_metrics);
}

}  // namespace rushlight::python
