// rushlight.serialization.PyTorchFileReader and PyTorchFileWriter.
#include "runtime/pytorch_file.h"

#include <nanobind/stl/optional.h>

#include <cstring>
#include <mutex>
#include <optional>

#include "bindings.h"
#include "runtime/atomic_file.h"

namespace rushlight::python {
namespace {

// What every element type asks for.
constexpr uintptr_t kMinAlignment = 8;

// An object's bytes, held for as long as somebody uses them; writable where the object is.
std::shared_ptr<const Py_buffer> hold_buffer(nb::handle object) {
  auto* buffer = new Py_buffer;
  bool held = PyObject_GetBuffer(object.ptr(), buffer, PyBUF_WRITABLE) == 0;
  if (!held) {
    PyErr_Clear();
    held = PyObject_GetBuffer(object.ptr(), buffer, PyBUF_C_CONTIGUOUS) == 0;
  }
  if (!held) {
    delete buffer;
    throw nb::python_error();
  }
  return {buffer, [](const Py_buffer* view) {
            if (!nb::is_alive()) return;
            nb::gil_scoped_acquire gil;
            PyBuffer_Release(const_cast<Py_buffer*>(view));
            delete view;
          }};
}

std::span<const std::byte> bytes_of(const Py_buffer& buffer) {
  return {static_cast<const std::byte*>(buffer.buf), static_cast<size_t>(buffer.len)};
}

std::optional<std::string> as_path(nb::handle object) {
  if (!PyUnicode_Check(object.ptr()) && !nb::hasattr(object, "__fspath__")) return std::nullopt;
  PyObject* bytes = nullptr;
  if (!PyUnicode_FSConverter(object.ptr(), &bytes)) throw nb::python_error();
  const nb::object held = nb::steal(bytes);
  return std::string(PyBytes_AS_STRING(bytes), static_cast<size_t>(PyBytes_GET_SIZE(bytes)));
}

std::string name_of_type(nb::handle object) {
  return nb::cast<std::string>(nb::str(nb::type_name(object.type())));
}

ZipArchive open_archive(nb::handle file, const std::string& name) {
  if (const auto path = as_path(file)) {
    nb::gil_scoped_release release;
    return ZipArchive::open(*path);
  }
  nb::object contents = nb::borrow(file);
  const bool is_stream = !PyObject_CheckBuffer(file.ptr()) && nb::hasattr(file, "read");
  if (is_stream) contents = file.attr("read")();
  RL_CHECK(PyObject_CheckBuffer(contents.ptr()), Type,
           "expected a path, an open binary file or the bytes of one, got ",
           name_of_type(contents));
  auto buffer = hold_buffer(contents);
  const auto bytes = bytes_of(*buffer);
  const auto access =
      buffer->readonly ? MappedFile::Access::ReadOnly : MappedFile::Access::CopyOnWrite;
  return ZipArchive(bytes, std::move(buffer), name, {}, access);
}

nb::bytes get_record(const PyTorchFileReader& reader, const std::string& name) {
  StoragePtr contents;
  {
    nb::gil_scoped_release release;
    contents = reader.read(name);
  }
  return nb::bytes(contents->data(), contents->nbytes());
}

nb::object get_storage(const PyTorchFileReader& reader, const std::string& name,
                       std::optional<uint64_t> numel, nb::handle dtype, bool copy) {
  const uint64_t item = dtype.is_none() ? 1 : nb::cast<uint64_t>(dtype.attr("itemsize"));
  nb::gil_scoped_release release;
  StoragePtr contents = reader.read(name);
  uint64_t nbytes = contents->nbytes();
  if (numel) {
    RL_CHECK(item > 0 && *numel <= nbytes / item, Runtime, reader.name(), ": the record '", name,
             "' has ", nbytes, " bytes, fewer than ", *numel, " elements of ", item, " bytes");
    nbytes = *numel * item;
  }
  const bool own = copy || reinterpret_cast<uintptr_t>(contents->data()) % kMinAlignment != 0;
  if (own) {
    const StoragePtr copied = Storage::allocate(nbytes);
    if (nbytes > 0) std::memcpy(copied->data(), contents->data(), nbytes);
    contents = copied;
  } else if (nbytes < contents->nbytes()) {
    std::byte* data = contents->data();
    const bool read_only = contents->read_only();
    contents = Storage::borrow(data, nbytes, [contents] {}, read_only);
  }
  nb::gil_scoped_acquire acquire;
  return storage_object(std::move(contents));
}

// A Python object with `write`, or a function of the bytes.
class PythonSink : public ByteSink {
 public:
  explicit PythonSink(nb::object write) : write_(std::move(write)) {}
  ~PythonSink() override {
    if (!nb::is_alive()) {
      write_.release();
      return;
    }
    nb::gil_scoped_acquire gil;
    write_.reset();
  }

  void write(std::span<const std::byte> bytes) override {
    nb::gil_scoped_acquire gil;
    // A copy: the callee may keep what it is given.
    const nb::object written = write_(nb::bytes(bytes.data(), bytes.size()));
    if (!PyLong_Check(written.ptr())) return;
    const auto count = nb::cast<int64_t>(written);
    RL_CHECK(count == static_cast<int64_t>(bytes.size()), OSError, "the stream took ", count,
             " of ", bytes.size(), " bytes");
  }
  void commit() override {}

 private:
  nb::object write_;
};

struct Target {
  std::unique_ptr<ByteSink> sink;
  std::string archive_name;
};

Target open_target(nb::handle file) {
  if (const auto path = as_path(file)) {
    using Durability = AtomicFile::Durability;
    return {std::make_unique<AtomicFile>(*path, Durability::WrittenBackLater),
            archive_name_of(*path)};
  }
  nb::object write = nb::borrow(file);
  if (nb::hasattr(file, "write")) write = file.attr("write");
  RL_CHECK(PyCallable_Check(write.ptr()), Type,
           "expected a path, an object with write() or a function, got ", name_of_type(file));
  return {std::make_unique<PythonSink>(std::move(write)), "archive"};
}

// Writing goes on without the GIL, so the writer has a lock of its own.
class Writer {
 public:
  Writer(Target target, const ZipOptions& options)
      : writer_(std::move(target.sink), std::move(target.archive_name), options) {}

  template <class F>
  auto locked(F&& f) {
    nb::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return f(writer_);
  }

 private:
  std::mutex mutex_;
  PyTorchFileWriter writer_;
};

void write_record(Writer& self, const std::string& name, nb::handle data,
                  std::optional<uint64_t> size) {
  nb::object contents = nb::borrow(data);
  if (PyUnicode_Check(data.ptr())) contents = nb::steal(PyUnicode_AsUTF8String(data.ptr()));
  if (!contents.is_valid()) throw nb::python_error();
  RL_CHECK(PyObject_CheckBuffer(contents.ptr()), Type, "record '", name,
           "': expected str or an object with the buffer protocol, got ", name_of_type(data));
  const auto buffer = hold_buffer(contents);
  auto bytes = bytes_of(*buffer);
  RL_CHECK(!size || *size <= bytes.size(), Value, "record '", name, "': ", *size,
           " bytes announced, ", bytes.size(), " given");
  if (size) bytes = bytes.first(*size);
  self.locked([&](PyTorchFileWriter& writer) { writer.add(name, bytes); });
}

nb::set record_names(Writer& self) {
  const auto names = self.locked([](PyTorchFileWriter& writer) { return writer.records(); });
  nb::set out;
  for (const std::string& name : names) out.add(nb::str(name.data(), name.size()));
  return out;
}

}  // namespace

void init_pytorch_file(nb::module_& m) {
  nb::class_<PyTorchFileReader>(
      m, "PyTorchFileReader",
      "Reads the container of ``.pt`` and ``.pt2`` files and packages: records in a ZIP "
      "archive.\n\n"
      "``file`` is a path (the file is mapped, not read), an open binary file, or bytes, which "
      "errors\n"
      "call ``name``. Raises\n"
      "``OSError`` where there is no file and ``RuntimeError`` for one that is not intact.")
      .def(
          "__init__",
          [](PyTorchFileReader* self, nb::handle file, const std::string& name) {
            new (self) PyTorchFileReader(open_archive(file, name));
          },
          nb::arg("file"), nb::arg("name") = "the file")
      .def(
          "archive_name",
          [](const PyTorchFileReader& self) { return std::string(self.archive_name()); },
          "The folder in the archive in which all records lie.")
      .def("version", &PyTorchFileReader::version,
           "The container's version; 0 when the file does not say.")
      .def("serialization_id", &PyTorchFileReader::serialization_id,
           "Forty digits that are equal for equal contents; empty in files older than PyTorch 2.1.")
      .def(
          "has_record",
          [](const PyTorchFileReader& self, const std::string& name) {
            return self.has_record(name);
          },
          nb::arg("name"))
      .def("get_record", &get_record, nb::arg("name"),
           "The contents of a record; ``RuntimeError`` when there is none or it is damaged.")
      .def("get_storage_from_record", &get_storage, nb::arg("name"), nb::arg("numel") = nb::none(),
           nb::arg("dtype") = nb::none(), nb::arg("copy") = false,
           nb::sig("def get_storage_from_record(self, name: str, numel: int | None = None, dtype: "
                   "typing.Any = None, copy: bool = False) -> UntypedStorage"),
           "A record's first ``numel`` elements of ``dtype`` (default: all its bytes) as a "
           "storage:\n"
           "the file's own memory, unless ``copy`` is true.")
      .def(
          "get_record_size",
          [](const PyTorchFileReader& self, const std::string& name) { return self.at(name).size; },
          nb::arg("name"), "Bytes of a record's contents.")
      .def(
          "get_record_offset",
          [](const PyTorchFileReader& self, const std::string& name) {
            return self.zip().payload_offset(self.at(name));
          },
          nb::arg("name"), "Where in the file the contents of a record begin.")
      .def(
          "get_record_header_offset",
          [](const PyTorchFileReader& self, const std::string& name) {
            return self.at(name).header_offset;
          },
          nb::arg("name"), "Where in the file the ZIP header of a record begins.")
      .def(
          "get_all_records",
          [](const PyTorchFileReader& self) {
            nb::list out;
            for (const auto name : self.records()) out.append(nb::str(name.data(), name.size()));
            return out;
          },
          nb::sig("def get_all_records(self) -> list[str]"),
          "The names of all records, in the order of the archive.");

  nb::class_<Writer>(m, "PyTorchFileWriter",
                     "Writes the container of ``.pt`` and ``.pt2`` files and packages.\n\n"
                     "``file`` is a path (the file appears when ``write_end_of_file`` succeeds and "
                     "never in part),\n"
                     "an object with ``write(bytes)``, or a function of the bytes. Contents start "
                     "at multiples of\n"
                     "``storage_alignment`` bytes. Equal records give equal files. As a context "
                     "manager, it writes\n"
                     "the end of the file unless an exception leaves the block.")
      .def(
          "__init__",
          [](Writer* self, nb::handle file, bool compute_crc32, uint64_t storage_alignment) {
            const ZipOptions options{.alignment = storage_alignment, .compute_crc = compute_crc32};
            new (self) Writer(open_target(file), options);
          },
          nb::arg("file"), nb::arg("compute_crc32") = true, nb::arg("storage_alignment") = 64)
      .def(
          "archive_name",
          [](Writer& self) { return self.locked([](auto& w) { return w.archive_name(); }); },
          "The folder in the archive: the file's name without its extension, or ``archive``.")
      .def(
          "serialization_id",
          [](Writer& self) { return self.locked([](auto& w) { return w.serialization_id(); }); },
          "The identifier of the contents; empty before the end of the file is written.")
      .def(
          "set_min_version",
          [](Writer& self, uint64_t version) {
            self.locked([&](auto& w) { w.set_min_version(version); });
          },
          nb::arg("version"), "The container's version becomes at least this (3 to 10).")
      .def("write_record", &write_record, nb::arg("name"), nb::arg("data"),
           nb::arg("size") = nb::none(),
           "Adds a record: text as UTF-8, or the first ``size`` bytes (default: all) of an object\n"
           "with the buffer protocol.")
      .def(
          "write_record_metadata",
          [](Writer& self, const std::string& name, uint64_t size) {
            self.locked([&](auto& w) { w.add_zeros(name, size); });
          },
          nb::arg("name"), nb::arg("size"), "Adds a record of ``size`` zero bytes.")
      .def("get_all_written_records", &record_names,
           nb::sig("def get_all_written_records(self) -> set[str]"))
      .def(
          "write_end_of_file", [](Writer& self) { self.locked([](auto& w) { w.finish(); }); },
          "Adds version, byte order and identifier, and puts the file in place.")
      .def(
          "__enter__", [](nb::object self) { return self; },
          nb::sig("def __enter__(self) -> PyTorchFileWriter"))
      .def(
          "__exit__",
          [](Writer& self, nb::handle type, nb::handle, nb::handle) {
            if (!type.is_none()) return;
            self.locked([](auto& w) {
              if (!w.finished()) w.finish();
            });
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none());
}

}  // namespace rushlight::python
