// The extension module: its functions, its types, its life cycle. One state per interpreter.
#include "pytree/flatten.h"
#include "pytree/iter.h"
#include "pytree/keys.h"
#include "pytree/map.h"
#include "pytree/match.h"
#include "pytree/paths.h"
#include "pytree/pickle.h"
#include "pytree/register.h"
#include "pytree/unflatten.h"

namespace rushlight::pytree {

State* state_of(PyObject* module) { return static_cast<State*>(PyModule_GetState(module)); }

namespace {

// The Python side defines ConstantNode; the hash of a structure looks for it.
PyObject* set_constant_node(PyObject* module, PyObject* type) {
  State* state = state_of(module);
  Ref old(std::exchange(state->constant_node, new_ref(type)));
  Py_RETURN_NONE;
}

template <typename F>
PyCFunction as_method(F* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

#define RL_TREE "tree, is_leaf=None, *, none_is_leaf=True, namespace=''"
#define RL_MAP "func, tree, *rests, is_leaf=None, none_is_leaf=True, namespace=''"
#define RL_ONLY \
  "type_or_types_or_pred, /, func, tree, is_leaf=None, *, none_is_leaf=True, namespace=''"
#define RL_FUNCTION(name, signature, doc)                 \
  {#name, as_method(name), METH_FASTCALL | METH_KEYWORDS, \
   #name "($module, " signature ")\n--\n\n" doc}

PyMethodDef functions[] = {
    RL_FUNCTION(tree_flatten, RL_TREE,
                "The leaves of a tree as a list, and its structure.\n\n"
                "`is_leaf` is asked about every node; where it says yes the whole subtree is a "
                "leaf.\nWith none_is_leaf=False, None is a node without children."),
    RL_FUNCTION(tree_leaves, RL_TREE, "The leaves of a tree as a list."),
    RL_FUNCTION(tree_structure, RL_TREE, "The structure of a tree, a TreeSpec."),
    RL_FUNCTION(tree_iter, RL_TREE,
                "An iterator over the leaves that looks no further than asked."),
    RL_FUNCTION(tree_is_leaf, RL_TREE, "Whether a tree is a single leaf."),
    RL_FUNCTION(tree_flatten_one_level, RL_TREE,
                "(children, keys, structure) of a container; ValueError for a leaf."),
    RL_FUNCTION(tree_flatten_with_path, RL_TREE,
                "[(KeyPath, leaf), ...] of a tree, and its structure."),
    RL_FUNCTION(tree_leaves_with_path, RL_TREE, "[(KeyPath, leaf), ...] of a tree."),
    RL_FUNCTION(tree_unflatten, "leaves, treespec",
                "The tree with this structure and these leaves; ValueError if their number is "
                "wrong."),
    RL_FUNCTION(tree_map, RL_MAP,
                "A tree of func(leaf, *others), `others` being what stands at the same place in "
                "each\nof `rests`. Dictionaries pair by key. ValueError names the path where a "
                "tree of `rests`\ndoes not have `tree`'s structure as its beginning."),
    RL_FUNCTION(tree_map_, RL_MAP, "Calls func like tree_map, returns `tree` itself."),
    RL_FUNCTION(tree_map_with_path, RL_MAP, "tree_map with func(path, leaf, *others)."),
    RL_FUNCTION(tree_map_with_path_, RL_MAP, "tree_map_ with func(path, leaf, *others)."),
    RL_FUNCTION(tree_map_only, RL_ONLY,
                "tree_map over the leaves of some type (a class, a tuple or union of classes) or\n"
                "those a predicate picks; the others stay."),
    RL_FUNCTION(tree_map_only_, RL_ONLY, "tree_map_only that returns `tree` itself."),
    {"treespec_mismatches", as_method(treespec_mismatches), METH_FASTCALL,
     "treespec_mismatches($module, treespec, tree, /)\n--\n\n"
     "[(path, message), ...] for every place where `tree` leaves the structure."},
    {"treespec_from_state", treespec_from_state, METH_O,
     "treespec_from_state($module, state, /)\n--\n\nThe TreeSpec that was pickled as `state`."},
    {"register_node", as_method(register_node), METH_FASTCALL,
     "register_node($module, cls, flatten, unflatten, keys, fields, namespace, replace, /)\n--\n\n"
     "Whether `cls` was added; an existing registration stays unless `replace`."},
    {"unregister_node", as_method(unregister_node), METH_FASTCALL,
     "unregister_node($module, cls, namespace, /)\n--\n\nWhether `cls` was there."},
    {"is_registered", as_method(is_registered), METH_FASTCALL,
     "is_registered($module, cls, namespace, /)\n--\n\nWhether exactly this namespace has `cls`."},
    {"set_constant_node", set_constant_node, METH_O,
     "set_constant_node($module, cls, /)\n--\n\nThe class of contexts that are constants."},
    {nullptr, nullptr, 0, nullptr},
};

#undef RL_FUNCTION
#undef RL_ONLY
#undef RL_MAP
#undef RL_TREE

PyTypeObject* make_type(PyObject* module, PyType_Spec& spec, PyObject* bases, bool visible) {
  Ref type(PyType_FromModuleAndSpec(module, &spec, bases));
  if (!type) return nullptr;
  auto* result = reinterpret_cast<PyTypeObject*>(type.get());
  if (visible && PyModule_AddType(module, result) < 0) return nullptr;
  return reinterpret_cast<PyTypeObject*>(type.release());
}

bool make_types(PyObject* module, State& state) {
  state.registration_type = make_type(module, registration_type_spec, nullptr, false);
  state.iterator_type = make_type(module, iterator_type_spec, nullptr, false);
  state.treespec_type = make_type(module, treespec_type_spec, nullptr, true);
  Ref bases(PyTuple_Pack(1, &PyTuple_Type));
  if (!bases) return false;
  state.key_path_type = make_type(module, key_path_type_spec, bases.get(), true);
  return state.registration_type != nullptr && state.iterator_type != nullptr &&
         state.treespec_type != nullptr && state.key_path_type != nullptr &&
         make_key_types(module, state);
}

bool intern_strings(State& state) {
  const std::pair<PyObject**, const char*> strings[] = {
      {&state.str_fields, "_fields"}, {&state.str_make, "_make"},
      {&state.str_asdict, "_asdict"}, {&state.str_new, "__new__"},
      {&state.str_maxlen, "maxlen"},  {&state.str_default_factory, "default_factory"},
      {&state.str_init, "__init__"},  {&state.str_value, "value"},
      {&state.str_get, "get"},        {&state.str_empty, ""},
  };
  for (const auto& [slot, text] : strings) {
    *slot = PyUnicode_InternFromString(text);
    if (*slot == nullptr) return false;
  }
  state.empty_tuple = PyTuple_New(0);
  return state.empty_tuple != nullptr;
}

bool import_containers(State& state) {
  Ref collections(PyImport_ImportModule("collections"));
  if (!collections) return false;
  state.namedtuple = PyObject_GetAttrString(collections.get(), "namedtuple");
  state.defaultdict = PyObject_GetAttrString(collections.get(), "defaultdict");
  state.deque = PyObject_GetAttrString(collections.get(), "deque");
  return state.namedtuple != nullptr && state.defaultdict != nullptr && state.deque != nullptr;
}

bool set_up(PyObject* module, State& state) {
  if (!intern_strings(state) || !import_containers(state) || !make_types(module, state) ||
      !make_small_keys(state) || !register_builtins(state)) {
    return false;
  }
  NodeVector none;
  state.leaf = treespec_from(state, none);
  state.loads = PyObject_GetAttrString(module, "treespec_from_state");
  return state.leaf != nullptr && state.loads != nullptr;
}

int execute(PyObject* module) {
  void* memory = PyModule_GetState(module);
  State* state = nullptr;
  try {
    state = new (memory) State();
    state->ready = true;
    return set_up(module, *state) ? 0 : -1;
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return -1;
  }
}

int traverse(PyObject* module, visitproc visit, void* arg) {
  State* state = state_of(module);
  if (state == nullptr || !state->ready) return 0;
  int stop = 0;
  for_each_reference(*state, [&](PyObject*& object) {
    if (stop == 0 && object != nullptr) stop = visit(object, arg);
  });
  return stop != 0 ? stop : state->registry.traverse(visit, arg);
}

int clear(PyObject* module) {
  State* state = state_of(module);
  if (state == nullptr || !state->ready) return 0;
  state->registry.clear();
  for_each_reference(*state, [](PyObject*& object) { Py_CLEAR(object); });
  return 0;
}

void release(void* module) {
  clear(static_cast<PyObject*>(module));
  State* state = state_of(static_cast<PyObject*>(module));
  if (state == nullptr || !state->ready) return;
  state->ready = false;
  state->~State();
}

PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(execute)},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "rushlight.utils.pytree._pytree_c",
    "Trees of containers: flatten, map, compare. Used through rushlight.utils.pytree.",
    sizeof(State),
    functions,
    module_slots,
    traverse,
    clear,
    release,
};

}  // namespace
}  // namespace rushlight::pytree

PyMODINIT_FUNC PyInit__pytree_c() { return PyModuleDef_Init(&rushlight::pytree::definition); }
