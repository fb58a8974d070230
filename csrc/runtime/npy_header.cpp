#include "runtime/npy_header.h"

#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "runtime/utf8.h"

namespace rushlight {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy itself refuses headers of over 10,000 bytes by default.
constexpr size_t kMaxHeader = size_t{1} << 16;
constexpr size_t kMaxRank = 64;
constexpr size_t kDataAlignment = 64;

// NumPy's type codes without byte order, in the order of `DType`.
constexpr std::array<std::string_view, kDTypeCount> kCodes = {"b1", "u1", "i1", "i2", "i4", "i8",
                                                              "f2", "",   "f4", "f8", "c8", "c16"};

// Reads the one kind of Python literal that a header is: a dictionary of strings, a boolean and a
// tuple of integers.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string("a key");
      expect(':');
      if (key == "descr" && !has_descr) {
        has_descr = true;
        parse_descr(header);
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        parse_shape(header.sizes);
      } else {
        fail("unexpected or repeated key '", key, "'");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("text behind the dictionary");
    if (!has_descr || !has_order || !has_shape)
      fail("key '", !has_descr ? "descr" : !has_order ? "fortran_order" : "shape", "' is missing");
    return header;
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    RL_FAIL(Value, name_, ": invalid .npy header: ", parts...);
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail("expected '", c, "' at character ", at_);
  }
  bool accept(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string_view string(const char* what) {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'' && !accept('\'')) fail("expected ", what, " in quotes at character ", at_);
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("a string is not closed");
    const std::string_view value = text_.substr(at_, end - at_);
    if (value.find('\\') != std::string_view::npos) fail("escapes are not expected in a string");
    at_ = end + 1;
    return value;
  }
  bool boolean() {
    if (accept("True")) return true;
    if (accept("False")) return false;
    fail("'fortran_order' must be True or False");
  }

  void parse_descr(NpyHeader& header) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[')
      RL_FAIL(Value, name_, ": structured arrays are not supported; save each field by itself");
    const std::string_view descr = string("the dtype");
    const std::string_view code = descr.substr(descr.empty() ? 0 : 1);
    if (code == "O")
      RL_FAIL(Value, name_, ": the array holds pickled Python objects, which are never loaded");
    if (code == "V2")
      RL_FAIL(Value, name_, ": dtype '", descr,
              "' is raw bytes (bfloat16 has no NumPy dtype and is written like this); save the "
              "array as float32");
    const char order = descr.empty() ? '\0' : descr[0];
    for (int i = 0; i < kDTypeCount; ++i) {
      const auto dtype = static_cast<DType>(i);
      if (code.empty() || kCodes[static_cast<size_t>(i)] != code) continue;
      const bool order_known = order == '<' || order == '>' || order == '=';
      if (!order_known && !(order == '|' && item_size(dtype) == 1)) break;
      header.dtype = dtype;
      header.big_endian = order == '>' && item_size(dtype) > 1;
      return;
    }
    RL_FAIL(Value, name_, ": dtype '", descr.substr(0, 40),
            "' is not supported; arrays can be bool, uint8, int8, int16, int32, int64, float16, "
            "float32, float64, complex64 or complex128");
  }

  void parse_shape(Dims& sizes) {
    expect('(');
    while (!accept(')')) {
      if (sizes.size() == kMaxRank) fail("more than ", kMaxRank, " dimensions");
      sizes.push_back(integer());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }
  int64_t integer() {
    skip_space();
    const size_t begin = at_;
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value))
        fail("a size in 'shape' overflows 64 bits");
    if (at_ == begin) fail("expected a size at character ", at_);
    return value;
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  RL_CHECK(text.substr(0, kMagic.size()) == kMagic, Value, name,
           ": not a .npy file: it does not begin with \\x93NUMPY");
  RL_CHECK(text.size() >= 10, Value, name, ": the .npy header is cut short");
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(text[i])); };
  const size_t major = byte(6), minor = byte(7);
  RL_CHECK(major >= 1 && major <= 3 && minor == 0, Value, name, ": .npy format version ", major,
           ".", minor, " is not supported (1.0, 2.0 and 3.0 are)");
  const size_t start = major == 1 ? 10 : 12;
  RL_CHECK(text.size() >= start, Value, name, ": the .npy header is cut short");
  size_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  RL_CHECK(length <= kMaxHeader, Value, name, ": the .npy header announces ", length,
           " bytes, the limit is ", kMaxHeader);
  RL_CHECK(length <= text.size() - start, Value, name, ": the .npy header is cut short: ", length,
           " bytes announced, ", text.size() - start, " there");
  const std::string_view dictionary = text.substr(start, length);
  // Versions 1 and 2 are Latin-1, but nothing that we accept is outside ASCII; errors must be text.
  RL_CHECK(is_valid_utf8(dictionary), Value, name, ": invalid .npy header: it is not text");
  NpyHeader header = HeaderParser(dictionary, name).parse();
  header.data_offset = start + length;
  return header;
}

std::string make_npy_header(DType dtype, IntList sizes) {
  RL_ASSERT(dtype != DType::BFloat16);
  const char order = item_size(dtype) == 1 ? '|' : '<';
  std::string dictionary = detail::concat("{'descr': '", order, kCodes[static_cast<size_t>(dtype)],
                                          "', 'fortran_order': False, 'shape': (");
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i) dictionary += ", ";
    dictionary += std::to_string(sizes[i]);
  }
  if (sizes.size() == 1) dictionary += ',';
  dictionary += "), }";
  const size_t unpadded = kMagic.size() + 4 + dictionary.size() + 1;
  dictionary.append((kDataAlignment - unpadded % kDataAlignment) % kDataAlignment, ' ');
  dictionary += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace rushlight
