#include "runtime/npy.h"

#include "bytes.h"
#include "runtime/elements.h"
#include "runtime/npy_header.h"
#include "test.h"

using namespace rushlight;
using namespace rushlight::test;

namespace {

constexpr std::pair<const char*, DType> kFixtures[] = {
    {"b1", DType::Bool},      {"u1", DType::UInt8},      {"i1", DType::Int8},
    {"i2", DType::Int16},     {"i4", DType::Int32},      {"i8", DType::Int64},
    {"f2", DType::Float16},   {"f4", DType::Float32},    {"f8", DType::Float64},
    {"c8", DType::Complex64}, {"c16", DType::Complex128}};

std::string fixture(const std::string& name) { return data_file("npy/" + name); }

/// A version 1.0 file with this dictionary and `data_size` zero bytes.
std::string npy_with(std::string dictionary, size_t data_size = 0) {
  std::string file("\x93NUMPY\x01\x00", 8);
  append(file, static_cast<uint16_t>(dictionary.size()));
  return file + dictionary + std::string(data_size, '\0');
}
Tensor parse(std::string_view file) { return read_npy(storage_of(file), "t.npy"); }

/// arange(6).reshape(2, 3) - 2 in a dtype, as the fixtures hold it.
Tensor counting(DType dtype) {
  Tensor tensor = Tensor::empty(Dims{2, 3}, dtype);
  dispatch_dtype(dtype, [&]<class T>(T) {
    for (int i = 0; i < 6; ++i) tensor.data<T>()[i] = T(static_cast<float>(i - 2));
    if constexpr (std::is_same_v<T, uint8_t>)  // NumPy wraps -2 and -1
      for (int i = 0; i < 2; ++i) tensor.data<T>()[i] = static_cast<uint8_t>(254 + i);
  });
  return tensor;
}
std::string_view raw_bytes(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.nbytes())};
}

}  // namespace

TEST(npy_reads_what_numpy_wrote_in_every_dtype) {
  for (const auto& [code, dtype] : kFixtures) {
    const Tensor tensor = read_npy(fixture(std::string(code) + ".npy"));
    EXPECT(tensor.dtype == dtype);
    EXPECT_EQ(tensor.sizes, (Dims{2, 3}));
    EXPECT_EQ(tensor.strides, (Dims{3, 1}));
    EXPECT(raw_bytes(tensor) == raw_bytes(counting(dtype)));
    EXPECT(tensor.storage()->read_only());
  }
}

TEST(npy_reads_other_shapes_orders_and_versions) {
  const Tensor scalar = read_npy(fixture("scalar.npy"));
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_EQ(*scalar.data<double>(), 2.5);
  EXPECT_EQ(read_npy(fixture("empty.npy")).sizes, (Dims{0, 3}));
  EXPECT_EQ(read_npy(fixture("vector.npy")).sizes, (Dims{5}));
  const Tensor fortran = read_npy(fixture("fortran.npy"));
  EXPECT_EQ(fortran.sizes, (Dims{2, 3}));
  EXPECT_EQ(fortran.strides, (Dims{1, 2}));
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(fortran.data<float>()[i / 3 + i % 3 * 2], static_cast<float>(i));
  const Tensor big = read_npy(fixture("big_endian.npy"));
  EXPECT(big.dtype == DType::Complex64);
  for (int i = 0; i < 6; ++i)
    EXPECT(big.data<complex64>()[i] == complex64(static_cast<float>(i) + 0.5f, 0));
  for (const char* name : {"version2.npy", "version3.npy"})
    EXPECT_EQ(read_npy(fixture(name)).data<float>()[5], 5.0f);
}

TEST(npy_writes_the_bytes_numpy_writes) {
  const TemporaryDirectory directory;
  for (const auto& [code, dtype] : kFixtures) {
    write_npy(directory.file("x.npy"), counting(dtype));
    EXPECT(read_file(directory.file("x.npy")) == read_file(fixture(std::string(code) + ".npy")));
  }
  for (const char* name : {"scalar.npy", "empty.npy", "vector.npy"}) {
    write_npy(directory.file("x.npy"), read_npy(fixture(name)));
    EXPECT(read_file(directory.file("x.npy")) == read_file(fixture(name)));
  }
}

TEST(npy_writes_strided_tensors_in_c_order) {
  const TemporaryDirectory directory;
  write_npy(directory.file("x.npy"), read_npy(fixture("fortran.npy")));
  const Tensor tensor = read_npy(directory.file("x.npy"));
  EXPECT_EQ(tensor.strides, (Dims{3, 1}));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(tensor.data<float>()[i], static_cast<float>(i));
}

TEST(npy_writes_bfloat16_as_float32) {
  const TemporaryDirectory directory;
  write_npy(directory.file("x.npy"), counting(DType::BFloat16));
  const Tensor tensor = read_npy(directory.file("x.npy"));
  EXPECT(tensor.dtype == DType::Float32);
  EXPECT(raw_bytes(tensor) == raw_bytes(counting(DType::Float32)));
}

TEST(npy_refuses_dtypes_that_tensors_lack) {
  EXPECT_ERROR(read_npy(fixture("uint16.npy")), Value, "uint16.npy: dtype '<u2' is not supported");
  EXPECT_ERROR(read_npy(fixture("text.npy")), Value, "dtype '<U2' is not supported");
  EXPECT_ERROR(read_npy(fixture("objects.npy")), Value,
               "pickled Python objects, which are never loaded");
  EXPECT_ERROR(read_npy(fixture("structured.npy")), Value, "structured arrays are not supported");
  EXPECT_ERROR(parse(npy_with("{'descr': '|V2', 'fortran_order': False, 'shape': ()}")), Value,
               "bfloat16");
  for (const char* descr : {"", "<", "f4", "|f4", "<f", "<f16", "<b2"})
    EXPECT_ERROR(parse(npy_with("{'descr': '" + std::string(descr) +
                                "', 'fortran_order': False, 'shape': ()}")),
                 Value, "is not supported");
}

TEST(npy_refuses_every_truncation) {
  const std::string file = read_file(fixture("f4.npy"));
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_ERROR(parse(std::string_view(file).substr(0, size)), Value, "t.npy: ");
  EXPECT_ERROR(parse(std::string_view(file).substr(0, 130)), Value,
               "an array of float32[2, 3] takes 24 bytes, but 2 follow the header");
  EXPECT_ERROR(parse(file + "x"), Value, "takes 24 bytes, but 25 follow the header");
}

TEST(npy_refuses_hostile_headers) {
  EXPECT_ERROR(parse("hello"), Value, "t.npy: not a .npy file");
  EXPECT_ERROR(parse(std::string("\x93NUMPY\x04\x00\x00\x00\x00\x00", 12)), Value,
               "version 4.0 is not supported");
  EXPECT_ERROR(parse(std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12)), Value,
               "announces 4294967295 bytes");
  const auto refused = [](const std::string& dictionary, std::string_view part) {
    EXPECT_ERROR(parse(npy_with(dictionary)), Value, part);
  };
  const std::string start = "{'descr': '<f4', 'fortran_order': False, 'shape': ";
  refused("", "expected '{'");
  refused("{}", "key 'descr' is missing");
  refused("{'descr': '<f4', 'shape': ()}", "key 'fortran_order' is missing");
  refused("{'descr': '<f4', 'fortran_order': False}", "key 'shape' is missing");
  refused(start + "(), 'shape': ()}", "unexpected or repeated key 'shape'");
  refused(start + "(), 'other': ()}", "unexpected or repeated key 'other'");
  refused(start + "()} x", "text behind the dictionary");
  refused(start + "(-1,)}", "expected a size");
  refused(start + "(1.5,)}", "expected ')'");
  refused(start + "(99999999999999999999,)}", "overflows 64 bits");
  refused(start + "(4294967296, 4294967296)}", "overflow 64-bit arithmetic");
  refused(start + "(0, 4294967296, 4294967296)}", "overflow 64-bit arithmetic");
  refused(start + "(9223372036854775807,)}", "overflow 64-bit arithmetic");
  refused(start + "(1000000000000,)}", "takes 4000000000000 bytes, but 0 follow");
  std::string many = start + "(";
  for (int i = 0; i < 65; ++i) many += "1, ";
  refused(many + ")}", "more than 64 dimensions");
  refused("{'descr': '<f4", "a string is not closed");
  refused("{'descr\\x41': 1}", "escapes are not expected");
  refused("{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", "must be True or False");
  refused("{'descr': '\xFF', 'fortran_order': False, 'shape': ()}", "it is not text");
}

TEST(npy_takes_any_nonzero_byte_for_true) {
  const std::string file = npy_with("{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}") +
                           std::string("\x00\x01\x02\xFF", 4);
  EXPECT(raw_bytes(parse(file)) == std::string_view("\x00\x01\x01\x01", 4));
}

TEST(npz_reads_what_numpy_wrote) {
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const NamedTensors tensors = read_npz(fixture(name));
    EXPECT_EQ(tensors.size(), 2u);
    EXPECT_EQ(tensors[0].first, "x");
    EXPECT_EQ(tensors[0].second.data<float>()[5], 5.0f);
    EXPECT_EQ(tensors[1].first, "labels");
    EXPECT_EQ(tensors[1].second.sizes, (Dims{1000}));
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(tensors[1].second.data<int64_t>()[i], i);
  }
}

TEST(npz_writer_and_reader_agree) {
  const TemporaryDirectory directory;
  const std::pair<std::string, Tensor> tensors[] = {{"a", counting(DType::Int64)},
                                                    {"b.c", counting(DType::Complex128)}};
  write_npz(directory.file("x.npz"), tensors);
  const NamedTensors back = read_npz(directory.file("x.npz"));
  EXPECT_EQ(back.size(), 2u);
  for (size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i].first, tensors[i].first);
    EXPECT(raw_bytes(back[i].second) == raw_bytes(tensors[i].second));
  }
  const std::pair<std::string, Tensor> twice[] = {tensors[0], tensors[0]};
  EXPECT_ERROR(write_npz(directory.file("y.npz"), twice), Value,
               "two archive entries are named 'a.npy'");
  EXPECT(!std::filesystem::exists(directory.file("y.npz")));
}

TEST(npz_errors_name_archive_and_array) {
  const TemporaryDirectory directory;
  std::string file = read_file(fixture("stored.npz"));
  const size_t header = file.find("'<f4'");
  file.replace(header, 5, "'<q4'");
  write_file(directory.file("x.npz"), file);
  EXPECT_ERROR(read_npz(directory.file("x.npz")), Runtime, "entry 'x.npy' is damaged");
}

TEST(elements_are_copied_only_when_they_must_be) {
  const StoragePtr bytes = storage_of(std::string(65, '\1'));
  EXPECT_EQ(to_elements(bytes, 0, 65, DType::UInt8), bytes);
  EXPECT_EQ(to_elements(bytes, 16, 32, DType::Complex128)->data(), bytes->data() + 16);
  EXPECT_EQ(to_elements(bytes, 8, 16, DType::Complex128)->data(), bytes->data() + 8);
  EXPECT_EQ(to_elements(bytes, 5, 8, DType::Bool)->data(), bytes->data() + 5);
  const StoragePtr copied = to_elements(bytes, 2, 8, DType::Float32);
  EXPECT(copied->data() != bytes->data() + 2);
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(copied->data()), 0x01010101u);
}
