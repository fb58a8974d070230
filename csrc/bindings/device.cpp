// rushlight.device, rushlight.layout, rushlight.memory_format.
#include <nanobind/stl/optional.h>

#include <charconv>

#include "objects.h"
#include "signature.h"

namespace rushlight::python {
namespace {

struct Device {
  std::string type;
  int index = -1;  // -1: none given
};

struct Layout {
  const char* name;
};

struct PyMemoryFormat {
  MemoryFormat value;
};

Device parse_device(const std::string& text) {
  const size_t colon = text.find(':');
  Device device{text.substr(0, colon)};
  bool good = !device.type.empty();
  if (colon != text.npos) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, device.index);
    good = good && error == std::errc{} && stop == end && device.index >= 0;
  }
  for (char c : device.type)
    good = good && (std::isalnum(static_cast<unsigned char>(c)) || c == '_');
  RL_CHECK(good, Runtime, "Invalid device string: '", text, "'");
  return device;
}

std::string text_of(const Device& d) {
  return d.index < 0 ? d.type : detail::concat(d.type, ":", d.index);
}

Device to_device(nb::handle object) {
  if (nb::isinstance<Device>(object)) return *nb::inst_ptr<Device>(object);
  if (PyUnicode_Check(object.ptr())) return parse_device(nb::cast<std::string>(object));
  RL_FAIL(Type, "expected a device, got ", type_of(object.ptr()));
}

// Borrowed from the module, which lives as long as the process.
nb::handle cpu, strided;
constexpr const char* kFormats[] = {"contiguous_format", "preserve_format", "channels_last",
                                    "channels_last_3d"};

}  // namespace

bool is_device_like(nb::handle object) {
  return PyUnicode_Check(object.ptr()) || nb::isinstance<Device>(object);
}

void check_device(nb::handle object) {
  const Device device = to_device(object);
  RL_CHECK(device.type == "cpu" && device.index <= 0, Runtime,
           "expected device 'cpu', the only one that holds rushlight's tensors, got '",
           text_of(device), "'");
}

nb::object cpu_device() { return nb::borrow(cpu); }
nb::object strided_layout() { return nb::borrow(strided); }
bool is_layout(nb::handle object) { return nb::isinstance<Layout>(object); }

std::optional<MemoryFormat> memory_format_in(nb::handle object) {
  if (!nb::isinstance<PyMemoryFormat>(object)) return std::nullopt;
  return nb::inst_ptr<PyMemoryFormat>(object)->value;
}

void init_device(nb::module_& m) {
  nb::class_<Device>(m, "device", "Where a tensor's memory lies: ``device('cpu')``.")
      .def(
          "__init__",
          [](Device* self, nb::handle type, std::optional<int> index) {
            Device device = to_device(type);
            if (index) {
              RL_CHECK(device.index < 0, Runtime, "type (string) must not include an index: '",
                       text_of(device), "'");
              RL_CHECK(*index >= 0, Runtime, "Device index must not be negative");
              device.index = *index;
            }
            new (self) Device(device);
          },
          nb::arg("type"), nb::arg("index") = nb::none(),
          nb::sig("def __init__(self, type: str | device, index: int | None = None) -> None"))
      .def_prop_ro("type", [](const Device& d) { return d.type; })
      .def_prop_ro(
          "index",
          [](const Device& d) -> nb::object {
            return d.index < 0 ? nb::none() : nb::object(nb::int_(d.index));
          },
          RL_GETTER("index", "int | None"))
      .def(
          "__eq__",
          [](const Device& d, nb::handle other) {
            if (!nb::isinstance<Device>(other)) return false;
            const Device& o = *nb::inst_ptr<Device>(other);
            return d.type == o.type && d.index == o.index;
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Device& d) { return std::hash<std::string>()(text_of(d)); })
      .def("__str__", &text_of)
      .def("__repr__",
           [](const Device& d) {
             std::string text = "device(type='" + d.type + "'";
             if (d.index >= 0) text += ", index=" + std::to_string(d.index);
             return text + ")";
           })
      .def(
          "__reduce__",
          [](const Device& d) {
            return nb::make_tuple(nb::type<Device>(), nb::make_tuple(text_of(d)));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
  nb::object cpu_object = nb::cast(Device{"cpu"});
  m.attr("_cpu") = cpu_object;
  cpu = cpu_object;

  nb::class_<Layout>(m, "layout", "How a tensor's elements are stored.")
      .def("__repr__", [](const Layout& l) { return std::string("rushlight.") + l.name; })
      .def(
          "__reduce__", [](const Layout& l) { return std::string(l.name); },
          nb::sig("def __reduce__(self) -> str"));
  nb::object strided_object = nb::cast(Layout{"strided"});
  m.attr("strided") = strided_object;
  strided = strided_object;

  nb::class_<PyMemoryFormat>(m, "memory_format", "The order of a tensor's dimensions in memory.")
      .def("__repr__",
           [](const PyMemoryFormat& f) {
             return std::string("rushlight.") + kFormats[static_cast<size_t>(f.value)];
           })
      .def(
          "__reduce__",
          [](const PyMemoryFormat& f) {
            return std::string(kFormats[static_cast<size_t>(f.value)]);
          },
          nb::sig("def __reduce__(self) -> str"));
  for (size_t i = 0; i < std::size(kFormats); ++i)
    m.attr(kFormats[i]) = nb::cast(PyMemoryFormat{static_cast<MemoryFormat>(i)});
}

}  // namespace rushlight::python
