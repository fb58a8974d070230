// Which operators Python sees under which names: the list is generated from the op table and
// PyTorch's public names (tools/opgen/faces.py).
#include "faces.h"

#include <cstring>

#include "function.h"

namespace rushlight::python {
namespace {

nb::object make(const FaceRow& row) {
  const bool method = std::strcmp(row.place, "Tensor") == 0;
  return face_object(std::make_unique<Face>(row.name, row.op, method), method);
}

}  // namespace

void init_faces(nb::module_& m) {
  const nb::handle type = nb::type<Tensor>();
  for (const FaceRow& row : face_rows()) {
    if (std::strcmp(row.place, "Tensor") != 0 || nb::hasattr(type, row.name)) continue;
    if (PyObject_SetAttrString(type.ptr(), row.name, make(row).ptr()) != 0)
      nb::raise_python_error();
  }
  m.def(
      "functions",
      [](const std::string& place) {
        nb::dict out;
        for (const FaceRow& row : face_rows())
          if (place == row.place) out[row.name] = make(row);
        return out;
      },
      nb::arg("place"),
      nb::sig("def functions(place: str) -> dict[str, collections.abc.Callable[..., typing.Any]]"),
      "The functions of a PyTorch module (\"torch\", \"linalg\", …) that are overloads of the op "
      "table.");
}

}  // namespace rushlight::python
