// rushlight.serialization.PyTorchFileWriter.
#include <nanobind/stl/optional.h>

#include <mutex>
#include <optional>

#include "bindings.h"
#include "buffers.h"
#include "file_target.h"
#include "runtime/atomic_file.h"
#include "runtime/pytorch_file.h"

namespace rushlight::python {
namespace {

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

}  // namespace

FileTarget open_target(nb::handle file) {
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

namespace {

// Writing goes on without the GIL, so the writer has a lock of its own.
class Writer {
 public:
  Writer(FileTarget target, const ZipOptions& options)
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

void init_pytorch_file_writer(nb::module_& m) {
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
