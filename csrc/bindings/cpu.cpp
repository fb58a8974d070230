// Threads and CPU capability.

#include "bindings.h"
#include "cpu/build_info.h"
#include "cpu/capability.h"
#include "cpu/parallel.h"

namespace rushlight::python {

void init_cpu(nb::module_& m) {
  m.def("get_num_threads", &cpu::num_threads, "Threads that one operator may use.");
  m.def("set_num_threads", &cpu::set_num_threads, nb::arg("n"),
        "Sets the number of threads that one operator may use; positive.");
  m.def(
      "cpu_capability", [] { return std::string(cpu::capability_name(cpu::capability())); },
      "The instruction sets in use: 'baseline', 'avx2' or 'avx512'.");
  m.def(
      "build_info",
      [] {
        nb::dict out;
        for (const auto& [name, text] : cpu::build_info()) out[name.c_str()] = text;
        return out;
      },
      nb::sig("def build_info() -> dict[str, str]"),
      "How the engine was built: compiler, build type, CPU capabilities, BLAS.");
}

}  // namespace rushlight::python
