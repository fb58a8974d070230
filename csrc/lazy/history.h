// Why programs were compiled: what lazy.explain() tells.
#pragma once

#include <string>
#include <vector>

#include "lazy/trace.h"

namespace rushlight::lazy {

enum class Reason : uint8_t {
  First,      // nothing like it was recorded before
  Size,       // an input has other sizes
  DType,      // an input has another dtype
  Layout,     // an input has other strides
  Argument,   // an integer argument differs (a dimension, an index, an offset)
  Node,       // a line recorded an operator that was not there before
  Results,    // other results are alive
  Forgotten,  // the program had been dropped to make room
};
std::string_view reason_name(Reason reason);

struct Compilation {
  int64_t number = 0;  // counts all compilations, from 1
  Reason reason = Reason::First;
  std::string subject;  // what changed: "self of aten.add.Tensor", "aten.exp.default"
  std::string before, after;
  uint32_t location = 0;  // the line of the subject; see lazy/location.h
  uint32_t start = 0;     // the line of the trace's first call
  int64_t calls = 0;
  bool planned_only = false;  // the same program with other sizes: only planned again
  double seconds = 0;
  Hash program;
};

/// Finds out why `trace` is being compiled, compared with what was compiled lately, and remembers
/// it. Warns (`set_warner`) when one place is compiled again and again.
void note_compilation(const Trace& trace, std::span<const ValueId> wanted, bool planned_only,
                      double seconds, const Hash& program);
/// Those remembered, the oldest first.
std::vector<Compilation> compilations();
void forget_compilations();

/// Called with the line and the text of a warning, on whatever thread compiles.
void set_warner(void (*warn)(uint32_t location, const std::string& text));

}  // namespace rushlight::lazy
