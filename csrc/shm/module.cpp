// The extension module rushlight.multiprocessing._shm.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "carrier.h"
#include "error.h"
#include "host.h"
#include "ring.h"

namespace nb = nanobind;

namespace rushlight::shm {
namespace {

int block_buffer(PyObject* self, Py_buffer* view, int flags) {
  const Hold& hold = *nb::inst_ptr<Hold>(nb::handle(self));
  return PyBuffer_FillInfo(view, self, hold.data(), static_cast<Py_ssize_t>(hold.nbytes()), 0,
                           flags);
}

PyType_Slot block_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(block_buffer)},
    {0, nullptr},
};

nb::tuple to_tuple(const Reference& reference) {
  return nb::make_tuple(reference.manager, reference.segment, reference.entry, reference.generation,
                        reference.counted);
}

// A bytes-like object for the length of a call.
class Bytes {
 public:
  explicit Bytes(nb::handle object, int flags = PyBUF_SIMPLE) {
    if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw nb::python_error();
  }
  ~Bytes() { PyBuffer_Release(&view_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  void* data() const { return view_.buf; }
  size_t size() const { return static_cast<size_t>(view_.len); }

 private:
  Py_buffer view_;
};

// A ring and the block it lies in.
struct RingObject {
  nb::object block;
  Ring ring;

  const Hold& hold() const { return *nb::inst_ptr<Hold>(block); }
};

int64_t deadline_of(std::optional<double> timeout) {
  if (!timeout) return -1;
  if (*timeout <= 0) return 0;
  return now_ns() + static_cast<int64_t>(std::min(*timeout, 1e9) * 1e9);
}

// Repeats `step` until it is done; signals run their Python handlers, which may raise.
template <class Step>
bool finish(std::optional<double> timeout, Step&& step) {
  const int64_t deadline = deadline_of(timeout);
  for (;;) {
    Outcome outcome;
    {
      nb::gil_scoped_release release;
      outcome = step(deadline);
    }
    if (outcome == Outcome::Done) return true;
    if (outcome == Outcome::TimedOut) return false;
    if (outcome == Outcome::Closed) throw nb::value_error("the queue is closed");
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

void init_blocks(nb::module_& m) {
  nb::class_<Hold>(m, "Block", nb::type_slots(block_slots), nb::is_weak_referenceable(),
                   "A block of shared memory: a writable buffer. Pickling it makes a reference "
                   "that one process may load once; letting go of the last Block of a process "
                   "lets go of the memory.")
      .def_prop_ro("nbytes", &Hold::nbytes)
      .def_prop_ro("address",
                   [](const Hold& hold) { return reinterpret_cast<uintptr_t>(hold.data()); })
      .def("__len__", &Hold::nbytes)
      .def("alive", &Hold::alive,
           "Whether the block's manager is there; without one it can't be sent.")
      .def("used_elsewhere", &Hold::used_elsewhere,
           "Whether another process holds the block or a reference to it is in flight.")
      .def(
          "reference",
          [](const Hold& hold, bool counted) { return to_tuple(hold.reference(counted)); },
          nb::arg("counted") = true,
          nb::sig("def reference(self, counted: bool = True) -> tuple[str, int, int, int, bool]"),
          "The arguments of `adopt`. A counted reference keeps the block alive until it is "
          "adopted, "
          "once; an uncounted one may be adopted as often as one likes while its maker holds the "
          "block.")
      .def(
          "__reduce__",
          [](nb::handle self) {
            const Hold& hold = *nb::inst_ptr<Hold>(self);
            nb::object adopt_function =
                nb::module_::import_("rushlight.multiprocessing.arena").attr("adopt");
            return nb::make_tuple(adopt_function, to_tuple(hold.reference(true)));
          },
          nb::sig("def __reduce__(self) -> tuple[object, ...]"));

  m.def(
      "allocate",
      [](uint64_t nbytes, bool named, bool strict) {
        return allocate(nbytes, named ? Kind::Named : Kind::Memory, strict);
      },
      nb::arg("nbytes"), nb::arg("named") = false, nb::arg("strict") = false,
      nb::call_guard<nb::gil_scoped_release>(),
      "A block in this process's arena: of a memory file, or of a named one. OSError with numbers "
      "where there is no room; unless `strict`, the other kind is tried first.");
  m.def(
      "adopt",
      [](std::string manager, uint64_t segment, uint32_t entry, uint32_t generation, bool counted) {
        return adopt({std::move(manager), segment, entry, generation, counted});
      },
      nb::arg("manager"), nb::arg("segment"), nb::arg("entry"), nb::arg("generation"),
      nb::arg("counted"), nb::call_guard<nb::gil_scoped_release>(),
      "The block that was sent here; OSError if it is gone.");
  m.def(
      "give_up",
      [](std::string manager, uint64_t segment, uint32_t entry, uint32_t generation, bool counted) {
        give_up({std::move(manager), segment, entry, generation, counted});
      },
      nb::arg("manager"), nb::arg("segment"), nb::arg("entry"), nb::arg("generation"),
      nb::arg("counted"), nb::call_guard<nb::gil_scoped_release>(),
      "Takes back a counted reference that was not sent.");
  m.def(
      "find", [](uintptr_t address) { return find(reinterpret_cast<const void*>(address)); },
      nb::arg("address"), nb::sig("def find(address: int) -> Block | None"),
      "The block in use here that contains an address.");
}

void init_ring(nb::module_& m) {
  nb::class_<RingObject>(m, "Ring",
                         "A queue of byte messages in a block, for any number of senders and "
                         "receivers, any of which may be killed at any time.")
      .def(
          "__init__",
          [](RingObject* self, nb::object block) {
            const Hold& hold = nb::cast<Hold&>(block);
            new (self) RingObject{block, Ring(hold.data(), hold.nbytes())};
          },
          nb::arg("block"), nb::sig("def __init__(self, block: Block) -> None"))
      .def_static(
          "create",
          [](size_t capacity, uint64_t most, bool named) {
            std::unique_ptr<Hold> hold =
                allocate(Ring::footprint(capacity), named ? Kind::Named : Kind::Memory, false);
            Ring::format(hold->data(), hold->nbytes(), most);
            Ring ring(hold->data(), hold->nbytes());
            ring.set_number(register_ring(*hold));
            return RingObject{nb::cast(std::move(hold)), ring};
          },
          nb::arg("capacity"), nb::arg("most") = 0, nb::arg("named") = false,
          "A new one: bytes of messages it holds, messages it holds at most (0: no limit).")
      .def_prop_ro(
          "block", [](const RingObject& self) { return self.block; },
          nb::for_getter(nb::sig("def block(self) -> Block")))
      .def_prop_ro("most_bytes", [](const RingObject& self) { return self.ring.most_bytes(); })
      .def(
          "takes",
          [](const RingObject& self, const Hold& block) {
            return Carrier(self.hold(), self.ring.number()).takes(block);
          },
          nb::arg("block"),
          "Whether messages may bring the block along: it must belong to the same manager.")
      .def(
          "put",
          [](RingObject& self, nb::object data, std::optional<double> timeout,
             const std::vector<const Hold*>& blocks, uint32_t flags) {
            const Bytes bytes(data);
            Carrier carrier(self.hold(), self.ring.number());
            std::vector<RingReference> references;
            for (const Hold* block : blocks) references.push_back(carrier.load(*block));
            return finish(timeout, [&](int64_t deadline) {
              return self.ring.put(bytes.data(), bytes.size(), deadline, references, flags,
                                   carrier);
            });
          },
          nb::arg("data"), nb::arg("timeout") = nb::none(), nb::arg("blocks") = nb::list(),
          nb::arg("flags") = 0,
          nb::sig("def put(self, data: bytes | bytearray | memoryview, timeout: float | None = "
                  "None, blocks: list[Block] = [], flags: int = 0) -> bool"),
          "Sends a message, and blocks that the ring takes; False if there was no room for "
          "`timeout` seconds.")
      .def(
          "wait_for_room",
          [](RingObject& self, std::optional<double> timeout) {
            return finish(timeout,
                          [&](int64_t deadline) { return self.ring.wait_for_room(deadline); });
          },
          nb::arg("timeout") = nb::none(),
          "False if no message was taken out of a full queue for `timeout` seconds.")
      .def(
          "get",
          [](RingObject& self, std::optional<double> timeout) -> nb::object {
            Message message;
            Carrier carrier(self.hold(), self.ring.number());
            if (!finish(timeout, [&](int64_t deadline) {
                  return self.ring.get(message, deadline, carrier);
                }))
              return nb::none();
            nb::list blocks;
            for (auto& hold : carrier.unload()) blocks.append(nb::cast(std::move(hold)));
            return nb::make_tuple(nb::bytes(message.data.data(), message.data.size()), blocks,
                                  message.flags);
          },
          nb::arg("timeout") = nb::none(),
          nb::sig("def get(self, timeout: float | None = None) -> tuple[bytes, list[Block], int] | "
                  "None"),
          "Receives a message, its blocks and its flags; None if none came for `timeout` seconds.")
      .def(
          "__len__", [](RingObject& self) { return self.ring.size(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def("empty", [](const RingObject& self) { return self.ring.empty(); })
      .def("close", [](RingObject& self) { self.ring.close(); })
      .def_prop_ro("closed", [](const RingObject& self) { return self.ring.closed(); });
}

// The C struct of NumPy's array interface.
struct ArrayStruct {
  int two;
  int rank;
  char kind;
  int itemsize;
  int flags;  // 1: C-contiguous
  Py_intptr_t* shape;
  Py_intptr_t* strides;  // bytes
  void* data;
};

// (address, first byte, after the last byte, strides or None) of a NumPy array.
nb::tuple span_of(nb::handle array) {
  nb::object capsule = array.attr("__array_struct__");
  auto* const found = static_cast<const ArrayStruct*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (!found) throw nb::python_error();
  const auto address = reinterpret_cast<intptr_t>(found->data);
  intptr_t low = address, high = address + found->itemsize;
  for (int d = 0; d < found->rank; ++d) {
    const intptr_t reach = (found->shape[d] - 1) * found->strides[d];
    if (found->shape[d] == 0) {
      low = high = address;
      break;
    }
    (reach < 0 ? low : high) += reach;
  }
  if (found->flags & 1) return nb::make_tuple(address, low, high, nb::none());
  nb::list strides;
  for (int d = 0; d < found->rank; ++d) strides.append(found->strides[d]);
  return nb::make_tuple(address, low, high, nb::tuple(strides));
}

// What `rushlight.multiprocessing.pieces` does, for the usual small message: no view lies in the
// arena, none overlaps another, all are inlined. None for any other message.
nb::object inline_views(const nb::list& views, intptr_t limit, intptr_t alignment) {
  nb::list places;
  std::vector<std::pair<intptr_t, intptr_t>> spans;
  std::vector<intptr_t> offsets;
  intptr_t total = 0;
  for (nb::handle view : views) {
    const auto low = nb::cast<intptr_t>(view.attr("low"));
    const auto high = nb::cast<intptr_t>(view.attr("high"));
    const intptr_t start = total + low % alignment;  // as aligned there as here
    total = (start + high - low + alignment - 1) / alignment * alignment;
    if (total > limit || !view.attr("compact").is_none()) return nb::none();
    if (high > low && find(reinterpret_cast<const void*>(low))) return nb::none();
    spans.emplace_back(low, high);
    offsets.push_back(start);
    const auto address = nb::cast<intptr_t>(view.attr("address"));
    places.append(nb::make_tuple(0, start + address - low, view.attr("nbytes")));
  }
  nb::object memory = nb::steal(PyByteArray_FromStringAndSize(nullptr, total));
  if (!memory.is_valid()) throw nb::python_error();
  char* to = PyByteArray_AS_STRING(memory.ptr());
  std::memset(to, 0, static_cast<size_t>(total));
  for (size_t i = 0; i < spans.size(); ++i)
    std::memcpy(to + offsets[i], reinterpret_cast<const void*>(spans[i].first),
                static_cast<size_t>(spans[i].second - spans[i].first));
  std::sort(spans.begin(), spans.end());
  for (size_t i = 1; i < spans.size(); ++i)
    if (spans[i].first < spans[i - 1].second) return nb::none();
  return nb::make_tuple(memory, places);
}

}  // namespace

NB_MODULE(_shm, m) {
  m.doc() = "Shared memory between processes: blocks, queues and their manager.";
  nb::set_leak_warnings(false);  // blocks may outlive the interpreter; the manager frees them
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const SystemError& failed) {
      nb::object arguments = nb::make_tuple(failed.code(), failed.what());
      PyErr_SetObject(PyExc_OSError, arguments.ptr());
    }
  });
  init_blocks(m);
  init_ring(m);
  m.def(
      "copy_into",
      [](nb::handle target, size_t offset, uintptr_t address, size_t nbytes) {
        const Bytes bytes(target, PyBUF_WRITABLE);
        if (offset > bytes.size() || nbytes > bytes.size() - offset)
          throw nb::value_error("copy_into: the bytes do not fit");
        auto* to = static_cast<std::byte*>(bytes.data()) + offset;
        if (nbytes < 65536) {
          std::memcpy(to, reinterpret_cast<const void*>(address), nbytes);
          return;
        }
        nb::gil_scoped_release release;
        std::memcpy(to, reinterpret_cast<const void*>(address), nbytes);
      },
      nb::arg("target"), nb::arg("offset"), nb::arg("address"), nb::arg("nbytes"),
      nb::sig("def copy_into(target: Block | bytearray, offset: int, address: int, nbytes: int) -> "
              "None"),
      "Copies bytes from an address to target[offset:].");
  m.def(
      "span_of", &span_of, nb::arg("array"),
      nb::sig("def span_of(array: object) -> tuple[int, int, int, tuple[int, ...] | None]"),
      "Address of the first element of a NumPy array, of the first byte, after the last byte, and "
      "the strides in bytes where it is not C-contiguous.");
  m.def("inline_views", &inline_views, nb::arg("views"), nb::arg("limit"), nb::arg("alignment"),
        nb::sig("def inline_views(views: object, limit: int, alignment: int) -> "
                "tuple[bytearray, list[tuple[int, int, int | None]]] | None"),
        "The bytes of small views apart from each other, and their places; None where the message "
        "needs more thought.");
  m.def("set_manager_program", &set_manager_program, nb::arg("path"));
  m.def("manager_address", &manager_address, nb::call_guard<nb::gil_scoped_release>(),
        "The address of this process's manager, started if need be.");
  m.def(
      "manager_stat",
      [] {
        const Reply reply = manager_stat();
        nb::dict out;
        out["pid"] = reply.pid;
        out["processes"] = reply.processes;
        out["segments"] = reply.segments;
        out["blocks"] = reply.held;
        out["in_flight"] = reply.in_flight;
        return out;
      },
      nb::sig("def manager_stat() -> dict[str, int]"),
      "What the manager keeps: processes, segments, blocks in use, references in flight.");
  m.def(
      "usage",
      [] {
        const Usage now = usage();
        nb::dict out;
        out["segments"] = now.segments;
        out["mapped"] = now.mapped;
        out["blocks"] = now.blocks;
        out["idle_bytes"] = now.idle;
        return out;
      },
      nb::sig("def usage() -> dict[str, int]"),
      "What this process has: own segments, mapped ones, blocks in use, bytes kept for later.");
  m.def("trim", &trim, nb::arg("keep") = 0, nb::call_guard<nb::gil_scoped_release>(),
        "Returns idle memory beyond `keep` bytes to the system.");
}

}  // namespace rushlight::shm
