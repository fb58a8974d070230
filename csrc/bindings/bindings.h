// The extension module rushlight._C: one init function per area.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "core/argument.h"
#include "ir/graph.h"

// The stub's signature of a property; both are string literals.
#define RL_GETTER(name, type) nb::for_getter(nb::sig("def " name "(self, /) -> " type))

namespace rushlight::python {

namespace nb = nanobind;

void init_errors(nb::module_& m);
void init_lazy(nb::module_& m);
void init_lazy_reports(nb::module_& m);
void init_lazy_capture(nb::module_& m);
void init_dtype(nb::module_& m);
nb::class_<Tensor> init_tensor(nb::module_& m);
void init_storage(nb::module_& m, nb::class_<Tensor>& tensor);
void init_ops(nb::module_& m);
void init_device(nb::module_& m);
void init_size(nb::module_& m);
void init_generator(nb::module_& m);
void init_from_data(nb::module_& m);
void init_results(nb::module_& m);
void init_tensor_memory(nb::module_& m, nb::class_<Tensor>& tensor);
/// Methods of Tensor and functions, from the op table; after `init_tensor`.
void init_faces(nb::module_& m);
void init_cpu(nb::module_& m);
void init_program(nb::module_& m);
void init_pickle(nb::module_& m);
void init_pytorch_file_reader(nb::module_& m);
void init_pytorch_file_writer(nb::module_& m);
void init_seeding(nb::module_& m);
void init_library(nb::module_& m);

/// The Python dtype object of `t` (one object per dtype).
nb::object dtype_object(DType t);
/// The element type that a Python dtype object stands for; nothing for other objects.
std::optional<DType> to_dtype(nb::handle object);

/// Holds a storage for somebody who reads or writes its memory without asking us.
class Exposed {
 public:
  explicit Exposed(StoragePtr storage) : storage_(std::move(storage)) {
    if (storage_) storage_->expose();
  }
  Exposed(const Exposed& other) : Exposed(other.storage_) {}
  Exposed& operator=(const Exposed&) = delete;
  ~Exposed() {
    if (storage_) storage_->unexpose();
  }
  const StoragePtr& storage() const { return storage_; }

 private:
  StoragePtr storage_;
};

/// A rushlight.UntypedStorage.
nb::object storage_object(StoragePtr storage);

/// A tensor from a rushlight.Tensor, a NumPy array, or anything with __dlpack__, without a copy.
/// Throws TypeError naming `what` for other objects.
/// It may have no contents yet.
Tensor to_tensor(nb::handle object, const char* what);
/// The same tensor with its contents, after all that was recorded from its memory has run.
const Tensor& ready(const Tensor& tensor);
/// True for what `to_tensor` takes.
bool is_tensor_like(nb::handle object);

/// A NumPy array over the tensor's memory, which it keeps alive. bfloat16 has no NumPy dtype:
/// TypeError.
nb::object to_numpy(const Tensor& tensor);

/// A number argument as a Python number; None for anything else.
nb::object number_object(const Argument& a);

/// A literal of a graph as a Python object.
nb::object literal_object(const Argument& a);
/// A graph as plain Python data, which rushlight.export wraps in classes.
nb::dict graph_object(const Graph& graph);

/// An element as a Python number.
nb::object element(const Tensor& tensor, const std::byte* at);

}  // namespace rushlight::python
