// Watches one call of a function while it records, so that later calls can skip the recording.
//
// While a thread captures, nothing runs: what the function does goes into one trace. Whatever
// cannot be replayed (a value is read, a call has to run at once) is an obstacle, with its line.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lazy/replay.h"

namespace rushlight::lazy {

bool is_capturing();
/// Starts with an empty trace. In strict mode obstacles throw where they are met; else the call
/// goes on as without capture. Throws if this thread captures already.
void begin_capture(bool strict);
/// Ends without a result, after an exception.
void abandon_capture();

struct CaptureResult {
  std::shared_ptr<Replay> replay;  // null if there was an obstacle
  std::string obstacle;
};
/// Ends, and runs what was recorded, or drops it: then nothing is written, and results are never
/// computed. `arguments` are the tensors that were given, `results` those returned.
CaptureResult end_capture(std::span<const Tensor> arguments, std::span<const Tensor> results,
                          bool run = true);

/// A value is read by the program.
void notice_read(const Tensor& tensor);
/// A call runs now instead of being recorded.
void notice_eager(const OpDef& op);

}  // namespace rushlight::lazy
