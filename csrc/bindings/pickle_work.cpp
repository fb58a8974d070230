#include "pickle_work.h"

#include "core/error.h"

namespace rushlight::python {
namespace {

// Honest pickles visit each of their values a few times.
constexpr uint64_t kVisitsPerByte = 64;
constexpr uint64_t kVisits = uint64_t{1} << 24;
constexpr uint32_t kMaxEqualHashes = 1000;

// Hashes of these are seeded, or differ where the values do.
bool has_good_hash(PyObject* key) {
  if (PyLong_CheckExact(key)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(key, &overflow);
    constexpr long long kDistinct = 1LL << 60;
    return overflow == 0 && -kDistinct < value && value < kDistinct;
  }
  return PyUnicode_CheckExact(key) || PyBytes_CheckExact(key) || key == Py_None ||
         PyBool_Check(key);
}

bool makes_keys(PyObject* callable) {
  if (!PyType_Check(callable)) return false;
  auto* type = reinterpret_cast<PyTypeObject*>(callable);
  return PyType_IsSubtype(type, &PyDict_Type) || PyType_IsSubtype(type, &PySet_Type) ||
         PyType_IsSubtype(type, &PyFrozenSet_Type);
}

bool is_sequence(PyObject* value) { return PyTuple_Check(value) || PyList_Check(value); }

}  // namespace

Work::Work(size_t pickle_size) : left_(kVisits + kVisitsPerByte * pickle_size) {}

void Work::spend(uint64_t amount) {
  RL_CHECK(amount <= left_, Value,
           "building the object takes too much work for a pickle of this size");
  left_ -= amount;
}

void Work::walk(PyObject* value, uint32_t depth, int list_levels) {
  spend(1);
  if (PyTuple_Check(value)) {
    RL_CHECK(depth < pickle::kMaxNesting, Value, "more than ", pickle::kMaxNesting,
             " tuples within one another");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i)
      walk(PyTuple_GET_ITEM(value, i), depth + 1, list_levels);
  } else if (PyList_Check(value)) {
    const Py_ssize_t size = PyList_GET_SIZE(value);
    spend(static_cast<uint64_t>(size));
    for (Py_ssize_t i = 0; list_levels > 0 && i < size; ++i)
      walk(PyList_GET_ITEM(value, i), depth, list_levels - 1);
  } else if (PySlice_Check(value)) {
    auto* slice = reinterpret_cast<PySliceObject*>(value);
    for (PyObject* part : {slice->start, slice->stop, slice->step})
      walk(part, depth + 1, list_levels);
  } else if (PyUnicode_Check(value)) {
    spend(static_cast<uint64_t>(PyUnicode_GET_LENGTH(value)));
  } else if (PyDict_Check(value)) {
    spend(static_cast<uint64_t>(PyDict_Size(value)));
  } else if (PyAnySet_Check(value)) {
    spend(static_cast<uint64_t>(PySet_GET_SIZE(value)));
  } else if (PyObject_CheckBuffer(value)) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(value, &buffer, PyBUF_FULL_RO) < 0) {
      PyErr_Clear();  // whoever needs the contents says so
      return;
    }
    const auto size = static_cast<uint64_t>(buffer.len);
    PyBuffer_Release(&buffer);
    spend(size);
  }
}

void Work::arguments(pickle::Node step, PyObject* callable, PyObject* args) {
  walk(args, 0, kListLevels);
  if (!makes_keys(callable)) return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* items = PyTuple_GET_ITEM(args, i);
    if (!is_sequence(items)) continue;
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items); ++k) {
      PyObject* item = PySequence_Fast_GET_ITEM(items, k);
      const bool pair = is_sequence(item) && PySequence_Fast_GET_SIZE(item) == 2;
      if (pair) key(step, PySequence_Fast_GET_ITEM(item, 0));
      if (!pair || PyTuple_Check(item)) key(step, item);
    }
  }
}

void Work::key(pickle::Node container, PyObject* key) {
  if (has_good_hash(key)) return;
  walk(key, 0, 0);
  const Py_hash_t hash = PyObject_Hash(key);
  if (hash == -1) {
    PyErr_Clear();  // the container says so
    return;
  }
  const uint64_t both =
      (static_cast<uint64_t>(container) * 0x9E3779B97F4A7C15u) ^ static_cast<uint64_t>(hash);
  RL_CHECK(++equal_hashes_[both] <= kMaxEqualHashes, Value, "more than ", kMaxEqualHashes,
           " keys of one container have the same hash");
}

}  // namespace rushlight::python
