// What an operator returned, as Python objects.
#include <map>
#include <mutex>

#include "function.h"
#include "runtime/eager.h"

namespace rushlight::python {
namespace {

// Names of the returns in a schema's text, or nothing: `-> (Tensor values, Tensor indices)`.
std::vector<std::string> return_names(std::string_view schema) {
  std::vector<std::string> names;
  const size_t arrow = schema.rfind("-> (");
  if (arrow == schema.npos) return names;
  std::string_view rest = schema.substr(arrow + 4);
  rest = rest.substr(0, rest.rfind(')'));
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const size_t space = part.find(' ', part.find_first_not_of(' '));
    if (space == part.npos) return {};
    names.emplace_back(part.substr(part.rfind(' ') + 1));
    rest = comma == rest.npos ? "" : rest.substr(comma + 1);
  }
  return names;
}

std::string_view base_name(const OpDef& op) {
  const size_t from = op.name.find('.') + 1;
  return op.name.substr(from, op.name.rfind('.') - from);
}

PyTypeObject* make_type(std::string_view name, const std::vector<std::string>& fields) {
  // Names must outlive the type, and types live as long as the process.
  auto* full = new std::string("rushlight.return_types." + std::string(name));
  auto* kept = new std::vector<std::string>(fields);
  auto* descriptions = new std::vector<PyStructSequence_Field>();
  for (const std::string& field : *kept) descriptions->push_back({field.c_str(), nullptr});
  descriptions->push_back({nullptr, nullptr});
  PyStructSequence_Desc description{full->c_str(), nullptr, descriptions->data(),
                                    static_cast<int>(kept->size())};
  PyTypeObject* type = PyStructSequence_NewType(&description);
  if (!type) nb::raise_python_error();
  return type;
}

// The tuple type of an operator's results; null for operators whose results have no names.
PyTypeObject* return_type(const OpDef& op) {
  static std::map<const OpDef*, PyTypeObject*> by_op;  // guarded by the GIL
  static std::map<std::string, PyTypeObject*> by_name;
  const auto known = by_op.find(&op);
  if (known != by_op.end()) return known->second;
  const std::vector<std::string> names = return_names(op.schema);
  PyTypeObject* type = nullptr;
  if (!names.empty()) {
    PyTypeObject*& named = by_name[std::string(base_name(op))];
    if (!named) named = make_type(base_name(op), names);
    type = named;
  }
  return by_op[&op] = type;
}

}  // namespace

nb::object result_object(const OpDef& op, CallResult&& result) {
  if (!is_none(result.number)) return number_object(result.number);
  if (op.returns == 1 && !op.returns_list && result.tensors.size() == 1)
    return nb::cast(std::move(result.tensors[0]));
  if (result.tensors.empty() && !op.returns_list) return nb::none();
  PyTypeObject* type = op.returns_list ? nullptr : return_type(op);
  const auto n = static_cast<Py_ssize_t>(result.tensors.size());
  nb::object out = nb::steal(type ? PyStructSequence_New(type) : PyTuple_New(n));
  if (!out.is_valid()) nb::raise_python_error();
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = nb::cast(std::move(result.tensors[static_cast<size_t>(i)])).release().ptr();
    if (type)
      PyStructSequence_SetItem(out.ptr(), i, item);
    else
      PyTuple_SET_ITEM(out.ptr(), i, item);
  }
  return out;
}

void init_results(nb::module_& m) {
  m.def(
      "return_type",
      [](const std::string& name) {
        for (const OpDef& op : all_ops())
          if (base_name(op) == name)
            if (PyTypeObject* type = return_type(op))
              return nb::borrow(reinterpret_cast<PyObject*>(type));
        RL_FAIL(Key, "no operator ", name, " returns a named tuple");
      },
      nb::arg("name"), nb::sig("def return_type(name: str) -> type[tuple[Tensor, ...]]"),
      "The named tuple that the functions called ``name`` return.");
}

}  // namespace rushlight::python
