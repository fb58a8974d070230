// Shared by the files of the recorder: the lock, and this thread's open trace.
#pragma once

#include <mutex>
#include <optional>
#include <span>

#include "lazy/pending.h"
#include "runtime/eager.h"

namespace rushlight::lazy {

/// Guards all traces and every storage's deferred contents.
std::mutex& state_mutex();
/// Guards what is remembered about programs: plans, graphs, why they were compiled. Taken last.
std::mutex& notes_mutex();
/// The trace this thread records into; made when it is needed. Call with the lock held.
const std::shared_ptr<Trace>& open_trace();
/// The trace this thread has open, or null.
std::shared_ptr<Trace> current_trace();

/// A storage that a trace will give contents, and the value that these are.
struct Target {
  StoragePtr storage;
  ValueId value;
};
/// Those of a trace that are alive. Call with the lock held.
std::vector<Target> targets_of(const std::shared_ptr<Trace>& trace);
/// `compute` for the recorder's own needs: no read of a value by the program.
void settle(const Tensor& tensor);
/// Runs a trace, or waits for the thread that does. Without the lock.
void run(const std::shared_ptr<Trace>& trace);
/// Runs every open trace that has yet to read the memory of `storage`. Without the lock.
void run_readers(const StoragePtr& storage);

/// Tensors for a trace's values `wanted`, call by call; null where an operator that they need
/// failed, and then `error` is the first failure.
std::vector<Tensor> interpret(const Trace& trace, std::span<const ValueId> wanted,
                              std::exception_ptr& error);
/// The same through a plan; throws if it fails anywhere.
std::vector<Tensor> run_compiled(const Trace& trace, std::span<const ValueId> wanted);

/// A trace's plan, made now or found, for runs on other contents of the same layout.
struct Compiled;
std::shared_ptr<Compiled> compiled_for(const Trace& trace, std::span<const ValueId> wanted);
/// `inputs` and `numbers` in the trace's order.
std::vector<Tensor> run_plan(Compiled& compiled, std::span<const Trace::Input> inputs,
                             std::span<const Argument> numbers);
/// Forgets all plans that nobody is using.
void forget_programs();
struct ProgramFacts {
  Hash key;
  int64_t calls, steps, arena_bytes;
};
/// Those remembered, the latest used first.
std::vector<ProgramFacts> programs();

/// Records an in-place operator as a new current value of the storages it writes; nothing if it
/// has to run now.
std::optional<CallResult> record_write(const OpDef& op, std::span<const Argument> args);
/// Records a functional operator on tensors whose contents are known to this trace.
std::optional<CallResult> record_call(const OpDef& op, std::span<const Argument> args);
/// The value of `tensor` in the open trace. Call with the lock held, after `settle_operands`.
ValueId value_of(Trace& trace, const Tensor& tensor);
/// Whether the operands can be values of the open trace. Unsettled: another trace has to compute
/// one, it cannot be seen through a value, or it failed. Exposed: the call has to run now.
enum class Operands : uint8_t { Ready, Unsettled, Exposed };
/// Call with the lock held.
Operands look_at(std::span<const Argument> args);
/// Computes operands until they are ready or exposed; holds the lock when it returns.
Operands settle(std::span<const Argument> args, std::unique_lock<std::mutex>& lock);

}  // namespace rushlight::lazy
