#include "runtime/inflate.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/error.h"
#include "runtime/deflate_symbols.h"

namespace rushlight {
namespace {

using deflate::Entry;
using deflate::kDistanceSymbols;
using deflate::Kind;
using deflate::kLengthSymbols;
using deflate::kLiteralSymbols;

using LiteralTable = deflate::Table<11, 2048 + 1024>;
using DistanceTable = deflate::Table<8, 256 + 512>;
using LengthTable = deflate::Table<7, 128>;

class Inflater {
 public:
  Inflater(std::span<const std::byte> in, std::span<std::byte> out, std::string_view what)
      : begin_(reinterpret_cast<const uint8_t*>(in.data())),
        in_(begin_),
        in_end_(begin_ + in.size()),
        out_begin_(reinterpret_cast<uint8_t*>(out.data())),
        out_(out_begin_),
        out_end_(out_begin_ + out.size()),
        what_(what) {}

  size_t run() {
    bool last = false;
    while (!last) {
      refill();
      last = take(1);
      switch (take(2)) {
        case 0:
          copy_stored();
          break;
        case 1:
          build_fixed_tables();
          decode_block();
          break;
        case 2:
          read_tables();
          decode_block();
          break;
        default:
          fail("has a block of the reserved type 3");
      }
      check_not_past_end();
    }
    if (out_ != out_end_)
      fail("holds ", out_ - out_begin_, " bytes, ", out_end_ - out_begin_, " were announced");
    give_back_whole_bytes();
    return static_cast<size_t>(in_ - begin_);
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    RL_FAIL(Runtime, what_, ": the compressed data ", parts..., " (at byte ", in_ - begin_, " of ",
            in_end_ - begin_, ")");
  }

  // Afterwards at least 56 bits are there: enough for a length and a distance with their extra
  // bits (48). Behind the end of the input come zeros, which `check_not_past_end` notices.
  void refill() {
    if (in_end_ - in_ >= 8) [[likely]] {
      static_assert(std::endian::native == std::endian::little);
      uint64_t word;
      std::memcpy(&word, in_, 8);
      bits_ |= word << count_;
      in_ += (63 - count_) >> 3;
      count_ |= 56;
      return;
    }
    for (; count_ < 56; count_ += 8) {
      if (in_ < in_end_) {
        bits_ |= uint64_t{*in_++} << count_;
      } else {
        if (padding_ > 8) fail("ends early");
        ++padding_;
      }
    }
  }
  void check_not_past_end() const {
    if (count_ < 8 * padding_) fail("ends early");
  }
  void drop(int n) {
    bits_ >>= n;
    count_ -= n;
  }
  uint32_t take(int n) {
    const auto value = static_cast<uint32_t>(bits_ & ((uint64_t{1} << n) - 1));
    drop(n);
    return value;
  }
  void give_back_whole_bytes() {
    check_not_past_end();
    drop(count_ & 7);
    in_ -= count_ / 8 - padding_;
    bits_ = 0;
    count_ = padding_ = 0;
  }

  void copy_stored() {
    give_back_whole_bytes();
    if (in_end_ - in_ < 4) fail("ends early");
    uint16_t length, complement;
    std::memcpy(&length, in_, 2);
    std::memcpy(&complement, in_ + 2, 2);
    in_ += 4;
    if (length != static_cast<uint16_t>(~complement)) fail("has a stored block of broken length");
    if (in_end_ - in_ < length) fail("ends early");
    if (out_end_ - out_ < length) fail_too_long();
    if (length) std::memcpy(out_, in_, length);
    in_ += length;
    out_ += length;
  }

  template <class T>
  void build(std::span<const uint8_t> lengths, std::span<const Entry> symbols, T& table,
             const char* name) {
    if (!deflate::build_table(lengths, symbols, T::primary_bits, table.entries))
      fail("has an invalid ", name, " code");
  }

  void build_fixed_tables() {
    std::array<uint8_t, 288> lengths;
    std::fill_n(lengths.begin(), 144, uint8_t{8});
    std::fill_n(lengths.begin() + 144, 112, uint8_t{9});
    std::fill_n(lengths.begin() + 256, 24, uint8_t{7});
    std::fill_n(lengths.begin() + 280, 8, uint8_t{8});
    build(lengths, kLiteralSymbols, literals_, "literal");
    std::array<uint8_t, 32> distance_lengths;
    distance_lengths.fill(5);
    build(distance_lengths, kDistanceSymbols, distances_, "distance");
  }

  // RFC 1951, 3.2.7: both codes' lengths, run-length coded, themselves Huffman coded.
  void read_tables() {
    constexpr uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                   11, 4,  12, 3, 13, 2, 14, 1, 15};
    refill();
    const size_t literal_count = take(5) + 257;
    const size_t distance_count = take(5) + 1;
    const size_t length_count = take(4) + 4;
    if (literal_count > 286 || distance_count > 30) fail("has too many symbols in a code");
    std::array<uint8_t, 19> code_lengths{};
    for (size_t i = 0; i < length_count; ++i) {
      if (count_ < 3) refill();
      code_lengths[order[i]] = static_cast<uint8_t>(take(3));
    }
    LengthTable table;
    build(code_lengths, kLengthSymbols, table, "code length");

    std::array<uint8_t, 286 + 30> lengths{};
    const size_t total = literal_count + distance_count;
    for (size_t i = 0; i < total;) {
      refill();
      const Entry entry = table.entries[bits_ & 127];
      if (entry.kind == Kind::Invalid) fail("has an unassigned code");
      drop(entry.bits);
      if (entry.value < 16) {
        lengths[i++] = static_cast<uint8_t>(entry.value);
        continue;
      }
      if (entry.value == 16 && i == 0) fail("repeats a code length before the first");
      const uint8_t repeated = entry.value == 16 ? lengths[i - 1] : 0;
      const size_t times = entry.value == 16   ? take(2) + 3
                           : entry.value == 17 ? take(3) + 3
                                               : take(7) + 11;
      if (times > total - i) fail("has too many code lengths");
      std::fill_n(lengths.begin() + static_cast<ptrdiff_t>(i), times, repeated);
      i += times;
    }
    if (lengths[256] == 0) fail("has a block without an end");
    const std::span<const uint8_t> all(lengths);
    build(all.first(literal_count), kLiteralSymbols, literals_, "literal");
    build(all.subspan(literal_count, distance_count), kDistanceSymbols, distances_, "distance");
  }

  template <class T>
  Entry decode(const T& table) {
    Entry entry = table.entries[bits_ & ((1u << T::primary_bits) - 1)];
    drop(entry.bits);
    if (entry.kind == Kind::Subtable) {
      entry = table.entries[entry.value + (bits_ & ((1u << entry.extra) - 1))];
      drop(entry.bits);
    }
    return entry;
  }

  void decode_block() {
    for (;;) {
      if (count_ < 48) refill();
      const Entry entry = decode(literals_);
      if (entry.kind == Kind::Literal) {
        if (out_ == out_end_) fail_too_long();
        *out_++ = static_cast<uint8_t>(entry.value);
        continue;
      }
      if (entry.kind != Kind::Base) {
        if (entry.kind == Kind::End) return;
        fail("has an unassigned code");
      }
      const size_t length = entry.value + take(entry.extra);
      const Entry far = decode(distances_);
      if (far.kind != Kind::Base) fail("has an unassigned distance code");
      const size_t distance = far.value + take(far.extra);
      if (distance > static_cast<size_t>(out_ - out_begin_)) fail("refers to before its beginning");
      if (length > static_cast<size_t>(out_end_ - out_)) fail_too_long();
      copy_match(length, distance);
    }
  }

  void copy_match(size_t length, size_t distance) {
    uint8_t* const stop = out_ + length;
    const uint8_t* from = out_ - distance;
    // Sixteen bytes at a time may write past `stop`, where later output goes anyway.
    if (distance >= 16 && out_end_ - stop >= 16) [[likely]] {
      for (; out_ < stop; out_ += 16, from += 16) std::memcpy(out_, from, 16);
    } else if (distance == 1) {
      std::memset(out_, *from, length);
    } else {
      while (out_ < stop) *out_++ = *from++;
    }
    out_ = stop;
  }

  [[noreturn]] void fail_too_long() const {
    fail("holds more than the announced ", out_end_ - out_begin_, " bytes");
  }

  const uint8_t* begin_;
  const uint8_t* in_;
  const uint8_t* in_end_;
  uint8_t* out_begin_;
  uint8_t* out_;
  uint8_t* out_end_;
  std::string_view what_;
  uint64_t bits_ = 0;  // the next bit is the lowest
  int count_ = 0;      // valid bits in `bits_`
  int padding_ = 0;    // of them, bytes that were not in the input
  LiteralTable literals_;
  DistanceTable distances_;
};

}  // namespace

size_t inflate(std::span<const std::byte> in, std::span<std::byte> out, std::string_view what) {
  return Inflater(in, out, what).run();
}

}  // namespace rushlight
