// Node -> the (type, context) pair that PyTorch's TreeSpec shows.
#include "pytree/treespec.h"

namespace rushlight::pytree {

namespace {

PyObject* as_object(PyTypeObject* type) { return reinterpret_cast<PyObject*>(type); }

}  // namespace

PyObject* node_type(const State& state, const Node& node) {
  switch (node.kind) {
    case Kind::kTuple:
      return new_ref(as_object(&PyTuple_Type));
    case Kind::kList:
      return new_ref(as_object(&PyList_Type));
    case Kind::kDict:
      return new_ref(as_object(&PyDict_Type));
    case Kind::kNamedTuple:
      return new_ref(state.namedtuple);
    case Kind::kStructSeq:
      return new_ref(node.data);
    case Kind::kOrderedDict:
      return new_ref(as_object(&PyODict_Type));
    case Kind::kDefaultDict:
      return new_ref(state.defaultdict);
    case Kind::kDeque:
      return new_ref(state.deque);
    case Kind::kMappingProxy:
      return new_ref(as_object(&PyDictProxy_Type));
    case Kind::kDataclass:
    case Kind::kCustom:
      return new_ref(reinterpret_cast<Registration*>(node.extra)->type);
    case Kind::kNone:
      return new_ref(as_object(Py_TYPE(Py_None)));
    case Kind::kLeaf:
      break;
  }
  Py_RETURN_NONE;
}

PyObject* node_context(const State&, const Node& node) {
  switch (node.kind) {
    case Kind::kDict:
    case Kind::kOrderedDict:
    case Kind::kMappingProxy:
      return PySequence_List(node.data);
    case Kind::kDefaultDict: {
      Ref keys(PySequence_List(node.data));
      return keys ? Py_BuildValue("[OO]", node.extra, keys.get()) : nullptr;
    }
    case Kind::kDataclass: {
      PyObject* fields = reinterpret_cast<Registration*>(node.extra)->fields;
      Ref names(PySequence_List(node.data));
      Ref none(PyList_New(0));
      if (!names || !none) return nullptr;
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields); ++i) {
        const int present = PySequence_Contains(node.data, PyTuple_GET_ITEM(fields, i));
        if (present < 0) return nullptr;
        if (present == 0 && PyList_Append(none.get(), PyTuple_GET_ITEM(fields, i)) < 0) {
          return nullptr;
        }
      }
      return Py_BuildValue("[OO]", names.get(), none.get());
    }
    case Kind::kNamedTuple:
    case Kind::kCustom:
      return new_ref(node.data);
    case Kind::kDeque:
      return new_ref(node.data == nullptr ? Py_None : node.data);
    default:
      Py_RETURN_NONE;
  }
}

}  // namespace rushlight::pytree
