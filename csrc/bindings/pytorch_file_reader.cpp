// rushlight.serialization.PyTorchFileReader.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings.h"
#include "buffers.h"
#include "runtime/pytorch_file.h"

namespace rushlight::python {
namespace {

// What every element type asks for.
constexpr uintptr_t kMinAlignment = 8;

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

// The first `numel` elements; copied where asked for, or where the file's own memory is not
// aligned.
StoragePtr read_storage(const PyTorchFileReader& reader, const std::string& name,
                        std::optional<uint64_t> numel, uint64_t item, bool copy) {
  StoragePtr contents = reader.read(name);
  uint64_t nbytes = contents->nbytes();
  if (numel) {
    RL_CHECK(item > 0 && *numel <= nbytes / item, Runtime, reader.name(), ": the record '", name,
             "' has ", nbytes, " bytes, fewer than ", *numel, " elements of ", item, " bytes");
    nbytes = *numel * item;
  }
  if (copy || reinterpret_cast<uintptr_t>(contents->data()) % kMinAlignment != 0) {
    StoragePtr copied = Storage::allocate(nbytes);
    copy_bytes(copied->data(), {contents->data(), nbytes});
    return copied;
  }
  if (nbytes == contents->nbytes()) return contents;
  std::byte* data = contents->data();
  const bool read_only = contents->read_only();
  return Storage::borrow(data, nbytes, [contents] {}, read_only);
}

nb::object get_storage(const PyTorchFileReader& reader, const std::string& name,
                       std::optional<uint64_t> numel, nb::handle dtype, bool copy) {
  const uint64_t item = dtype.is_none() ? 1 : nb::cast<uint64_t>(dtype.attr("itemsize"));
  StoragePtr contents;
  {
    nb::gil_scoped_release release;
    contents = read_storage(reader, name, numel, item, copy);
  }
  return storage_object(std::move(contents));
}

}  // namespace

void init_pytorch_file_reader(nb::module_& m) {
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
          "forget_checksum",
          [](PyTorchFileReader& self, const std::string& name) { self.forget_crc(name); },
          nb::arg("name"),
          "Notes in the file, which must be mapped for writing, that a record has no checksum: "
          "its\n"
          "contents may be changed in place.")
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
}

}  // namespace rushlight::python
