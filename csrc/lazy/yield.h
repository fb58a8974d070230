// Lets the interpreter's other threads go on while kernels run.
#pragma once

#include "lazy/recorder.h"

namespace rushlight::lazy {

/// Elements from which the interpreter's other threads may go on meanwhile.
inline constexpr int64_t kWorthYielding = 16384;

class Yielding {
 public:
  explicit Yielding(bool wanted);
  ~Yielding();
  Yielding(const Yielding&) = delete;
  Yielding& operator=(const Yielding&) = delete;

 private:
  void* state_ = nullptr;
};

}  // namespace rushlight::lazy
