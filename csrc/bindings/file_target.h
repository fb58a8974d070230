// Where Python asks a writer to write: a path, or an object with `write`.
#pragma once

#include <memory>
#include <string>

#include "bindings.h"
#include "runtime/byte_sink.h"

namespace rushlight::python {

struct FileTarget {
  std::unique_ptr<ByteSink> sink;
  std::string archive_name;  // what PyTorch calls the archive's folder
};

/// TypeError for anything that is no path, has no `write` and can't be called. A file at a path
/// appears whole or not at all.
FileTarget open_target(nb::handle file);

}  // namespace rushlight::python
