// Python's small objects around tensors: device, layout, memory format, Size, Generator.
#pragma once

#include <optional>

#include "bindings.h"
#include "core/generator.h"

namespace rushlight::python {

/// True for a rushlight.device, a string, or an int.
bool is_device_like(nb::handle object);
/// Throws RuntimeError unless `object` names the CPU, the one device of this engine.
void check_device(nb::handle object);
/// `device(type='cpu')`
nb::object cpu_device();

bool is_layout(nb::handle object);
nb::object strided_layout();
std::optional<MemoryFormat> memory_format_in(nb::handle object);

/// The generator inside a rushlight.Generator, or null.
Generator* generator_in(nb::handle object);

/// A rushlight.Size: a tuple of ints.
nb::object make_size(IntList values);

}  // namespace rushlight::python
