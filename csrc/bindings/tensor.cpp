// rushlight.Tensor.
#include "core/tensor.h"

#include <cstring>

#include "bindings.h"
#include "core/repr.h"
#include "dlpack.h"
#include "lazy/recorder.h"
#include "objects.h"
#include "operators.h"

namespace rushlight::python {
namespace {

nb::tuple tuple_of(const Dims& dims) {
  nb::list values;
  for (int64_t d : dims) values.append(d);
  return nb::tuple(values);
}

nb::object to_list(const Tensor& t, size_t dim, const std::byte* at) {
  if (dim == t.sizes.size()) return element(t, at);
  nb::list out;
  for (int64_t i = 0; i < t.sizes[dim]; ++i)
    out.append(to_list(t, dim + 1, at + i * t.strides[dim] * item_size(t.dtype)));
  return out;
}

nb::object item(const Tensor& t) {
  RL_CHECK(t.numel() == 1, Runtime, "a Tensor with ", t.numel(),
           " elements cannot be converted to Scalar");
  lazy::compute(t);
  return element(t, t.raw());
}

bool truth(const Tensor& t) {
  RL_CHECK(t.numel() != 0, Runtime, "Boolean value of Tensor with no values is ambiguous");
  RL_CHECK(t.numel() == 1, Runtime,
           "Boolean value of Tensor with more than one value is ambiguous");
  return nb::cast<bool>(nb::bool_(item(t)));
}

nb::object as_array(const Tensor& t, nb::handle dtype, nb::handle copy) {
  nb::object array = to_numpy(t);
  if (!dtype.is_none()) {
    nb::object converted = array.attr("astype")(dtype, nb::arg("copy") = false);
    RL_CHECK(copy.is_none() || nb::cast<bool>(copy) || converted.is(array), Value,
             "Unable to avoid copy: dtype ", dtype_name(t.dtype),
             " differs from the one asked for");
    array = converted;
  }
  return !copy.is_none() && nb::cast<bool>(copy) ? array.attr("copy")() : array;
}

}  // namespace

nb::object element(const Tensor& t, const std::byte* at) {
  return dispatch_dtype(t.dtype, [&](auto v) -> nb::object {
    using T = decltype(v);
    std::memcpy(&v, at, sizeof(T));
    if constexpr (std::is_same_v<T, bool>)
      return nb::bool_(v);
    else if constexpr (std::is_integral_v<T>)
      return nb::int_(static_cast<int64_t>(v));
    else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
      return nb::steal(PyComplex_FromDoubles(v.real(), v.imag()));
    else
      return nb::float_(static_cast<double>(v));
  });
}

const Tensor& ready(const Tensor& tensor) {
  lazy::compute_for_others(tensor);
  return tensor;
}

nb::class_<Tensor> init_tensor(nb::module_& m) {
  nb::class_<Tensor> tensor(
      m, "Tensor", nb::type_slots(tensor_slots()), nb::is_weak_referenceable(), nb::dynamic_attr(),
      "An n-dimensional array. ``Tensor(x)`` wraps a NumPy array or anything with "
      "``__dlpack__`` without copying.");
  tensor
      .def(
          "__init__",
          [](Tensor* self, nb::handle data) { new (self) Tensor(to_tensor(data, "data")); },
          nb::arg("data"))
      .def_prop_ro(
          "shape", [](const Tensor& t) { return make_size(t.sizes); }, RL_GETTER("shape", "Size"))
      .def_prop_ro(
          "device", [](const Tensor&) { return cpu_device(); }, RL_GETTER("device", "_device"))
      .def_prop_ro(
          "layout", [](const Tensor&) { return strided_layout(); }, RL_GETTER("layout", "_layout"))
      .def_prop_ro(
          "dtype", [](const Tensor& t) { return dtype_object(t.dtype); },
          RL_GETTER("dtype", "_dtype"))
      .def_prop_ro("ndim", [](const Tensor& t) { return t.rank(); })
      .def("dim", [](const Tensor& t) { return t.rank(); })
      .def("numel", [](const Tensor& t) { return t.numel(); })
      .def(
          "size", [](const Tensor& t) { return make_size(t.sizes); },
          nb::sig("def size(self) -> Size"))
      .def(
          "size", [](const Tensor& t, int64_t dim) { return t.size(dim); }, nb::arg("dim"))
      .def(
          "stride", [](const Tensor& t) { return tuple_of(t.strides); },
          nb::sig("def stride(self) -> tuple[int, ...]"))
      .def(
          "stride", [](const Tensor& t, int64_t dim) { return t.stride(dim); }, nb::arg("dim"))
      .def("storage_offset", [](const Tensor& t) { return t.storage_offset(); })
      .def("data_ptr",
           [](const Tensor& t) {
             ready(t);
             if (t.storage()) t.storage()->expose();  // nobody says when the address is forgotten
             return reinterpret_cast<uintptr_t>(t.raw());
           })
      .def(
          "is_contiguous",
          [](const Tensor& t, nb::handle format) {
            const auto f = memory_format_in(format);
            RL_CHECK(f || format.is_none(), Type,
                     "is_contiguous(): argument 'memory_format' must be memory_format");
            return t.is_contiguous(f.value_or(MemoryFormat::Contiguous));
          },
          nb::kw_only(), nb::arg("memory_format") = nb::none(),
          nb::sig("def is_contiguous(self, *, memory_format: _memory_format | None = None) -> "
                  "bool"))
      .def("element_size", [](const Tensor& t) { return item_size(t.dtype); })
      .def("numpy", &to_numpy, nb::sig("def numpy(self) -> _Array"),
           "A NumPy array over the same memory.")
      .def("item", &item, nb::sig("def item(self) -> bool | int | float | complex"),
           "The only element, as a Python number.")
      .def(
          "tolist",
          [](const Tensor& t) {
            lazy::compute(t);
            return to_list(t, 0, t.raw());
          },
          nb::sig("def tolist(self) -> typing.Any"), "Nested lists of Python numbers.")
      .def("__array__", &as_array, nb::arg("dtype") = nb::none(), nb::kw_only(),
           nb::arg("copy") = nb::none(),
           nb::sig("def __array__(self, dtype: typing.Any = None, *, copy: bool | None = None) -> "
                   "_Array"))
      .def("__dlpack__", &export_dlpack, nb::kw_only(), nb::arg("stream") = nb::none(),
           nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(),
           nb::arg("copy") = nb::none())
      .def(
          "__dlpack_device__", [](const Tensor&) { return nb::make_tuple(1, 0); },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"))
      .def("__bool__", &truth)
      .def("__int__", [](const Tensor& t) { return nb::int_(item(t)); })
      .def("__index__",
           [](const Tensor& t) {
             RL_CHECK(category(t.dtype) <= DTypeCategory::Integer && t.numel() == 1, Type,
                      "only integer tensors of a single element can be converted to an index");
             return nb::int_(item(t));
           })
      .def("__float__", [](const Tensor& t) { return nb::float_(item(t)); })
      .def("__complex__",
           [](const Tensor& t) {
             nb::object number = item(t);
             return nb::steal(
                 PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), number.ptr()));
           })
      .def("__repr__", [](const Tensor& t) {
        lazy::compute(t);
        return repr(t);
      });
  return tensor;
}

}  // namespace rushlight::python
