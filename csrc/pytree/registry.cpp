#include "pytree/registry.h"

namespace rushlight::pytree {

TypeTable::TypeTable() {
  all_.push_back(std::make_unique<Slots>(bits_));
  slots_.store(all_.back().get(), std::memory_order_release);
}

TypeTable::~TypeTable() = default;

void TypeTable::put(Slots& slots, const PyTypeObject* type, Registration* value) {
  std::size_t i = slots.home(type);
  while (slots.entries[i].type.load(std::memory_order_relaxed) != nullptr) i = (i + 1) & slots.mask;
  // The value first: whoever sees the type must see what it stands for.
  slots.entries[i].value.store(value, std::memory_order_release);
  slots.entries[i].type.store(type, std::memory_order_release);
}

void TypeTable::rebuild() {
  const Slots& old = *slots_.load(std::memory_order_relaxed);
  std::size_t live = 0;
  for (std::size_t i = 0; i <= old.mask; ++i) {
    if (old.entries[i].value.load(std::memory_order_relaxed) != nullptr) ++live;
  }
  // Types that were taken out again leave marks; often there is room once those are gone.
  if (live * 4 > old.mask) ++bits_;
  auto fresh = std::make_unique<Slots>(bits_);
  for (std::size_t i = 0; i <= old.mask; ++i) {
    Registration* value = old.entries[i].value.load(std::memory_order_relaxed);
    if (value == nullptr) continue;
    put(*fresh, old.entries[i].type.load(std::memory_order_relaxed), value);
  }
  slots_.store(fresh.get(), std::memory_order_release);
  if (!kFreeThreaded) all_.clear();  // with the GIL nobody else is reading
  all_.push_back(std::move(fresh));
  used_ = live;
}

Registration* TypeTable::exchange(PyTypeObject* type, Registration* value) {
  Slots& slots = *slots_.load(std::memory_order_relaxed);
  for (std::size_t i = slots.home(type);; i = (i + 1) & slots.mask) {
    const PyTypeObject* found = slots.entries[i].type.load(std::memory_order_relaxed);
    if (found == type) return slots.entries[i].value.exchange(value, std::memory_order_acq_rel);
    if (found == nullptr) break;
  }
  if (value == nullptr) return nullptr;
  if ((used_ + 1) * 2 > slots.mask) rebuild();
  put(*slots_.load(std::memory_order_relaxed), type, value);
  ++used_;
  return nullptr;
}

int TypeTable::traverse(visitproc visit, void* arg) const {
  const Slots& slots = *slots_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i <= slots.mask; ++i) {
    Py_VISIT(reinterpret_cast<PyObject*>(slots.entries[i].value.load(std::memory_order_acquire)));
  }
  return 0;
}

void TypeTable::take_all(std::vector<PyObject*>& out) {
  Slots& slots = *slots_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i <= slots.mask; ++i) {
    Registration* old = slots.entries[i].value.exchange(nullptr, std::memory_order_acq_rel);
    if (old != nullptr) out.push_back(reinterpret_cast<PyObject*>(old));
  }
}

TypeTable& Registry::table(const std::string& name_space) {
  if (name_space.empty()) return global_;
  std::unique_ptr<TypeTable>& found = namespaces_[name_space];
  if (found == nullptr) found = std::make_unique<TypeTable>();
  return *found;
}

const TypeTable* Registry::find_namespace(const std::string& name) const {
  std::lock_guard lock(mutex_);
  auto found = namespaces_.find(name);
  return found == namespaces_.end() ? nullptr : found->second.get();
}

bool Registry::add(const std::string& name_space, Registration* value, bool replace) {
  Registration* old = nullptr;
  {
    std::lock_guard lock(mutex_);
    TypeTable& types = table(name_space);
    auto* type = reinterpret_cast<PyTypeObject*>(value->type);
    if (!replace && types.find(type) != nullptr) return false;
    old = types.exchange(type, value);
  }
  retire(old);
  return true;
}

bool Registry::remove(const std::string& name_space, PyTypeObject* type) {
  Registration* old = nullptr;
  {
    std::lock_guard lock(mutex_);
    old = table(name_space).exchange(type, nullptr);
  }
  if (old == nullptr) return false;
  retire(old);
  return true;
}

void Registry::retire(Registration* old) {
  if (old == nullptr) return;
  if (kFreeThreaded) {
    std::lock_guard lock(mutex_);
    retired_.push_back(reinterpret_cast<PyObject*>(old));
  } else {
    Py_DECREF(old);  // outside the lock: destructors run Python code
  }
}

int Registry::traverse(visitproc visit, void* arg) const {
  if (int stop = global_.traverse(visit, arg)) return stop;
  for (const auto& [name, types] : namespaces_) {
    if (int stop = types->traverse(visit, arg)) return stop;
  }
  for (PyObject* old : retired_) Py_VISIT(old);
  return 0;
}

void Registry::clear() {
  std::vector<PyObject*> gone;
  {
    std::lock_guard lock(mutex_);
    global_.take_all(gone);
    for (auto& [name, types] : namespaces_) types->take_all(gone);
    gone.insert(gone.end(), retired_.begin(), retired_.end());
    retired_.clear();
  }
  for (PyObject* old : gone) Py_DECREF(old);
}

namespace {

int registration_traverse(PyObject* self, visitproc visit, void* arg) {
  auto* registration = reinterpret_cast<Registration*>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(registration->type);
  Py_VISIT(registration->flatten);
  Py_VISIT(registration->unflatten);
  Py_VISIT(registration->keys);
  Py_VISIT(registration->fields);
  Py_VISIT(registration->init);
  return 0;
}

void registration_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  auto* registration = reinterpret_cast<Registration*>(self);
  Py_XDECREF(registration->type);
  Py_XDECREF(registration->flatten);
  Py_XDECREF(registration->unflatten);
  Py_XDECREF(registration->keys);
  Py_XDECREF(registration->fields);
  Py_XDECREF(registration->init);
  Py_XDECREF(registration->name_space);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot registration_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(registration_traverse)},
    // No tp_clear: structures count on their registration being whole. Any cycle through one runs
    // through a class or a function, which the collector can clear.
    {Py_tp_dealloc, reinterpret_cast<void*>(registration_dealloc)},
    {0, nullptr},
};

}  // namespace

PyType_Spec registration_type_spec = {
    "rushlight.utils.pytree._pytree_c.Registration", sizeof(Registration), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    registration_slots};

}  // namespace rushlight::pytree
