// rushlight.UntypedStorage: the bytes behind tensors.
#include "core/storage.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <vector>

#include "bindings.h"
#include "buffers.h"
#include "core/tensor.h"

namespace rushlight::python {
namespace {

/// A storage as Python holds it: two objects over one storage are equal.
class UntypedStorage {
 public:
  explicit UntypedStorage(StoragePtr storage) { held_.emplace(std::move(storage)); }
  const StoragePtr& storage() const { return held_->storage(); }
  void replace(const StoragePtr& by) { held_.emplace(by); }

 private:
  std::optional<Exposed> held_;  // always there; optional because it can be replaced
};

struct WeakStorage {
  std::weak_ptr<Storage> storage;
  uintptr_t id;
};

StoragePtr from_buffer(nb::handle object) {
  auto view = std::make_unique<Py_buffer>();
  const bool writable = PyObject_GetBuffer(object.ptr(), view.get(), PyBUF_WRITABLE) == 0;
  if (!writable) {
    PyErr_Clear();
    if (PyObject_GetBuffer(object.ptr(), view.get(), PyBUF_SIMPLE) != 0) {
      PyErr_Clear();
      RL_FAIL(Type, "UntypedStorage: expected a size in bytes or a contiguous buffer, got ",
              nb::cast<std::string>(nb::str(nb::type_name(object.type()))));
    }
  }
  Py_buffer* held = view.release();
  // The last tensor may be let go on a thread of the engine.
  auto release = [held] {
    if (!nb::is_alive()) return;
    nb::gil_scoped_acquire gil;
    PyBuffer_Release(held);
    delete held;
  };
  StoragePtr storage =
      Storage::borrow(held->buf, static_cast<size_t>(held->len), std::move(release), !writable);
  if (writable) storage->expose();  // whoever owns the buffer can write it
  return storage;
}

StoragePtr make_storage(nb::handle source) {
  if (!PyLong_Check(source.ptr())) return from_buffer(source);
  const auto nbytes = nb::cast<int64_t>(source);
  RL_CHECK(nbytes >= 0, Runtime, "UntypedStorage: expected a size of at least 0, got ", nbytes);
  return Storage::allocate(static_cast<size_t>(nbytes));
}

// A method whose body is a function of rushlight.multiprocessing.
template <const char* kName>
nb::object in_multiprocessing(nb::handle self) {
  return nb::module_::import_("rushlight.multiprocessing.sharing").attr(kName)(self);
}
constexpr char kShareMemory[] = "share_memory_";
constexpr char kIsShared[] = "is_shared";

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const StoragePtr& storage = nb::inst_ptr<UntypedStorage>(self)->storage();
  return PyBuffer_FillInfo(view, self, storage->data(), static_cast<Py_ssize_t>(storage->nbytes()),
                           storage->read_only(), flags);
}

// Known to the garbage collector, so that `move_storage` finds it (tensors are known for their
// attributes).
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return 0;
}

PyType_Slot storage_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(&get_buffer)},
                               {Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
                               {0, nullptr}};

// What of `objects` looks at the storage looks at `by` from now on.
void move_storage(const nb::list& objects, const UntypedStorage& storage,
                  const UntypedStorage& by) {
  const StoragePtr from = storage.storage(), home = by.storage();
  RL_CHECK(from->nbytes() <= home->nbytes(), Value, "a storage of ", home->nbytes(),
           " bytes instead of one of ", from->nbytes());
  for (nb::handle object : objects) {
    if (nb::isinstance<Tensor>(object) && nb::inst_ready(object)) {
      Tensor& t = *nb::inst_ptr<Tensor>(object);
      if (t.storage() != from) continue;
      const int64_t offset = ready(t).byte_offset();
      t.set_storage(home);
      t.set_raw(home->data() + offset);
    } else if (nb::isinstance<UntypedStorage>(object) && nb::inst_ready(object)) {
      UntypedStorage& s = *nb::inst_ptr<UntypedStorage>(object);
      if (s.storage() == from) s.replace(home);
    }
  }
}

Dims dims_of(const std::vector<int64_t>& values) { return Dims(IntList(values)); }

Tensor rebuild_tensor(const UntypedStorage& storage, nb::handle dtype, int64_t storage_offset,
                      const std::vector<int64_t>& size, const std::vector<int64_t>& stride) {
  RL_CHECK(size.size() == stride.size(), Runtime,
           "rebuild_tensor: expected as many strides as sizes, got ", stride.size(),
           " strides for ", size.size(), " sizes");
  TensorMeta meta;
  const auto type = to_dtype(dtype);
  RL_CHECK(type, Type, "rebuild_tensor: expected a rushlight.dtype, got ",
           nb::cast<std::string>(nb::str(nb::type_name(dtype.type()))));
  meta.dtype = *type;
  meta.sizes = dims_of(size);
  meta.strides = dims_of(stride);
  check_in_bounds(meta, storage_offset, storage.storage()->nbytes());
  const auto item = static_cast<uintptr_t>(item_size(meta.dtype));
  const int64_t capacity = static_cast<int64_t>(storage.storage()->nbytes() / item);
  RL_CHECK(storage_offset <= capacity, Runtime, "rebuild_tensor: storage offset ", storage_offset,
           " lies outside a storage of ", capacity, " elements");
  RL_CHECK(
      reinterpret_cast<uintptr_t>(storage.storage()->data()) % std::min<uintptr_t>(item, 8) == 0,
      Runtime, "rebuild_tensor: the storage's memory is not aligned for ", dtype_name(meta.dtype));
  std::byte* data = storage.storage()->data() + storage_offset * static_cast<int64_t>(item);
  return Tensor(meta, storage.storage(), data);
}

}  // namespace

nb::object storage_object(StoragePtr storage) {
  return nb::cast(UntypedStorage(std::move(storage)));
}

void init_storage(nb::module_& m, nb::class_<Tensor>& tensor) {
  nb::class_<WeakStorage>(m, "WeakStorage", "A reference to a storage that does not keep it.")
      .def(
          "expired", [](const WeakStorage& weak) { return weak.storage.expired(); },
          "Whether no tensor has the storage any more.")
      .def(
          "lock",
          [](const WeakStorage& weak) -> nb::object {
            StoragePtr storage = weak.storage.lock();
            return storage ? nb::cast(UntypedStorage(std::move(storage))) : nb::none();
          },
          nb::sig("def lock(self) -> UntypedStorage | None"), "The storage, if it is still there.")
      .def_ro("id", &WeakStorage::id, "A number that no other storage alive has.");
  nb::class_<UntypedStorage>(
      m, "UntypedStorage", nb::type_slots(storage_slots),
      "The bytes that tensors share. ``UntypedStorage(n)`` is ``n`` uninitialised bytes, "
      "``UntypedStorage(buffer)`` the memory of a contiguous buffer, which it keeps alive. Equal "
      "to "
      "another one over the same storage; a ``memoryview`` of it sees the bytes.")
      .def(
          "__init__",
          [](UntypedStorage* self, nb::handle source) {
            new (self) UntypedStorage(make_storage(source));
          },
          nb::arg("source"),
          nb::sig("def __init__(self, source: int | typing_extensions.Buffer) -> None"))
      .def_static(
          "copy_of",
          [](nb::handle buffer) {
            const auto held = hold_buffer(buffer);
            const auto bytes = bytes_of(*held);
            StoragePtr copy;
            {
              nb::gil_scoped_release release;
              copy = Storage::allocate(bytes.size());
              copy_bytes(copy->data(), bytes);
            }
            return UntypedStorage(std::move(copy));
          },
          nb::arg("buffer"),
          nb::sig("def copy_of(buffer: typing_extensions.Buffer) -> UntypedStorage"),
          "The bytes of a contiguous buffer, copied on several threads.")
      .def("nbytes", [](const UntypedStorage& s) { return s.storage()->nbytes(); })
      .def(
          "weak",
          [](const UntypedStorage& s) {
            return WeakStorage{s.storage(), reinterpret_cast<uintptr_t>(s.storage().get())};
          },
          "A reference that does not keep the storage.")
      .def("share_memory_", &in_multiprocessing<kShareMemory>,
           nb::sig("def share_memory_(self) -> UntypedStorage"),
           "Moves the bytes into shared memory, unless they are there; returns this storage.")
      .def("is_shared", &in_multiprocessing<kIsShared>, nb::sig("def is_shared(self) -> bool"),
           "Whether the bytes lie in shared memory.")
      .def("__len__", [](const UntypedStorage& s) { return s.storage()->nbytes(); })
      .def("data_ptr",
           [](const UntypedStorage& s) { return reinterpret_cast<uintptr_t>(s.storage()->data()); })
      .def_prop_ro(
          "read_only", [](const UntypedStorage& s) { return s.storage()->read_only(); },
          "True for memory that must not be written, such as a mapped file.")
      .def(
          "__eq__",
          [](const UntypedStorage& s, nb::handle other) {
            return nb::isinstance<UntypedStorage>(other) &&
                   nb::inst_ptr<UntypedStorage>(other)->storage() == s.storage();
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const UntypedStorage& s) { return std::hash<StoragePtr>()(s.storage()); });
  tensor.def(
      "untyped_storage", [](const Tensor& t) { return UntypedStorage(ready(t).storage()); },
      "The storage that this tensor is a view of.");
  tensor.def("share_memory_", &in_multiprocessing<kShareMemory>,
             nb::sig("def share_memory_(self) -> Tensor"),
             "Moves the tensor into shared memory, unless it is there; returns it.");
  tensor.def("is_shared", &in_multiprocessing<kIsShared>, nb::sig("def is_shared(self) -> bool"),
             "Whether the storage lies in shared memory.");
  m.def(
      "storage_holders", [](const UntypedStorage& s) { return s.storage().use_count(); },
      nb::arg("storage"), "Tensors, storages and others that keep the bytes; ``storage`` is one.");
  m.def(
      "tensor_span",
      [](const Tensor& t) {
        const auto low = reinterpret_cast<uintptr_t>(ready(t).raw());
        int64_t last = t.numel() ? 1 : 0;
        for (int64_t d = 0; last && d < t.rank(); ++d) last += (t.sizes[d] - 1) * t.strides[d];
        return nb::make_tuple(low, low, low + static_cast<uintptr_t>(last * item_size(t.dtype)));
      },
      nb::arg("tensor"), nb::sig("def tensor_span(tensor: Tensor) -> tuple[int, int, int]"),
      "Addresses of the first element, of the first byte, and after the last byte.");
  m.def("move_storage", &move_storage, nb::arg("objects"), nb::arg("storage"), nb::arg("by"),
        nb::sig("def move_storage(objects: list[Any], storage: UntypedStorage, by: "
                "UntypedStorage) -> None"),
        "What of ``objects`` looks at ``storage`` looks at ``by`` from now on.");
  m.def("rebuild_tensor", &rebuild_tensor, nb::arg("storage"), nb::arg("dtype"),
        nb::arg("storage_offset"), nb::arg("size"), nb::arg("stride"),
        nb::sig("def rebuild_tensor(storage: UntypedStorage, dtype: _dtype, storage_offset: int, "
                "size: Sequence[int], stride: Sequence[int]) -> Tensor"),
        "A tensor over ``storage``; offset and strides in elements. RuntimeError if an element "
        "would lie outside.");
}

}  // namespace rushlight::python
