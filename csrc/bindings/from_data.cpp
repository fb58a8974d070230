#include "from_data.h"
#include "lazy/recorder.h"

#include <nanobind/stl/optional.h>

#include <cstring>

#include "core/default_dtype.h"
#include "kernels/copy.h"
#include "objects.h"
#include "signature.h"

namespace rushlight::python {
namespace {

constexpr size_t kMaxRank = 128;

// Lists, tuples, and everything else that has a length and items, tensors included.
bool is_sequence(PyObject* object) {
  if (PyList_Check(object) || PyTuple_Check(object)) return true;
  if (PyUnicode_Check(object) || PyBytes_Check(object)) return false;
  if (const Tensor* t = tensor_in(object)) return t->rank() > 0;
  return PySequence_Check(object) && nb::hasattr(object, "__len__") && !number_argument(object);
}

DType dtype_of_number(const Argument& a) {
  if (std::holds_alternative<bool>(a)) return DType::Bool;
  if (std::holds_alternative<int64_t>(a)) return DType::Int64;
  if (std::holds_alternative<double>(a)) return default_dtype();
  return default_complex_dtype();
}

template <class F>
void each(PyObject* object, F&& f) {
  if (PyList_Check(object) || PyTuple_Check(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i)
      f(PySequence_Fast_GET_ITEM(object, i));
    return;
  }
  const Py_ssize_t n = PySequence_Size(object);
  if (n < 0) nb::raise_python_error();
  for (Py_ssize_t i = 0; i < n; ++i) {
    nb::object item = nb::steal(PySequence_GetItem(object, i));
    if (!item.is_valid()) nb::raise_python_error();
    f(item.ptr());
  }
}

class Elements {
 public:
  explicit Elements(PyObject* data) { walk(data, 0); }

  Tensor tensor(std::optional<DType> dtype) const {
    const DType t = dtype.value_or(values_.empty() ? default_dtype() : found_);
    Tensor out = Tensor::empty(sizes_, t);
    dispatch_dtype(t, [&](auto tag) {
      using T = decltype(tag);
      T* to = out.data<T>();
      for (const Argument& v : values_) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
          RL_CHECK(!std::holds_alternative<complex128>(v), Runtime,
                   "value cannot be converted to type ", dtype_name(t), " without overflow");
        *to++ = unpack<Scalar>::from(v).to<T>();
      }
    });
    return out;
  }

 private:
  void walk(PyObject* object, size_t depth) {
    if (!is_sequence(object)) return add(object, depth);
    RL_CHECK(depth < kMaxRank, Value, "too many dimensions: ", kMaxRank);
    const Py_ssize_t n = PySequence_Size(object);
    if (n < 0) nb::raise_python_error();
    if (!complete_ && depth == sizes_.size()) sizes_.push_back(n);
    RL_CHECK(depth < sizes_.size(), Type,
             "not a sequence of numbers: sequences and numbers at depth ", depth);
    RL_CHECK(sizes_[depth] == n, Value, "expected sequence of length ", sizes_[depth], " at dim ",
             depth, " (got ", n, ")");
    each(object, [&](PyObject* item) { walk(item, depth + 1); });
    if (n == 0) complete_ = true;
  }

  void add(PyObject* object, size_t depth) {
    complete_ = true;
    RL_CHECK(depth == sizes_.size(), Type, "only sequences of one depth can be converted: a ",
             type_of(object), " at depth ", depth, " of ", sizes_.size());
    const Tensor* t = tensor_in(object);
    auto value = number_argument(object);
    RL_CHECK(value, Type,
             depth == 0 ? "data must be numbers, sequences of numbers or an array, not "
                        : "new(): invalid data type '",
             type_of(object), depth == 0 ? "" : "'");
    const DType dtype = t ? t->dtype : dtype_of_number(*value);
    found_ = values_.empty() ? dtype : promote_types(found_, dtype);
    values_.push_back(std::move(*value));
  }

  Dims sizes_;
  bool complete_ = false;  // sizes_ is known to its last dimension
  std::vector<Argument> values_;
  DType found_ = DType::Float32;
};

}  // namespace

Tensor number_tensor(const Argument& number, DType dtype) {
  Tensor out = Tensor::empty({}, dtype);
  dispatch_dtype(dtype, [&](auto tag) {
    using T = decltype(tag);
    *out.data<T>() = unpack<Scalar>::from(number).to<T>();
  });
  return out;
}

Tensor tensor_from_data(nb::handle data, std::optional<DType> dtype) {
  PyObject* object = data.ptr();
  const bool array = !PyList_Check(object) && !PyTuple_Check(object) && is_tensor_like(data);
  if (!array) return Elements(object).tensor(dtype);
  const Tensor source = to_tensor(data, "data");
  if (nb::isinstance<Tensor>(data)) lazy::compute(source);
  Tensor out = Tensor::empty(source.sizes, dtype.value_or(source.dtype));
  kernels::copy_strided(source, out);
  return out;
}

void init_from_data(nb::module_& m) {
  m.def(
      "tensor",
      [](nb::handle data, nb::handle dtype, nb::handle device, bool requires_grad, bool) {
        if (!device.is_none()) check_device(device);
        RL_CHECK(!requires_grad, NotImplemented, "tensor(): requires_grad=True is not supported");
        std::optional<DType> t;
        if (!dtype.is_none()) {
          t = dtype_argument(dtype);
          RL_CHECK(t, Type, "tensor(): argument 'dtype' must be dtype, not ", type_of(dtype.ptr()));
        }
        return tensor_from_data(data, t);
      },
      nb::arg("data"), nb::kw_only(), nb::arg("dtype") = nb::none(), nb::arg("device") = nb::none(),
      nb::arg("requires_grad") = false, nb::arg("pin_memory") = false,
      nb::sig("def tensor(data: typing.Any, *, dtype: _dtype | None = None, "
              "device: str | device | None = None, requires_grad: bool = False, "
              "pin_memory: bool = False) -> Tensor"),
      "A new tensor with the elements of ``data``: a number, nested sequences of numbers, an "
      "array or a tensor, copied. Without ``dtype`` it follows from the elements; Python floats "
      "become the default dtype.\n\n>>> rushlight.tensor([[1, 2], [3, 4]])\ntensor([[1, 2],\n"
      "        [3, 4]])");
}

}  // namespace rushlight::python
