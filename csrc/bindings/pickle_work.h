// What running a pickle may cost. A short pickle can refer to one of its values many times, and so
// make a reader that trusts it hash, copy and compare without end.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "bindings.h"
#include "runtime/pickle.h"

namespace rushlight::python {

class Work {
 public:
  explicit Work(size_t pickle_size);

  /// Before a call or a Build: what it may copy or hash. Throws `Error(Value)` when all that was
  /// asked for is out of proportion to the pickle.
  void arguments(pickle::Node step, PyObject* callable, PyObject* args);
  void state(PyObject* value) { walk(value, 0, kListLevels); }

  /// Before `key` joins the keys of `container`. Tuples within tuples are hashed anew each time,
  /// and keys of equal hash are compared with one another.
  void key(pickle::Node container, PyObject* key);

 private:
  static constexpr int kListLevels = 2;  // pairs in a list, from which dictionaries are made

  void spend(uint64_t amount);
  void walk(PyObject* value, uint32_t depth, int list_levels);

  uint64_t left_;
  std::unordered_map<uint64_t, uint32_t> equal_hashes_;  // by container and hash
};

}  // namespace rushlight::python
