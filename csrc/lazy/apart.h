// For a user's code that the engine calls: what it does is no part of what the thread records.
#pragma once

#include <memory>

namespace rushlight::lazy {

class Trace;

/// While this exists, the thread records into another trace, and captures nothing.
class Apart {
 public:
  Apart();
  ~Apart();
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

 private:
  std::shared_ptr<Trace> outer_;
  bool captured_;
};

/// Stops and continues this thread's capture; whether it was on before.
bool set_capture_active(bool on);

}  // namespace rushlight::lazy
