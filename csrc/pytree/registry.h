// Which types are containers: a table from type to Registration, one for everybody and one per
// namespace. Lookups take no lock; registering does, and runs no Python code while it holds it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "pytree/node.h"

namespace rushlight::pytree {

// A Python object, so that structures can hold on to it and the garbage collector sees through it.
struct Registration {
  PyObject_HEAD PyObject* type;
  PyObject* flatten;     // custom: obj -> (children, context)
  PyObject* unflatten;   // custom: (children, context) -> obj
  PyObject* keys;        // custom, may be null: obj -> ([(key, child), ...], context)
  PyObject* fields;      // dataclass: tuple of names
  PyObject* init;        // dataclass, may be null: the __init__ that takes the fields in order
  PyObject* name_space;  // str
  unsigned int version;  // of the type when `init` was last seen to be its own
  Kind kind;
};

class TypeTable {
 public:
  TypeTable();
  ~TypeTable();
  TypeTable(const TypeTable&) = delete;
  TypeTable& operator=(const TypeTable&) = delete;

  Registration* find(const PyTypeObject* type) const {
    const Slots* slots = slots_.load(std::memory_order_acquire);
    for (std::size_t i = slots->home(type);; i = (i + 1) & slots->mask) {
      const PyTypeObject* found = slots->entries[i].type.load(std::memory_order_acquire);
      if (found == type) return slots->entries[i].value.load(std::memory_order_acquire);
      if (found == nullptr) return nullptr;
    }
  }

  // The caller holds the registry's lock. Returns the previous value; null erases.
  Registration* exchange(PyTypeObject* type, Registration* value);
  int traverse(visitproc visit, void* arg) const;
  void take_all(std::vector<PyObject*>& out);

 private:
  struct Entry {
    std::atomic<const PyTypeObject*> type{nullptr};
    std::atomic<Registration*> value{nullptr};  // null after deregistration
  };
  struct Slots {
    explicit Slots(int bits)
        : mask((std::size_t{1} << bits) - 1), shift(64 - bits), entries(new Entry[mask + 1]) {}
    std::size_t home(const PyTypeObject* type) const {
      return static_cast<std::size_t>(
          (reinterpret_cast<std::uintptr_t>(type) * std::uint64_t{0x9E3779B97F4A7C15}) >> shift);
    }
    std::size_t mask;
    int shift;
    std::unique_ptr<Entry[]> entries;
  };
  static void put(Slots& slots, const PyTypeObject* type, Registration* value);
  void rebuild();

  std::atomic<Slots*> slots_;
  // The table; in the free-threaded build every one there ever was, since a reader may still be
  // inside an old one.
  std::vector<std::unique_ptr<Slots>> all_;
  std::size_t used_ = 0;
  int bits_ = 6;
};

class Registry {
 public:
  const TypeTable& global() const { return global_; }
  // Null where nothing was registered under that name yet.
  const TypeTable* find_namespace(const std::string& name) const;

  // Takes over a reference to `value` on success. With replace == false an existing registration
  // stays and the result is false.
  bool add(const std::string& name_space, Registration* value, bool replace);
  bool remove(const std::string& name_space, PyTypeObject* type);

  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  TypeTable& table(const std::string& name_space);
  void retire(Registration* old);

  mutable std::mutex mutex_;
  TypeTable global_;
  std::unordered_map<std::string, std::unique_ptr<TypeTable>> namespaces_;
  std::vector<PyObject*> retired_;  // free-threaded build only: a reader may hold them unowned
};

extern PyType_Spec registration_type_spec;

}  // namespace rushlight::pytree
