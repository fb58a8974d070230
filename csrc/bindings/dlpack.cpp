#include "dlpack.h"

#include <nanobind/ndarray.h>

namespace rushlight::python {
namespace {

using AnyArray = nb::ndarray<nb::ro>;

nb::dlpack::dtype dl_dtype(DType t) {
  using Code = nb::dlpack::dtype_code;
  const auto make = [&](Code code) {
    return nb::dlpack::dtype{static_cast<uint8_t>(code), static_cast<uint8_t>(item_size(t) * 8), 1};
  };
  if (t == DType::Bool) return make(Code::Bool);
  if (t == DType::UInt8) return make(Code::UInt);
  if (t == DType::BFloat16) return make(Code::Bfloat);
  if (is_integral(t)) return make(Code::Int);
  return make(is_floating(t) ? Code::Float : Code::Complex);
}

std::optional<DType> from_dl(nb::dlpack::dtype dtype) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (dl_dtype(static_cast<DType>(i)) == dtype) return static_cast<DType>(i);
  return std::nullopt;
}

template <class Framework>
nb::object wrap(const Tensor& t) {
  // The capsule keeps the storage alive for as long as the array lives.
  ready(t);
  auto* keep = new Exposed(t.storage());
  nb::capsule owner(keep, [](void* p) noexcept { delete static_cast<Exposed*>(p); });
  std::vector<size_t> shape(t.sizes.begin(), t.sizes.end());
  static std::byte nothing[16];  // NumPy wants an address even for no elements
  void* data = t.raw() ? static_cast<void*>(t.raw()) : nothing;
  if (t.storage()->read_only())
    return nb::cast(nb::ndarray<Framework, nb::ro>(data, shape.size(), shape.data(), owner,
                                                   t.strides.data(), dl_dtype(t.dtype)));
  return nb::cast(nb::ndarray<Framework>(data, shape.size(), shape.data(), owner, t.strides.data(),
                                         dl_dtype(t.dtype)));
}

// JAX's arrays and bytes are as they were made.
bool never_changes(nb::handle object) {
  if (PyBytes_Check(object.ptr())) return true;
  const auto module = nb::cast<std::string>(nb::str(object.type().attr("__module__")));
  return module.starts_with("jax");
}

// Whether an array's memory must not be written, by what its library says.
bool is_read_only(nb::handle object) {
  if (nb::hasattr(object, "flags") && nb::hasattr(object.attr("flags"), "writeable"))
    return !nb::cast<bool>(object.attr("flags").attr("writeable"));
  if (PyObject_CheckBuffer(object.ptr())) {
    Py_buffer view;
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_FULL_RO) == 0) {
      const bool read_only = view.readonly;
      PyBuffer_Release(&view);
      return read_only;
    }
    PyErr_Clear();
  }
  // Its DLPack capsules do not say so.
  return never_changes(object);
}

}  // namespace

bool is_tensor_like(nb::handle object) {
  return nb::isinstance<Tensor>(object) || nb::hasattr(object, "__dlpack__") ||
         PyObject_CheckBuffer(object.ptr());
}

Tensor to_tensor(nb::handle object, const char* what) {
  if (nb::isinstance<Tensor>(object)) return *nb::inst_ptr<Tensor>(object);
  const auto type_name = [&] {
    return nb::cast<std::string>(nb::str(nb::type_name(object.type())));
  };
  RL_CHECK(nb::hasattr(object, "__dlpack__") || PyObject_CheckBuffer(object.ptr()), Type, what,
           ": expected a Tensor or an array, got ", type_name());
  AnyArray array;
  if (!nb::try_cast(nb::borrow(object), array)) {
    PyErr_Clear();
    std::string detail = type_name();
    if (nb::hasattr(object, "dtype"))
      detail += " of dtype " + nb::cast<std::string>(nb::str(nb::object(object.attr("dtype"))));
    RL_FAIL(Type, what, ": expected an array of numbers or booleans in CPU memory, got ", detail);
  }
  RL_CHECK(array.device_type() == nb::device::cpu::value, Type, what,
           ": expected an array in CPU memory");
  const auto dtype = from_dl(array.dtype());
  RL_CHECK(dtype, Type, what, ": arrays of this dtype are not supported");
  TensorMeta meta;
  meta.dtype = *dtype;
  int64_t reach = 1;
  bool negative = false;
  for (size_t i = 0; i < array.ndim(); ++i) {
    meta.sizes.push_back(static_cast<int64_t>(array.shape(i)));
    meta.strides.push_back(array.stride(i));
    negative |= array.stride(i) < 0 && array.shape(i) > 1;
    if (array.shape(i) > 1) reach += (static_cast<int64_t>(array.shape(i)) - 1) * array.stride(i);
  }
  if (meta.numel() == 0) reach = 0;
  if (negative) {
    // PyTorch has no negative strides; a reversed NumPy array is copied.
    nb::object copy = nb::module_::import_("numpy").attr("ascontiguousarray")(object);
    return to_tensor(copy, what);
  }
  // The owner is a Python object, released with the GIL held from whichever thread lets go last.
  auto* owner = new AnyArray(array);
  auto release = [owner] {
    if (!nb::is_alive()) return;
    nb::gil_scoped_acquire gil;
    delete owner;
  };
  const bool read_only = is_read_only(object);
  void* data = const_cast<void*>(array.data());
  auto storage = Storage::borrow(data, static_cast<size_t>(reach * item_size(*dtype)),
                                 std::move(release), read_only);
  if (!never_changes(object)) storage->expose();
  std::byte* start = storage->data();
  return Tensor(meta, std::move(storage), start);
}

nb::object to_numpy(const Tensor& t) {
  RL_CHECK(t.dtype != DType::BFloat16, Type,
           "NumPy has no bfloat16; convert with .to(float32) first, or use __dlpack__");
  return wrap<nb::numpy>(t);
}

nb::object export_dlpack(const Tensor& t, nb::handle stream, nb::handle max_version,
                         nb::handle dl_device, nb::handle copy) {
  RL_CHECK(stream.is_none(), Value, "__dlpack__: stream must be None for a CPU tensor");
  if (!dl_device.is_none())
    RL_CHECK(nb::cast<int>(nb::object(dl_device[0])) == 1, Value,
             "__dlpack__: this tensor lives on the CPU");
  const bool want_copy = !copy.is_none() && nb::cast<bool>(copy);
  nb::object array = wrap<nb::array_api>(want_copy ? ready(t).clone() : t);
  nb::dict keywords;
  if (!max_version.is_none()) keywords["max_version"] = max_version;
  return array.attr("__dlpack__")(**keywords);
}

}  // namespace rushlight::python
