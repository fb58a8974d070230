// The traces of all threads.
#pragma once

#include <memory>

#include "lazy/trace.h"

namespace rushlight::lazy {

/// Makes a new trace known to other threads. Call with the lock held.
void register_trace(const std::shared_ptr<Trace>& trace);

}  // namespace rushlight::lazy
