// Records operator calls instead of running them, and runs what was recorded when somebody looks.
//
// Each thread records into a trace of its own. A storage may be used by any thread: using what
// another thread has recorded runs that thread's trace first. One lock guards the traces and what
// storages defer; it is never held while kernels run.
#pragma once

#include <optional>
#include <span>

#include "runtime/eager.h"

namespace rushlight::lazy {

/// Runs or records `op`, as the recorder finds better: calls that have to look at data, and those
/// on memory that others can see, run at once. Shapes, dtypes and arguments are checked now; an
/// error in the data itself is raised when the values are needed.
CallResult call(const OpDef& op, std::span<const Argument> args);

/// Gives a tensor its contents and its address. Throws what an operator that they need threw.
void compute(const Tensor& tensor);
/// The same, and whatever this process has recorded from this tensor's memory is run: from now on
/// others may change it.
void compute_for_others(const Tensor& tensor);
/// Runs everything that this thread has recorded.
void flush();
/// Runs everything that any thread has recorded.
void flush_all();

/// Switches recording on or off for this thread; returns what it was.
bool set_recording(bool on);
bool is_recording();

/// While kernels run: how the caller's interpreter lets other threads go on.
struct Yield {
  void* (*release)();
  void (*acquire)(void* state);
};
void set_yield(Yield yield);

}  // namespace rushlight::lazy
