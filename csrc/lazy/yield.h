// Lets the interpreter's other threads go on while kernels run.
#pragma once

#include "lazy/recorder.h"

namespace rushlight::lazy {

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
