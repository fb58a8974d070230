#include "buffers.h"

#include <cstring>

#include "cpu/parallel.h"

namespace rushlight::python {

std::shared_ptr<const Py_buffer> hold_buffer(nb::handle object) {
  auto* buffer = new Py_buffer;
  bool held = PyObject_GetBuffer(object.ptr(), buffer, PyBUF_WRITABLE) == 0;
  if (!held) {
    PyErr_Clear();
    held = PyObject_GetBuffer(object.ptr(), buffer, PyBUF_C_CONTIGUOUS) == 0;
  }
  if (!held) {
    delete buffer;
    throw nb::python_error();
  }
  return {buffer, [](const Py_buffer* view) {
            if (!nb::is_alive()) return;
            nb::gil_scoped_acquire gil;
            PyBuffer_Release(const_cast<Py_buffer*>(view));
            delete view;
          }};
}

std::optional<std::string> as_path(nb::handle object) {
  if (!PyUnicode_Check(object.ptr()) && !nb::hasattr(object, "__fspath__")) return std::nullopt;
  PyObject* bytes = nullptr;
  if (!PyUnicode_FSConverter(object.ptr(), &bytes)) throw nb::python_error();
  const nb::object held = nb::steal(bytes);
  return std::string(PyBytes_AS_STRING(bytes), static_cast<size_t>(PyBytes_GET_SIZE(bytes)));
}

std::string name_of_type(nb::handle object) {
  return nb::cast<std::string>(nb::str(nb::type_name(object.type())));
}

void copy_bytes(std::byte* to, std::span<const std::byte> from) {
  constexpr int64_t kPiece = int64_t{1} << 20;
  cpu::parallel_for(0, static_cast<int64_t>(from.size()), kPiece, [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from.data() + begin, static_cast<size_t>(end - begin));
  });
}

}  // namespace rushlight::python
