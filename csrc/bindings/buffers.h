// Python objects as files and as bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "bindings.h"

namespace rushlight::python {

/// An object's bytes, held for as long as somebody uses them; writable where the object is.
std::shared_ptr<const Py_buffer> hold_buffer(nb::handle object);

inline std::span<const std::byte> bytes_of(const Py_buffer& buffer) {
  return {static_cast<const std::byte*>(buffer.buf), static_cast<size_t>(buffer.len)};
}

/// The path that a str, bytes or `os.PathLike` object is; nothing for other objects.
std::optional<std::string> as_path(nb::handle object);

std::string name_of_type(nb::handle object);

/// Copies bytes on all threads of the engine: fresh memory costs a page fault every 4 KiB.
void copy_bytes(std::byte* to, std::span<const std::byte> from);

}  // namespace rushlight::python
