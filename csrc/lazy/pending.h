// What a storage defers: the value of a trace that will be its contents.
#pragma once

#include <exception>
#include <memory>

#include "lazy/trace.h"

namespace rushlight::lazy {

struct Pending final : Deferred {
  Pending(std::shared_ptr<Trace> trace, ValueId value) : trace(std::move(trace)), value(value) {}

  std::shared_ptr<Trace> trace;
  ValueId value;  // covers the storage from its start
  /// Why there are no contents: an operator that they need failed. Raised by whoever reads them.
  std::exception_ptr error;
};

inline Pending* pending_of(const Storage& storage) {
  return static_cast<Pending*>(storage.deferred());
}

}  // namespace rushlight::lazy
