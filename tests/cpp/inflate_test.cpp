#include "runtime/inflate.h"

#include <utility>

#include "bytes.h"
#include "runtime/crc32.h"
#include "test.h"

using namespace rushlight;
using namespace rushlight::test;

namespace {

std::string inflated(std::string_view stream, size_t size) {
  std::string out(size, '\0');
  const size_t used = inflate(bytes_of(stream), std::as_writable_bytes(std::span(out)), "x");
  EXPECT_EQ(used, stream.size());
  return out;
}

/// Writes DEFLATE streams bit by bit.
class BitWriter {
 public:
  BitWriter& bits(uint32_t value, int count) {
    for (int i = 0; i < count; ++i, ++used_) {
      if (used_ % 8 == 0) out_ += '\0';
      if (value >> i & 1) out_.back() = static_cast<char>(out_.back() | 1 << used_ % 8);
    }
    return *this;
  }
  /// A Huffman code, which is written from its highest bit.
  BitWriter& code(uint32_t value, int count) {
    while (count-- > 0) bits(value >> count & 1, 1);
    return *this;
  }
  const std::string& str() const { return out_; }

 private:
  std::string out_;
  int used_ = 0;
};

}  // namespace

TEST(crc32_has_the_published_check_value) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xCBF43926u);
  EXPECT_EQ(crc32({}), 0u);
  const std::string text = "The quick brown fox jumps over the lazy dog";
  EXPECT_EQ(crc32(bytes_of(text)), 0x414FA339u);
  for (size_t split = 0; split <= text.size(); ++split) {
    const std::string_view view(text);
    EXPECT_EQ(crc32(bytes_of(view.substr(split)), crc32(bytes_of(view.substr(0, split)))),
              0x414FA339u);
  }
}

TEST(crc32_of_long_input_equals_bit_by_bit_division) {
  std::string text;
  uint32_t state = 1;
  for (int i = 0; i < 5000; ++i)
    text += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  for (size_t size : {0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 1000, 4096, 5000}) {
    uint32_t expected = ~0u;
    for (size_t i = 0; i < size; ++i) {
      expected ^= static_cast<uint8_t>(text[i]);
      for (int bit = 0; bit < 8; ++bit) expected = expected >> 1 ^ (expected & 1 ? 0xEDB88320u : 0);
    }
    EXPECT_EQ(crc32(bytes_of(std::string_view(text).substr(0, size))), ~expected);
  }
}

TEST(inflate_reads_stored_blocks) {
  EXPECT_EQ(inflated(std::string("\x01\x03\x00\xFC\xFF"
                                 "abc",
                                 8),
                     3),
            "abc");
  EXPECT_EQ(inflated(std::string("\x00\x01\x00\xFE\xFF"
                                 "a"
                                 "\x01\x00\x00\xFF\xFF",
                                 11),
                     1),
            "a");
}

TEST(inflate_reads_fixed_codes_and_overlapping_copies) {
  // 'a' (8 bits: 0x30 + 'a'), then length 258 (code 285) at distance 1, then the end.
  BitWriter stream;
  stream.bits(1, 1).bits(1, 2).code(0x30 + 'a', 8).code(0xC0 + 285 - 280, 8).code(0, 5).code(0, 7);
  EXPECT_EQ(inflated(stream.str(), 259), std::string(259, 'a'));
  // "abc", then length 10 (code 264) at distance 3 (code 2).
  BitWriter abc;
  abc.bits(1, 1).bits(1, 2);
  for (char c : {'a', 'b', 'c'}) abc.code(0x30u + static_cast<uint8_t>(c), 8);
  abc.code(264 - 256, 7).code(2, 5).code(0, 7);
  EXPECT_EQ(inflated(abc.str(), 13), "abcabcabcabca");
}

TEST(inflate_reads_dynamic_codes) {
  std::string expected;
  for (int i = 0; i < 3000; ++i) expected += static_cast<char>('a' + i * i % 23 % (1 + i % 7));
  EXPECT_EQ(inflated(read_file(data_file("deflate/mixed.deflate")), expected.size()), expected);
}

TEST(inflate_reads_codes_of_fifteen_bits) {
  std::string expected;
  size_t previous = 0, count = 1;
  for (int symbol = 0; symbol < 20; ++symbol) {
    expected.append(count, static_cast<char>(symbol));
    previous = std::exchange(count, previous + count);
  }
  EXPECT_EQ(inflated(read_file(data_file("deflate/deep.deflate")), expected.size()), expected);
}

TEST(inflate_refuses_streams_of_another_size) {
  const std::string stream(
      "\x01\x03\x00\xFC\xFF"
      "abc",
      8);
  EXPECT_ERROR(inflated(stream, 2), Runtime,
               "x: the compressed data holds more than the announced 2 bytes");
  EXPECT_ERROR(inflated(stream, 4), Runtime, "holds 3 bytes, 4 were announced");
  BitWriter fixed;
  fixed.bits(1, 1).bits(1, 2).code(0x30 + 'a', 8).code(0xC0 + 5, 8).code(0, 5).code(0, 7);
  for (size_t size : {0, 1, 2, 258})
    EXPECT_ERROR(inflated(fixed.str(), size), Runtime, "more than");
  EXPECT_ERROR(inflated(fixed.str(), 260), Runtime, "holds 259 bytes");
}

TEST(inflate_refuses_every_truncation) {
  BitWriter fixed;
  fixed.bits(1, 1).bits(1, 2);
  for (int i = 0; i < 50; ++i) fixed.code(0x30u + 'a', 8);
  fixed.code(0, 7);
  for (size_t size = 0; size < fixed.str().size(); ++size)
    EXPECT_ERROR(inflated(fixed.str().substr(0, size), 50), Runtime, "ends early");
  const std::string stored(
      "\x01\x03\x00\xFC\xFF"
      "abc",
      8);
  for (size_t size = 0; size < stored.size(); ++size)
    EXPECT_ERROR(inflated(stored.substr(0, size), 3), Runtime, "ends early");
}

TEST(inflate_refuses_invalid_streams) {
  EXPECT_ERROR(inflated("\x07", 1), Runtime, "reserved type 3");
  EXPECT_ERROR(inflated(std::string("\x01\x03\x00\xFC\xFE"
                                    "abc",
                                    8),
                        3),
               Runtime, "broken length");
  // A copy from before the beginning.
  BitWriter before;
  before.bits(1, 1).bits(1, 2).code(0x30 + 'a', 8).code(1, 7).code(1, 5).code(0, 7);
  EXPECT_ERROR(inflated(before.str(), 4), Runtime, "before its beginning");
  // Literal code 286 and distance code 30 have codes, but no meaning.
  BitWriter symbol;
  symbol.bits(1, 1).bits(1, 2).code(0xC0 + 286 - 280, 8).code(0, 7);
  EXPECT_ERROR(inflated(symbol.str(), 4), Runtime, "unassigned code");
  BitWriter far;
  far.bits(1, 1).bits(1, 2).code(0x30 + 'a', 8).code(1, 7).code(30, 5).code(0, 7);
  EXPECT_ERROR(inflated(far.str(), 4), Runtime, "unassigned distance code");
}

TEST(inflate_refuses_invalid_dynamic_headers) {
  const auto header = [](uint32_t literals, uint32_t distances, uint32_t lengths) {
    BitWriter stream;
    stream.bits(1, 1).bits(2, 2).bits(literals, 5).bits(distances, 5).bits(lengths, 4);
    return stream;
  };
  EXPECT_ERROR(inflated(header(31, 0, 0).str(), 1), Runtime, "too many symbols");
  EXPECT_ERROR(inflated(header(0, 31, 0).str(), 1), Runtime, "too many symbols");
  BitWriter over = header(0, 0, 0);
  for (int i = 0; i < 4; ++i) over.bits(1, 3);
  EXPECT_ERROR(inflated(over.str() + std::string(8, '\0'), 1), Runtime, "invalid code length code");
  // Lengths for 16 (repeat) and 0 of one bit each; the first code repeats nothing.
  BitWriter repeat = header(0, 0, 0);
  repeat.bits(1, 3).bits(0, 3).bits(0, 3).bits(1, 3).code(1, 1).bits(0, 2);
  EXPECT_ERROR(inflated(repeat.str() + std::string(8, '\0'), 1), Runtime, "before the first");
  // All lengths zero: 138 + 120 of them by two runs (18 has the code 1).
  BitWriter nothing = header(0, 0, 0);
  nothing.bits(0, 3).bits(0, 3).bits(1, 3).bits(1, 3).code(1, 1).bits(127, 7).code(1, 1).bits(109,
                                                                                              7);
  EXPECT_ERROR(inflated(nothing.str() + std::string(8, '\0'), 1), Runtime, "without an end");
  BitWriter many = header(0, 0, 0);
  many.bits(0, 3).bits(0, 3).bits(1, 3).bits(1, 3).code(1, 1).bits(127, 7).code(1, 1).bits(127, 7);
  EXPECT_ERROR(inflated(many.str() + std::string(8, '\0'), 1), Runtime, "too many code lengths");
}
