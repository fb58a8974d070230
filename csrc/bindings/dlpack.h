// Zero-copy exchange through DLPack (https://dmlc.github.io/dlpack/latest/) and NumPy.
#pragma once

#include "bindings.h"

namespace rushlight::python {

/// The value of `Tensor.__dlpack__`: a capsule over the tensor's memory. Keyword arguments as in
/// the array API standard.
nb::object export_dlpack(const Tensor& tensor, nb::handle stream, nb::handle max_version,
                         nb::handle dl_device, nb::handle copy);

}  // namespace rushlight::python
