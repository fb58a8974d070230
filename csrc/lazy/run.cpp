// Runs traces: which storages get which values, and who waits for whom.
#include <pthread.h>

#include <algorithm>
#include <condition_variable>

#include "kernels/copy.h"
#include "lazy/capture.h"
#include "lazy/metrics.h"
#include "lazy/recorder.h"
#include "lazy/registry.h"
#include "lazy/state.h"
#include "lazy/yield.h"

namespace rushlight::lazy {
namespace {

struct Shared {
  std::mutex mutex, notes;
  std::condition_variable done;
  std::vector<std::weak_ptr<Trace>> traces;
};

Shared& shared() {
  static auto* const s = new Shared();  // threads may outlive static destructors
  return *s;
}

// A fork must not happen while another thread holds the lock; what other threads were running
// is run again by the child when it needs it.
void before_fork() {
  shared().mutex.lock();
  shared().notes.lock();
}
void after_fork_in_parent() {
  shared().notes.unlock();
  shared().mutex.unlock();
}
void after_fork_in_child() {
  for (const auto& weak : shared().traces)
    if (const auto trace = weak.lock())
      if (trace->state == Trace::State::Running) trace->state = Trace::State::Open;
  // Waiting threads are gone; the condition variable may remember them.
  new (&shared().done) std::condition_variable();
  after_fork_in_parent();
}

bool is_shared_with(const Tensor& tensor, const Trace& trace, std::span<const Tensor> earlier) {
  for (const Trace::Input& input : trace.inputs())
    if (input.tensor.storage() == tensor.storage()) return true;
  for (const Tensor& t : earlier)
    if (t.storage() == tensor.storage()) return true;
  return false;
}

// The values of a trace, each with memory of its own; an undefined tensor where it failed.
std::vector<Tensor> values_for(const Trace& trace, const std::vector<Target>& targets,
                               std::exception_ptr& error) {
  std::vector<ValueId> wanted;
  for (const Target& target : targets) wanted.push_back(target.value);
  std::vector<Tensor> values;
  if (trace.calls().size() > 1) {
    try {
      values = run_compiled(trace, wanted);
    } catch (...) {
      // Call by call, so that only what needs the failing call is lost.
      count(Counter::Failures);
    }
  }
  if (values.empty()) {
    count(Counter::Interpretations);
    values = interpret(trace, wanted, error);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].defined()) continue;
    const TensorMeta& recorded = trace.meta(wanted[i]);
    RL_ASSERT(values[i].dtype == recorded.dtype && values[i].sizes == recorded.sizes, "recorded ",
              describe(recorded), ", computed ", describe(values[i]));
    if (values[i].strides == recorded.strides &&
        !is_shared_with(values[i], trace, std::span(values).first(i)))
      continue;
    Tensor own = Tensor::empty(recorded);
    kernels::copy_strided(values[i], own);
    values[i] = std::move(own);
  }
  return values;
}

// Puts the value into the memory that the storage already has.
void write_back(const Trace& trace, const Target& target, const Tensor& value) {
  const TensorMeta& meta = trace.meta(target.value);
  kernels::copy_strided(value, Tensor(meta, target.storage, target.storage->data()));
}

}  // namespace

std::mutex& state_mutex() { return shared().mutex; }
std::mutex& notes_mutex() { return shared().notes; }

std::vector<Target> targets_of(const std::shared_ptr<Trace>& trace) {
  std::vector<Target> targets;
  for (const auto& weak : trace->storages) {
    StoragePtr storage = weak.lock();
    if (!storage) continue;
    const Pending* pending = pending_of(*storage);
    if (pending && pending->trace == trace) targets.push_back({std::move(storage), pending->value});
  }
  return targets;
}

void register_trace(const std::shared_ptr<Trace>& trace) {
  static const bool prepared = [] {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    return true;
  }();
  (void)prepared;
  auto& traces = shared().traces;
  std::erase_if(traces, [&](const std::weak_ptr<Trace>& weak) {
    const auto known = weak.lock();
    return !known || known == trace || known->state == Trace::State::Done;
  });
  traces.push_back(trace);
}

void run(const std::shared_ptr<Trace>& trace) {
  std::vector<Target> targets;
  std::unique_lock lock(state_mutex());
  if (trace->state == Trace::State::Running) {
    RL_CHECK(trace->runner != std::this_thread::get_id(), Runtime,
             "a custom operator reads a tensor that is computed together with its result: pass it "
             "as an argument");
    lock.unlock();
    const Yielding yielding(true);
    lock.lock();
    shared().done.wait(lock, [&] { return trace->state != Trace::State::Running; });
    lock.unlock();  // whoever has the interpreter may be waiting for it
    return;
  }
  if (trace->state == Trace::State::Done) return;
  trace->state = Trace::State::Running;
  trace->runner = std::this_thread::get_id();
  targets = targets_of(trace);
  lock.unlock();
  count(Counter::Runs);
  const Timed timed(Timer::Run);

  std::exception_ptr error;
  std::vector<Tensor> values;
  {
    const Yielding yielding(trace->bytes() / 4 >= kWorthYielding);
    if (!targets.empty()) values = values_for(*trace, targets, error);
    for (size_t i = 0; i < targets.size(); ++i)
      if (targets[i].storage->data() && values[i].defined())
        write_back(*trace, targets[i], values[i]);
  }

  // What is let go of may belong to Python, so it goes after the lock.
  std::vector<std::unique_ptr<Deferred>> settled;
  std::vector<Trace::Input> inputs;
  bool lost_write = false;
  lock.lock();
  for (size_t i = 0; i < targets.size(); ++i) {
    Storage& storage = *targets[i].storage;
    if (values[i].defined()) {
      if (!storage.data()) storage.take_memory(*values[i].storage());
      settled.push_back(storage.settle());
    } else if (storage.data()) {
      lost_write = true;  // the memory keeps what it held
      settled.push_back(storage.settle());
    } else {
      pending_of(storage)->error = error;
    }
  }
  trace->state = Trace::State::Done;
  std::swap(inputs, trace->inputs());
  lock.unlock();
  shared().done.notify_all();
  if (lost_write) std::rethrow_exception(error);
}

void run_readers(const StoragePtr& storage) {
  std::vector<std::shared_ptr<Trace>> readers;
  {
    std::lock_guard lock(state_mutex());
    for (const auto& weak : shared().traces) {
      auto trace = weak.lock();
      if (!trace || trace->state == Trace::State::Done || trace == current_trace()) continue;
      if (trace->state == Trace::State::Running && trace->runner == std::this_thread::get_id())
        continue;
      for (const Trace::Input& input : trace->inputs())
        if (input.tensor.storage() == storage) {
          readers.push_back(std::move(trace));
          break;
        }
    }
  }
  for (const auto& trace : readers) run(trace);
}

void compute(const Tensor& tensor) {
  notice_read(tensor);
  settle(tensor);
}

void settle(const Tensor& tensor) {
  if (!tensor.storage()) return;
  Storage& storage = *tensor.storage();
  while (storage.deferred()) {
    std::shared_ptr<Trace> trace;
    {
      std::lock_guard lock(state_mutex());
      const Pending* pending = pending_of(storage);
      if (!pending) break;
      if (pending->error) std::rethrow_exception(pending->error);
      trace = pending->trace;
    }
    run(trace);
  }
  // The address was an offset while there was no memory.
  const_cast<Tensor&>(tensor).locate();
}

void compute_for_others(const Tensor& tensor) {
  compute(tensor);
  if (!tensor.storage()) return;
  if (const auto trace = current_trace(); trace && !trace->empty()) run(trace);
  run_readers(tensor.storage());
}

void flush() {
  if (const auto trace = current_trace()) run(trace);
}

void flush_all() {
  std::vector<std::shared_ptr<Trace>> traces;
  {
    std::lock_guard lock(state_mutex());
    for (const auto& weak : shared().traces)
      if (auto trace = weak.lock()) traces.push_back(std::move(trace));
  }
  for (const auto& trace : traces) run(trace);
}

}  // namespace rushlight::lazy
