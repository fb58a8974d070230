// What a run shows: a table for people or JSON for scripts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model.h"

namespace rushlight::cli {

struct Accuracy {
  int64_t right = 0, total = 0;
  double value() const { return static_cast<double>(right) / static_cast<double>(total); }
};

struct Report {
  std::string model;
  std::vector<std::pair<std::string, Tensor>> inputs, outputs;
  std::optional<Accuracy> accuracy;
  std::vector<double> latencies_ms;  // one for each measured call
  int threads = 0;
};

/// Counts where the largest of the scores of a row (or the class itself) is the label. Throws
/// `Error(Value)` when shapes or dtypes do not fit.
Accuracy count_right(const Tensor& output, const Tensor& labels);

std::string as_table(const Report& report);
std::string as_json(const Report& report);

}  // namespace rushlight::cli
