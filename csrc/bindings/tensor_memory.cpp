// What changes which memory a rushlight.Tensor names, copies of it, and pickling.
#include <cstring>
#include <vector>

#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "kernels/copy.h"
#include "lazy/recorder.h"
#include "signature.h"

namespace rushlight::python {
namespace {

// x.resize_(sizes): the same memory in row-major order if it is large enough, else larger memory
// with the old bytes at its start.
void resize(Tensor& t, const std::vector<int64_t>& sizes) {
  ready(t);
  const IntList wanted(sizes);
  TensorMeta meta;
  meta.set(t.dtype, wanted);
  const int64_t offset = t.storage() ? t.raw() - t.storage()->data() : 0;
  const int64_t needed = offset + checked_numel(wanted) * item_size(t.dtype);
  if (t.storage() && needed <= static_cast<int64_t>(t.storage()->nbytes())) {
    t = Tensor(meta, t.storage(), t.raw());
    return;
  }
  StoragePtr larger = Storage::allocate(static_cast<size_t>(needed));
  if (t.storage() && t.storage()->nbytes() > 0)
    std::memcpy(larger->data(), t.storage()->data(), t.storage()->nbytes());
  std::byte* data = larger->data() + offset;
  t = Tensor(meta, std::move(larger), data);
}

// Tensors over one storage share its copy, which the memo keeps.
nb::object deep_copy(const Tensor& t, nb::dict memo) {
  lazy::compute(t);
  nb::object key =
      nb::make_tuple("rushlight.storage", reinterpret_cast<uintptr_t>(t.storage().get()));
  StoragePtr copy;
  if (memo.contains(key)) {
    copy = nb::inst_ptr<Tensor>(nb::object(memo[key]))->storage();
  } else {
    const size_t nbytes = t.storage() ? t.storage()->nbytes() : 0;
    copy = Storage::allocate(nbytes);
    if (nbytes) std::memcpy(copy->data(), t.storage()->data(), nbytes);
    TensorMeta bytes;
    bytes.set(DType::UInt8, Dims{static_cast<int64_t>(nbytes)});
    memo[key] = nb::cast(Tensor(bytes, copy, copy->data()));
    // The original must live as long as the memo, or another storage could take its address.
    memo[nb::make_tuple("rushlight.kept", key)] = nb::cast(t);
  }
  std::byte* data = copy->data() + (t.storage() ? t.raw() - t.storage()->data() : 0);
  return nb::cast(Tensor(t, copy, data));
}

Tensor from_bytes(nb::bytes data, nb::handle dtype, const std::vector<int64_t>& sizes) {
  const auto t = to_dtype(dtype);
  RL_CHECK(t, Type, "expected a rushlight.dtype");
  Tensor out = Tensor::empty(IntList(sizes), *t);
  RL_CHECK(static_cast<int64_t>(data.size()) == out.nbytes(), Value, "expected ", out.nbytes(),
           " bytes for ", describe(out), ", got ", data.size());
  std::memcpy(out.raw(), data.data(), data.size());
  return out;
}

nb::object reduce(const Tensor& t) {
  lazy::compute(t);
  const Tensor dense = t.contiguous();
  nb::list sizes;
  for (int64_t s : t.sizes) sizes.append(s);
  nb::bytes data(dense.raw(), static_cast<size_t>(dense.nbytes()));
  return nb::make_tuple(nb::module_::import_("rushlight._tensor.pickling").attr("rebuild"),
                        nb::make_tuple(data, dtype_object(t.dtype), sizes));
}

}  // namespace

void init_tensor_memory(nb::module_& m, nb::class_<Tensor>& tensor) {
  tensor
      .def(
          "__reduce_ex__", [](const Tensor& t, int) { return reduce(t); }, nb::arg("protocol"),
          nb::sig("def __reduce_ex__(self, protocol: typing.SupportsIndex, /) -> "
                  "tuple[typing.Any, ...]"))
      .def(
          "__copy__", [](const Tensor& t) { return Tensor(t); }, "Another view of the same memory.")
      .def("__deepcopy__", &deep_copy, nb::arg("memo"),
           nb::sig("def __deepcopy__(self, memo: dict[typing.Any, typing.Any], /) -> Tensor"),
           "A copy; tensors over one storage share its copy.");
  m.def("tensor_from_bytes", &from_bytes, nb::arg("data"), nb::arg("dtype"), nb::arg("sizes"),
        nb::sig("def tensor_from_bytes(data: bytes, dtype: _dtype, sizes: Sequence[int]) -> "
                "Tensor"));
  m.def("resize_tensor", &resize, nb::arg("tensor"), nb::arg("sizes"));
  m.def(
      "assign_tensor", [](Tensor& t, const Tensor& source) { t = source; }, nb::arg("tensor"),
      nb::arg("source"), "Makes ``tensor`` another name for what ``source`` is.");
}

}  // namespace rushlight::python
