// A captured function as a program that can be saved.
#pragma once

#include <string>
#include <vector>

#include "lazy/replay.h"
#include "runtime/program.h"

namespace rushlight::lazy {

/// What a capture cannot know: names, and what is not a tensor.
struct Naming {
  /// One leaf of the arguments or of the result: a tensor, by position, or a literal.
  struct Leaf {
    std::string name;
    int32_t tensor = -1;
    Argument literal{};
  };
  std::vector<Leaf> inputs, outputs;
  struct Weight {
    std::string target;  // "weight"
    std::string name;    // "p_weight"
    InputSpec::Kind kind = InputSpec::Kind::TensorConstant;
  };
  std::vector<Weight> captured;  // by position in Replay::captured
};

/// Throws for captures that have no such form.
std::shared_ptr<Program> to_program(const Replay& replay, const Naming& naming);

}  // namespace rushlight::lazy
