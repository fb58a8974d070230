// rushlight.Generator and the process's random state.
#include "core/generator.h"
#include "lazy/recorder.h"

#include <cstring>

#include "core/default_dtype.h"
#include "objects.h"
#include "signature.h"

namespace rushlight::python {
namespace {

// Seeds are taken modulo 2^64, as in PyTorch: negative ones count from above.
uint64_t to_seed(nb::handle seed) {
  RL_CHECK(PyIndex_Check(seed.ptr()), Type, "manual_seed expected a long, but got ",
           type_of(seed.ptr()));
  nb::object number = nb::steal(PyNumber_Index(seed.ptr()));
  const int too_big = PyObject_RichCompareBool(
      number.ptr(), nb::steal(PyLong_FromUnsignedLongLong(UINT64_MAX)).ptr(), Py_GT);
  const int too_small = PyObject_RichCompareBool(
      number.ptr(), nb::steal(PyLong_FromLongLong(INT64_MIN)).ptr(), Py_LT);
  RL_CHECK(!too_big && !too_small, Runtime, "Overflow when unpacking long: a seed has 64 bits");
  return PyLong_AsUnsignedLongLongMask(number.ptr());
}

// Seed and offset, little-endian: the 16 bytes that PyTorch's counter-based generators have.
Tensor state_of(const Generator& generator) {
  const Generator::State state = generator.state();
  Tensor out = Tensor::empty(Dims{16}, DType::UInt8);
  std::memcpy(out.raw(), &state.seed, 8);
  std::memcpy(out.raw() + 8, &state.offset, 8);
  return out;
}

void set_state(Generator& generator, const Tensor& t) {
  RL_CHECK(t.dtype == DType::UInt8 && t.rank() == 1 && t.numel() == 16, Runtime,
           "RNG state must be a ByteTensor of 16 elements, got ", describe(t));
  lazy::compute(t);
  const Tensor bytes = t.contiguous();
  Generator::State state;
  std::memcpy(&state.seed, bytes.raw(), 8);
  std::memcpy(&state.offset, bytes.raw() + 8, 8);
  generator.set_state(state);
}

}  // namespace

Generator* generator_in(nb::handle object) {
  return nb::isinstance<Generator>(object) ? nb::inst_ptr<Generator>(object) : nullptr;
}

void init_generator(nb::module_& m) {
  nb::class_<Generator>(m, "Generator",
                        "A source of random numbers with a state of its own: Philox 4x32-10 "
                        "(Salmon et al., 2011), a seed and a counter.")
      .def(
          "__init__",
          [](Generator* self, nb::handle device) {
            check_device(device);
            new (self) Generator();
          },
          nb::arg("device") = "cpu",
          nb::sig("def __init__(self, device: str | device = 'cpu') -> None"))
      .def(
          "manual_seed",
          [](nb::handle self, nb::handle seed) {
            nb::inst_ptr<Generator>(self)->manual_seed(to_seed(seed));
            return nb::borrow(self);
          },
          nb::arg("seed"), nb::sig("def manual_seed(self, seed: int) -> Generator"),
          "Starts the sequence of ``seed`` (64 bits); returns the generator.")
      .def(
          "seed",
          [](Generator& g) {
            nb::object bytes = nb::module_::import_("os").attr("urandom")(8);
            uint64_t seed;
            std::memcpy(&seed, PyBytes_AsString(bytes.ptr()), 8);
            g.manual_seed(seed);
            return seed;
          },
          "Takes a seed from the system and returns it.")
      .def("initial_seed", &Generator::initial_seed)
      .def("get_state", &state_of, "Seed and counter: 16 bytes.")
      .def("set_state", &set_state, nb::arg("new_state"))
      .def_prop_ro(
          "device", [](const Generator&) { return cpu_device(); }, RL_GETTER("device", "device"));
  m.attr("default_generator") = nb::cast(&default_generator(), nb::rv_policy::reference);
  m.def(
      "get_default_dtype", [] { return dtype_object(default_dtype()); },
      nb::sig("def get_default_dtype() -> dtype"),
      "The floating point type that Python floats become.");
  m.def(
      "set_default_dtype",
      [](nb::handle d) {
        const auto t = dtype_argument(d);
        RL_CHECK(t, Type, "invalid dtype object: ", type_of(d.ptr()));
        lazy::flush_all();  // what is recorded means the old one
        set_default_dtype(*t);
      },
      nb::arg("d"), nb::sig("def set_default_dtype(d: dtype) -> None"),
      "Sets the floating point type that Python floats, and fractions of integers, become.");
}

}  // namespace rushlight::python
