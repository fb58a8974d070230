#include "bindings.h"

NB_MODULE(_C, m) {
  using namespace rushlight::python;
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    // nanobind has one table of types for all interpreters.
    throw nb::import_error("rushlight's engine does not run in sub-interpreters");
  }
  // dtype objects live in dictionaries of other modules, which outlive this one at exit.
  nb::set_leak_warnings(false);
  m.doc() = "rushlight's C++ engine.";
  init_errors(m);
  init_lazy(m);
  init_dtype(m);
  init_device(m);
  init_size(m);
  auto tensor = init_tensor(m);
  init_storage(m, tensor);
  init_tensor_memory(m, tensor);
  init_generator(m);
  init_from_data(m);
  init_ops(m);
  init_results(m);
  init_faces(m);
  init_cpu(m);
  init_program(m);
  init_lazy_reports(m);
  init_lazy_capture(m);
  init_pickle(m);
  init_pytorch_file_reader(m);
  init_pytorch_file_writer(m);
  init_seeding(m);
  init_library(m);
}
