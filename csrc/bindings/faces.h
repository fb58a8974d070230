// The generated list of Python names.
#pragma once

#include <span>

namespace rushlight::python {

struct FaceRow {
  const char* place;  // "Tensor" for methods, else the module: "torch", "linalg", …
  const char* name;
  const char* op;  // without overload: "aten.add"
};

std::span<const FaceRow> face_rows();

}  // namespace rushlight::python
