// Pickles as data. A pickle is a program for a stack machine that builds Python objects. `parse`
// runs that machine on symbols only: it gives a list of steps whose operands are earlier steps,
// with stack and memo resolved and checked. Nothing is constructed, imported or called, and the
// list is never longer than the pickle.
//
// The opcodes are those of CPython's pickletools, protocols 0 to 5.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rushlight::pickle {

/// The index of the step that makes a value.
using Node = uint32_t;

enum class StepKind : uint8_t {
  // Constants.
  None,
  True,
  False,
  Int,      // integer
  Long,     // text: little-endian two's complement
  Decimal,  // text: a decimal integer
  Float,    // number
  Text,     // text: UTF-8
  Bytes,    // text
  String,   // text: what Python 2 called str
  ByteArray,
  // Containers; the mutable ones start empty.
  Tuple,  // operands
  List,
  Dict,
  Set,
  FrozenSet,  // operands
  // Objects.
  Global,        // text: module, newline, name
  PersistentId,  // operands: one value
  Call,          // operands: a Global, a Tuple
  New,           // operands: a Global, a Tuple
  NewKeywords,   // operands: a Global, a Tuple, a dictionary
  // Effects on an earlier value, the first operand.
  Append,    // values
  SetItems,  // keys and values in turn
  AddItems,  // values
  Build,     // a state
};

struct Step {
  StepKind kind;
  uint32_t position = 0;  // of the opcode, in bytes from the pickle's start
  uint32_t first = 0;     // operands
  uint32_t count = 0;
  std::string_view text;
  union {
    int64_t integer = 0;
    double number;
  };
};

struct Program {
  std::vector<Step> steps;
  std::vector<Node> operands;
  std::deque<std::string> strings;      // texts that are not in the pickle as such
  std::array<uint32_t, 256> opcodes{};  // how often each occurs
  int protocol = 0;
  Node result = 0;
  size_t size = 0;  // bytes up to and including STOP
  /// Why the pickle is not valid, and where; the steps before it are there.
  std::string error;

  std::span<const Node> operands_of(const Step& step) const {
    return std::span(operands).subspan(step.first, step.count);
  }
};

/// The most tuples and frozen sets within one another: computing the hash of one recurs.
inline constexpr uint32_t kMaxNesting = 500;

/// Reads one pickle from the start of `bytes`, which must outlive the program. A defect ends up in
/// `error`; nothing is thrown but `std::bad_alloc`.
Program parse(std::span<const std::byte> bytes);

/// The module and the name of a Global's text.
inline std::pair<std::string_view, std::string_view> split_global(std::string_view text) {
  const size_t newline = text.find('\n');
  return {text.substr(0, newline), text.substr(newline + 1)};
}

}  // namespace rushlight::pickle
