// A compiled trace, as far as explanations need it.
#pragma once

#include "lazy/history.h"

namespace rushlight::lazy {

struct Outline {
  struct Step {
    const OpDef* op;
    uint32_t location;
    uint64_t structure;  // see structure_of
    uint32_t integers;   // of the calls up to and including this one
  };
  struct Input {
    TensorMeta meta;
    uint32_t call = 0;  // the first that uses it
    uint8_t argument = 0;
  };
  std::vector<Step> steps;
  std::vector<Input> inputs;
  std::vector<int64_t> integers;  // among the literals, in order
  std::vector<ValueId> wanted;
  std::vector<ValueId> outputs;  // the first of each step

  Outline() = default;
  Outline(const Trace& trace, std::span<const ValueId> wanted);
  uint32_t place() const { return steps.empty() ? 0 : steps[0].location; }
  size_t common_prefix(const Outline& other) const;
};

/// Fills in reason, subject, before, after and location: how `now` differs from `before`.
void compare(const Outline& before, const Outline& now, Compilation& why);

}  // namespace rushlight::lazy
