#include "function.h"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/generator.h"
#include "lazy/recorder.h"
#include "overlap.h"

namespace rushlight::python {
namespace {

// PyTorch takes numbers for tensors in these functions only.
bool numbers_as_tensors(std::string_view name) {
  if (name.ends_with("_")) name.remove_suffix(1);
  constexpr std::string_view names[] = {
      "add", "sub", "mul", "div", "divide", "multiply", "subtract", "true_divide", "floor_divide"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// PyTorch's functions that return the object they got when there is nothing to do.
bool may_return_argument(std::string_view op) {
  constexpr std::string_view ops[] = {"aten.contiguous",   "aten.flatten",    "aten.positive",
                                      "aten.real",         "aten.conj",       "aten.conj_physical",
                                      "aten.resolve_conj", "aten.resolve_neg"};
  return std::find(std::begin(ops), std::end(ops), op) != std::end(ops);
}

bool same_view(const Tensor& a, const Tensor& b) {
  return a.storage() == b.storage() && a.storage_offset() == b.storage_offset() &&
         a.dtype == b.dtype && a.sizes == b.sizes && a.strides == b.strides;
}

}  // namespace

CallResult call_operator(const OpDef& op, std::span<const Argument> args) {
  check_views(op, args);
  return lazy::call(op, args);
}

// PyTorch's functions of one tensor that keep its dtype write into that dtype only.
void check_out_dtype(const OpDef& op, const Tensor& in, const Tensor& out, const Tensor& value) {
  if (op.kind != OpKind::Pointwise || op.arguments.size() != 1) return;
  if (op.pointwise.compute != ComputeRule::First && op.pointwise.compute != ComputeRule::Promote)
    return;
  const ResultRule rule = op.pointwise.result;
  if (rule != ResultRule::Same && (rule != ResultRule::Real || is_complex(in.dtype))) return;
  RL_CHECK(out.dtype == value.dtype, Runtime, "Found dtype ", dtype_name(out.dtype),
           " but expected ", dtype_name(value.dtype));
}

void write_out(Tensor& out, const Tensor& value) {
  RL_CHECK(category(value.dtype) <= category(out.dtype), Runtime, "result type ",
           dtype_name(value.dtype), " can't be cast to the desired output type ",
           dtype_name(out.dtype));
  if (out.sizes != value.sizes) {
    if (out.numel() != 0) {
      const std::string text = detail::concat(
          "An output with one or more elements was resized since it had shape ", out.sizes,
          ", which does not match the required output shape ", value.sizes,
          ". You can reuse an output of any shape by resizing it to zero elements: "
          "out.resize_(0)");
      if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) nb::raise_python_error();
    }
    const int64_t needed = value.numel() * item_size(out.dtype);
    if (out.storage_offset() == 0 && out.storage() &&
        static_cast<int64_t>(out.storage()->nbytes()) >= needed) {
      const DType dtype = out.dtype;
      out.set(dtype, value.sizes);
    } else {
      out = Tensor::empty(value.sizes, out.dtype);
    }
    if (value.is_non_overlapping_and_dense()) out.strides = value.strides;
  }
  RL_CHECK(!out.storage()->read_only(), Runtime, "out: the tensor is read-only memory");
  if (value.storage() == out.storage() && value.byte_offset() == out.byte_offset()) return;
  static const OpDef* const copy = find_op("aten.copy_.default");
  const Argument args[] = {&out, &value, false};
  lazy::call(*copy, args);
}

Face::Face(std::string name, std::string op, bool method)
    : name_(std::move(name)),
      op_(std::move(op)),
      method_(method),
      may_return_argument_(may_return_argument(op_)) {}

const std::vector<Overload>& Face::overloads() const {
  if (overloads_) return *overloads_;
  auto found = std::make_unique<std::vector<Overload>>();
  const std::string prefix = op_ + ".";
  const auto ops = all_ops();
  auto it = std::lower_bound(ops.begin(), ops.end(), prefix,
                             [](const OpDef& op, const std::string& p) { return op.name < p; });
  for (; it != ops.end() && it->name.starts_with(prefix); ++it) {
    if (method_ && (it->arguments.empty() || it->arguments[0].name != "self" ||
                    it->arguments[0].type != ArgType::Tensor))
      continue;
    found->emplace_back(*it, method_);
  }
  // A tensor without dimensions fits a number too; as a tensor it keeps its dtype.
  std::stable_sort(found->begin(), found->end(),
                   [](const Overload& a, const Overload& b) { return a.tensors() > b.tensors(); });
  overloads_ = std::move(found);
  return *overloads_;
}

std::string Face::text() const {
  std::string text;
  for (const Overload& o : overloads()) text += (text.empty() ? "" : "\n") + name_ + o.text();
  return text;
}

PyObject* Face::run(const Overload& overload, const PythonCall& call, std::span<Argument> args,
                    Generator* generator, PyObject* out) const {
  const OpDef& op = overload.op();
  const GeneratorScope scope(generator);
  CallResult result = call_operator(op, args);
  if (op.kind == OpKind::InPlace && op.arguments[0].written && call.count > 0) {
    Tensor* self = tensor_in(call.positional[0]);
    if (self && result.tensors.size() == 1) {
      // x.transpose_(0, 1) changes what x is, not what is in it.
      if (find_op(op.functional)->kind == OpKind::View) *self = std::move(result.tensors[0]);
      return nb::borrow(call.positional[0]).release().ptr();
    }
  }
  if (may_return_argument_ && call.count > 0 && result.tensors.size() == 1) {
    const Tensor* given = tensor_in(call.positional[0]);
    if (given && same_view(*given, result.tensors[0])) return Py_NewRef(call.positional[0]);
  }
  if (!out) return result_object(op, std::move(result)).release().ptr();
  if (Tensor* t = tensor_in(out)) {
    RL_CHECK(result.tensors.size() == 1, Type, name_, "(): out must be a tuple of ",
             result.tensors.size(), " tensors");
    if (const auto* in = std::get_if<const Tensor*>(&args[0]))
      check_out_dtype(op, **in, *t, result.tensors[0]);
    write_out(*t, result.tensors[0]);
    return nb::borrow(out).release().ptr();
  }
  RL_CHECK((PyTuple_Check(out) || PyList_Check(out)) &&
               PySequence_Fast_GET_SIZE(out) == static_cast<Py_ssize_t>(result.tensors.size()),
           Type, name_, "(): argument 'out' must be a Tensor or a tuple of ", result.tensors.size(),
           " tensors, not ", type_of(out));
  for (size_t i = 0; i < result.tensors.size(); ++i) {
    Tensor* t = tensor_in(PySequence_Fast_GET_ITEM(out, static_cast<Py_ssize_t>(i)));
    RL_CHECK(t, Type, name_, "(): argument 'out' must be a tuple of tensors");
    write_out(*t, result.tensors[i]);
  }
  return nb::borrow(out).release().ptr();
}

PyObject* Face::try_call(const PythonCall& given) const {
  const std::vector<Overload>& all = overloads();
  PythonCall call = given;
  PyObject* out = nullptr;
  // `out` and `requires_grad` are not part of the schemas.
  std::array<PyObject*, 32> values;
  const auto keywords =
      call.keywords ? static_cast<size_t>(PyTuple_GET_SIZE(call.keywords)) : size_t{0};
  if (keywords > values.size()) return nullptr;
  for (size_t k = 0; k < keywords; ++k) {
    PyObject* key = PyTuple_GET_ITEM(call.keywords, static_cast<Py_ssize_t>(k));
    values[k] = call.values[k];
    if (PyUnicode_CompareWithASCIIString(key, "out") == 0) {
      if (values[k] != Py_None) out = values[k];
      values[k] = nullptr;
    } else if (PyUnicode_CompareWithASCIIString(key, "requires_grad") == 0 && all[0].creates()) {
      RL_CHECK(PyObject_IsTrue(values[k]) == 0, NotImplemented, name_,
               "(): requires_grad=True is not supported");
      values[k] = nullptr;
    }
  }
  if (keywords) call.values = values.data();
  std::array<Argument, 16> few;
  std::vector<Argument> many;
  Generator* generator = nullptr;
  const auto attempt = [&](const Overload& overload, Numbers numbers) -> PyObject* {
    const size_t n = overload.op().arguments.size();
    std::span<Argument> args(few.data(), std::min(n, few.size()));
    if (n > few.size()) {
      many.assign(n, Argument{});
      args = many;
    }
    if (!overload.match(call, numbers, args, generator)) return nullptr;
    return run(overload, call, args, generator, out);
  };
  for (const Overload& overload : all)
    if (PyObject* result = attempt(overload, Numbers::AsNumbers)) return result;
  if (numbers_as_tensors(name_))
    for (const Overload& overload : all)
      if (overload.op().kind == OpKind::Pointwise)
        if (PyObject* result = attempt(overload, Numbers::AsTensors)) return result;
  if (name_ == "copy_" && call.count == 2)
    if (auto number = number_argument(call.positional[1])) {
      const Argument args[] = {tensor_in(call.positional[0]), *number};
      call_operator(*find_op("aten.fill_.Scalar"), args);
      return Py_NewRef(call.positional[0]);
    }
  return nullptr;
}

PyObject* Face::call(const PythonCall& call) const {
  if (PyObject* result = try_call(call)) return result;
  const std::vector<Overload>& all = overloads();
  PythonCall rest = call;
  std::vector<PyObject*> values;
  for (size_t k = 0; call.keywords && k < static_cast<size_t>(PyTuple_GET_SIZE(call.keywords));
       ++k) {
    PyObject* key = PyTuple_GET_ITEM(call.keywords, static_cast<Py_ssize_t>(k));
    const bool skip = PyUnicode_CompareWithASCIIString(key, "out") == 0;
    values.push_back(skip ? nullptr : call.values[k]);
  }
  rest.values = values.data();
  RL_CHECK(all.size() != 1, Type, all[0].mismatch(name_, rest));
  if (method_) {
    ++rest.positional;
    --rest.count;
  }
  std::string text = name_ + "() received an invalid combination of arguments - got " +
                     describe_call(rest) + ", but expected one of:";
  for (const Overload& o : all) text += "\n * " + o.text();
  RL_FAIL(Type, text);
}

PyObject* Face::call(std::initializer_list<PyObject*> arguments) const {
  return call(PythonCall{arguments.begin(), arguments.size()});
}
PyObject* Face::try_call(std::initializer_list<PyObject*> arguments) const {
  return try_call(PythonCall{arguments.begin(), arguments.size()});
}

namespace {

struct FaceObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  Face* face;
};

const Face& face_of(PyObject* self) { return *reinterpret_cast<FaceObject*>(self)->face; }

PyObject* vectorcall(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  const auto count = static_cast<size_t>(PyVectorcall_NARGS(nargsf));
  return guarded(
      [&] { return face_of(self).call(PythonCall{args, count, keywords, args + count}); });
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<FaceObject*>(self)->face;
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  if (!object || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyObject* repr_face(PyObject* self) {
  return PyUnicode_FromFormat("<rushlight function %s>", face_of(self).name().c_str());
}
PyObject* get_name(PyObject* self, void*) {
  return PyUnicode_FromString(face_of(self).name().c_str());
}
PyObject* get_doc(PyObject* self, void*) {
  return guarded([&] { return PyUnicode_FromString(face_of(self).text().c_str()); });
}
PyObject* reduce(PyObject* self, PyObject*) { return get_name(self, nullptr); }

PyGetSetDef properties[] = {{"__name__", get_name, nullptr, nullptr, nullptr},
                            {"__qualname__", get_name, nullptr, nullptr, nullptr},
                            {"__doc__", get_doc, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FaceObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyTypeObject* make_type(const char* name, bool method) {
  std::vector<PyType_Slot> slots = {{Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
                                    {Py_tp_dealloc, reinterpret_cast<void*>(&dealloc)},
                                    {Py_tp_repr, reinterpret_cast<void*>(&repr_face)},
                                    {Py_tp_getset, static_cast<void*>(properties)},
                                    {Py_tp_members, static_cast<void*>(members)},
                                    {Py_tp_methods, static_cast<void*>(methods)}};
  if (method) slots.push_back({Py_tp_descr_get, reinterpret_cast<void*>(&bind)});
  slots.push_back({0, nullptr});
  const unsigned int flags =
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | (method ? Py_TPFLAGS_METHOD_DESCRIPTOR : 0);
  PyType_Spec spec{name, sizeof(FaceObject), 0, flags, slots.data()};
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) nb::raise_python_error();
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

nb::object face_object(std::unique_ptr<Face> face, bool method) {
  static PyTypeObject* const function_type = make_type("rushlight._C.function", false);
  static PyTypeObject* const method_type = make_type("rushlight._C.method", true);
  PyTypeObject* type = method ? method_type : function_type;
  auto* self = reinterpret_cast<FaceObject*>(type->tp_alloc(type, 0));
  if (!self) nb::raise_python_error();
  self->vectorcall = &vectorcall;
  self->face = face.release();
  return nb::steal(reinterpret_cast<PyObject*>(self));
}

}  // namespace rushlight::python
