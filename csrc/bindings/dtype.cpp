// rushlight.dtype: one object per element type.
#include "core/dtype.h"

#include <array>

#include "bindings.h"

namespace rushlight::python {
namespace {

struct PyDType {
  DType value;
};

std::string name_of(const PyDType& t) { return std::string(dtype_name(t.value)); }

// Borrowed: the module owns them. Filled at import, under the import lock; read-only afterwards.
std::array<PyObject*, kDTypeCount> objects{};

}  // namespace

nb::object dtype_object(DType t) { return nb::borrow(objects[static_cast<size_t>(t)]); }

std::optional<DType> to_dtype(nb::handle object) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (object.ptr() == objects[static_cast<size_t>(i)]) return static_cast<DType>(i);
  return std::nullopt;
}

void init_dtype(nb::module_& m) {
  nb::class_<PyDType>(m, "dtype", "The element type of a tensor, such as ``rushlight.float32``.")
      .def_prop_ro("name", &name_of, "PyTorch's name of the type, such as ``'float32'``.")
      .def_prop_ro(
          "itemsize", [](const PyDType& t) { return item_size(t.value); }, "Bytes of one element.")
      .def_prop_ro("is_floating_point", [](const PyDType& t) { return is_floating(t.value); })
      .def_prop_ro("is_complex", [](const PyDType& t) { return is_complex(t.value); })
      .def_prop_ro(
          "is_signed",
          [](const PyDType& t) { return t.value != DType::Bool && t.value != DType::UInt8; })
      .def("__repr__", [](const PyDType& t) { return "rushlight." + name_of(t); })
      .def(
          "__reduce__",
          [](const PyDType& t) {
            return name_of(t);  // the object of that name in this module
          },
          nb::sig("def __reduce__(self) -> str"));
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto t = static_cast<DType>(i);
    nb::object object = nb::cast(PyDType{t});
    m.attr(std::string(dtype_name(t)).c_str()) = object;
    objects[static_cast<size_t>(i)] = object.ptr();
  }
  m.def(
      "dtype_from_name",
      [](const std::string& name) {
        const auto t = dtype_from_name(name);
        RL_CHECK(t, Value, "unknown dtype '", name, "'");
        return dtype_object(*t);
      },
      nb::arg("name"), nb::sig("def dtype_from_name(name: str) -> dtype"),
      "The dtype called ``name``; ``ValueError`` if there is none.");
  m.def(
      "promote_types",
      [](const PyDType& a, const PyDType& b) {
        return dtype_object(promote_types(a.value, b.value));
      },
      nb::arg("type1"), nb::arg("type2"),
      nb::sig("def promote_types(type1: dtype, type2: dtype) -> dtype"),
      "PyTorch's ``promote_types``.");
}

}  // namespace rushlight::python
