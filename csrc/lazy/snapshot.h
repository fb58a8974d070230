// What tensors wait for, without running it.
#pragma once

#include "lazy/replay.h"

namespace rushlight::lazy {

struct Snapshot {
  std::shared_ptr<Replay> replay;  // its arguments are `inputs`
  std::vector<Tensor> inputs;
  Hash hash;
};

/// One for each trace that computes some of `tensors`. Those that have their contents are in none.
/// With `compile` they can be run.
std::vector<Snapshot> snapshots(std::span<const Tensor> tensors, bool compile);

/// Is the tensor recorded, and not computed?
bool is_pending(const Tensor& tensor);

}  // namespace rushlight::lazy
