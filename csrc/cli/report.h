// What a run shows: a table for people or JSON for scripts, as `rushlight run` has them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model.h"

namespace rushlight::cli {

/// A value's line: a number has neither dtype nor shape.
struct Shown {
  std::string name;
  std::optional<TensorMeta> tensor;
};

struct Report {
  std::string model;
  std::vector<Shown> inputs, outputs;
  int64_t samples = 0;
  int64_t calls_per_pass = 0;
  int64_t batch = 0;  // samples of the largest call
  int threads = 0;
  std::vector<std::vector<double>> passes_ms;  // the calls of each measured pass
  std::optional<int64_t> right;                // where the inputs have labels
  int64_t labels = 0;
  std::string written;  // "" for nothing
};

std::string as_table(const Report& report);
std::string as_json(const Report& report);

}  // namespace rushlight::cli
