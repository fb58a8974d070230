#include "pytree/map.h"

#include <memory>
#include <vector>

#include "pytree/match.h"
#include "pytree/paths.h"
#include "pytree/unflatten.h"

namespace rushlight::pytree {

namespace {

struct MapForm {
  const char* function;
  bool with_path;  // func gets the path first
  bool in_place;   // results are dropped, the tree itself is returned
};

struct MapArguments {
  PyObject* func = nullptr;
  PyObject* tree = nullptr;
  PyObject* const* rests = nullptr;
  std::size_t rest_count = 0;
  Options options;
};

// func, tree, *rests, then keywords only.
bool parse_map(State* state, const char* function, const Call& call, MapArguments& out) {
  static constexpr const char* kNames[] = {"func", "tree", "is_leaf", "none_is_leaf", "namespace"};
  PyObject* given[5];
  const Call head{call.args, call.nargs < 2 ? call.nargs : 2, nullptr};
  if (!parse_arguments({function, kNames, 5, 2, 0, 0}, head, given)) return false;
  if (call.kwnames != nullptr) {
    // Keywords stand behind all positional arguments.
    PyObject* named[5];
    const Call tail{call.args + call.nargs, 0, call.kwnames};
    if (!parse_arguments({function, kNames, 5, 0, 0, 0}, tail, named)) return false;
    for (int i = 0; i < 5; ++i) {
      if (named[i] == nullptr) continue;
      if (given[i] != nullptr) {
        PyErr_Format(PyExc_TypeError, "%s() got two values for argument '%s'", function, kNames[i]);
        return false;
      }
      given[i] = named[i];
    }
  }
  if (given[0] == nullptr || given[1] == nullptr) {
    PyErr_Format(PyExc_TypeError, "%s() is missing its argument '%s'", function,
                 given[0] == nullptr ? "func" : "tree");
    return false;
  }
  out.func = given[0];
  out.tree = given[1];
  if (call.nargs > 2) {
    out.rests = call.args + 2;
    out.rest_count = static_cast<std::size_t>(call.nargs - 2);
  }
  return parse_options(state, given[2], given[3], given[4], out.options);
}

void replace(PyObject*& slot, PyObject* value) {
  PyObject* old = slot;
  slot = value;
  Py_DECREF(old);
}

// func(leaf) for every leaf.
bool apply_one(PyObject* func, LeafVector& leaves, bool in_place) {
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    PyObject* arguments[2] = {nullptr, leaves[i]};
    PyObject* result =
        PyObject_Vectorcall(func, arguments + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    if (result == nullptr) return false;
    if (in_place) {
      Py_DECREF(result);
    } else {
      replace(leaves[i], result);
    }
  }
  return true;
}

// func([path,] leaf, *rests).
bool apply_many(PyObject* func, LeafVector& leaves, PathVector* paths,
                const std::vector<std::unique_ptr<LeafVector>>& rests, bool in_place) {
  const std::size_t lead = paths == nullptr ? 0 : 1;
  const std::size_t count = lead + 1 + rests.size();
  SmallVector<PyObject*, 16> arguments;
  arguments.resize(count + 1);
  arguments[0] = nullptr;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (paths != nullptr) arguments[1] = (*paths)[i];
    arguments[1 + lead] = leaves[i];
    for (std::size_t r = 0; r < rests.size(); ++r) arguments[2 + lead + r] = (*rests[r])[i];
    PyObject* result = PyObject_Vectorcall(func, arguments.data() + 1,
                                           count | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
    if (result == nullptr) return false;
    if (in_place) {
      Py_DECREF(result);
    } else {
      replace(leaves[i], result);
    }
  }
  return true;
}

PyObject* run_map(PyObject* module, const MapForm& form, const Call& call) {
  return guarded([&]() -> PyObject* {
    State* state = state_of(module);
    MapArguments a;
    Flattened flat;
    PathVector paths;
    if (!parse_map(state, form.function, call, a) ||
        !flatten(a.options, a.tree, form.with_path, flat)) {
      return nullptr;
    }
    if (form.with_path &&
        !leaf_paths(*state, flat.nodes.data(), flat.nodes.size(), &flat.keys, paths)) {
      return nullptr;
    }
    std::vector<std::unique_ptr<LeafVector>> rests;
    for (std::size_t r = 0; r < a.rest_count; ++r) {
      rests.push_back(std::make_unique<LeafVector>());
      const std::size_t number = a.rest_count == 1 ? 0 : r + 2;  // there is only one other tree
      if (!flatten_up_to(*state, flat.nodes.data(), flat.nodes.size(), a.rests[r], *rests.back(),
                         number)) {
        return nullptr;
      }
    }
    const bool ok = rests.empty() && !form.with_path
                        ? apply_one(a.func, flat.leaves, form.in_place)
                        : apply_many(a.func, flat.leaves, form.with_path ? &paths : nullptr, rests,
                                     form.in_place);
    if (!ok) return nullptr;
    if (form.in_place) return new_ref(a.tree);
    return unflatten_owned(*state, flat.nodes.data(), flat.nodes.size(), flat.leaves);
  });
}

// A type, a tuple or union of types, or a predicate: 1 for yes, 0 for no, -1 on error.
class Filter {
 public:
  explicit Filter(PyObject* chosen) : chosen_(chosen) {
    types_ = PyType_Check(chosen) || PyTuple_Check(chosen) || is_union(chosen);
  }
  bool valid() const { return types_ || PyCallable_Check(chosen_); }
  int accepts(PyObject* leaf) const {
    if (types_) return PyObject_IsInstance(leaf, chosen_);
    Ref answer(PyObject_CallOneArg(chosen_, leaf));
    return answer ? PyObject_IsTrue(answer.get()) : -1;
  }

 private:
  static bool is_union(PyObject* object) {
    const char* name = Py_TYPE(object)->tp_name;  // int | str: types.UnionType, typing.Union
    return std::strcmp(name, "types.UnionType") == 0 || std::strcmp(name, "typing.Union") == 0;
  }
  PyObject* chosen_;
  bool types_;
};

PyObject* run_map_only(PyObject* module, const MapForm& form, const Call& call) {
  static constexpr const char* kNames[] = {"type_or_types_or_pred", "func",     "tree", "is_leaf",
                                           "none_is_leaf",          "namespace"};
  return guarded([&]() -> PyObject* {
    State* state = state_of(module);
    PyObject* args[6];
    Options options;
    Flattened flat;
    if (!parse_arguments({form.function, kNames, 6, 4, 3, 1}, call, args)) return nullptr;
    const Filter filter(args[0]);
    if (!filter.valid()) {
      PyErr_SetString(PyExc_TypeError, "Argument must be a type, a tuple of types, or a callable.");
      return nullptr;
    }
    if (!parse_options(state, args[3], args[4], args[5], options) ||
        !flatten(options, args[2], false, flat)) {
      return nullptr;
    }
    for (PyObject*& leaf : flat.leaves) {
      const int wanted = filter.accepts(leaf);
      if (wanted < 0) return nullptr;
      if (wanted == 0) continue;
      PyObject* result = PyObject_CallOneArg(args[1], leaf);
      if (result == nullptr) return nullptr;
      if (form.in_place) {
        Py_DECREF(result);
      } else {
        replace(leaf, result);
      }
    }
    if (form.in_place) return new_ref(args[2]);
    return unflatten_owned(*state, flat.nodes.data(), flat.nodes.size(), flat.leaves);
  });
}

}  // namespace

PyObject* tree_map(PyObject* module, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return run_map(module, {"tree_map", false, false}, {args, nargs, names});
}

PyObject* tree_map_(PyObject* module, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return run_map(module, {"tree_map_", false, true}, {args, nargs, names});
}

PyObject* tree_map_with_path(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                             PyObject* names) {
  return run_map(module, {"tree_map_with_path", true, false}, {args, nargs, names});
}

PyObject* tree_map_with_path_(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                              PyObject* names) {
  return run_map(module, {"tree_map_with_path_", true, true}, {args, nargs, names});
}

PyObject* tree_map_only(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                        PyObject* names) {
  return run_map_only(module, {"tree_map_only", false, false}, {args, nargs, names});
}

PyObject* tree_map_only_(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                         PyObject* names) {
  return run_map_only(module, {"tree_map_only_", false, true}, {args, nargs, names});
}

}  // namespace rushlight::pytree
