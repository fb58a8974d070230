#include "recorder.h"

#include <utility>

#include "ir/alias.h"
#include "ir/custom_op.h"
#include "ir/pointwise_plan.h"
#include "ir/shape/rules.h"
#include "lazy/apart.h"
#include "lazy/barrier.h"
#include "lazy/capture.h"
#include "lazy/location.h"
#include "lazy/metrics.h"
#include "lazy/registry.h"
#include "lazy/state.h"
#include "lazy/yield.h"
#include "runtime/expression.h"

namespace rushlight::lazy {
namespace {

// Looked up at every call: in the thread's own block of memory.
#define RL_FAST_THREAD_LOCAL [[gnu::tls_model("initial-exec")]] thread_local
RL_FAST_THREAD_LOCAL std::shared_ptr<Trace> t_trace;
RL_FAST_THREAD_LOCAL bool t_recording = true;

bool is_whole(const TensorMeta& base, const Tensor& t) {
  return t.byte_offset() == 0 && base.same_layout(t);
}

// Elements from which the interpreter's other threads may go on meanwhile.
constexpr int64_t kWorthYieldingOnce = 4096;

bool worth_yielding(const OpDef& op, std::span<const Argument> args) {
  int64_t elements = 0;
  bool creates = true;
  for_each_tensor(args, [&](const Tensor& t) {
    elements += t.numel();
    creates = false;
  });
  return op.kind != OpKind::Scalar && (creates || elements >= kWorthYieldingOnce);
}

// Runs a call now, on operands that have their contents.
CallResult call_now(const OpDef& op, std::span<const Argument> args) {
  if (reads_metadata_only(op)) return {{}, op.scalar(args)};
  notice_eager(op);
  for_each_tensor(args, [](const Tensor& t) { settle(t); });
  if (op.kind == OpKind::InPlace) {
    // Whoever has recorded reads of this memory wants what it holds now.
    if (t_trace) run(t_trace);
    for (uint8_t i : op.written)
      if (!is_none(args[i])) run_readers(unpack<Tensor>::from(args[i]).storage());
  }
  count_eager(op);
  const Yielding yielding(worth_yielding(op, args));
  return call_op(op, args);
}

CallResult view(const OpDef& op, std::span<const Argument> args, const TensorMeta& meta) {
  RL_ASSERT(!args.empty(), op.name, " views nothing");
  return {{unpack<Tensor>::from(args[0]).view(meta)}, {}};
}

// A view is only another way to look at a storage, whether that has its contents or not.
CallResult call_view(const OpDef& op, std::span<const Argument> args) {
  std::vector<TensorMeta> metas(static_cast<size_t>(op.returns));
  op.infer(args, metas);
  CallResult result;
  for (const TensorMeta& meta : metas)
    result.tensors.push_back(unpack<Tensor>::from(args[0]).view(meta));
  return result;
}

std::optional<CallResult> record(const OpDef& op, std::span<const Argument> args) {
  if (op.custom && op.custom->runs_at_call && !is_capturing()) return std::nullopt;
  switch (op.kind) {
    case OpKind::Pointwise:
    case OpKind::Kernel:
      return record_call(op, args);
    case OpKind::InPlace:
      return record_write(op, args);
    default:
      return std::nullopt;
  }
}

}  // namespace

const std::shared_ptr<Trace>& open_trace() {
  if (t_trace && t_trace->state == Trace::State::Open) return t_trace;
  // Others get at a trace with the lock held only: one that nobody else has can be used again.
  if (t_trace && t_trace->state == Trace::State::Done && t_trace.use_count() == 1)
    t_trace->reset();
  else
    t_trace = std::make_shared<Trace>();
  register_trace(t_trace);
  return t_trace;
}

std::shared_ptr<Trace> current_trace() { return t_trace; }

ValueId value_of(Trace& trace, const Tensor& tensor) {
  const Pending* pending = pending_of(*tensor.storage());
  if (!pending) return trace.add_input(tensor);
  const ValueId base = pending->value;
  if (is_whole(trace.meta(base), tensor)) return base;
  return trace.add_view(base, tensor, tensor.storage_offset());
}

Operands look_at(std::span<const Argument> args) {
  Operands found = Operands::Ready;
  for_each_tensor(args, [&](const Tensor& t) {
    const Storage& storage = *t.storage();
    const Pending* pending = pending_of(storage);
    if (!pending) {
      const_cast<Tensor&>(t).locate();
      if (storage.exposed() && !is_capturing()) found = Operands::Exposed;
    } else if (found == Operands::Ready && (pending->error || pending->trace != t_trace ||
                                            t_trace->state != Trace::State::Open ||
                                            t_trace->meta(pending->value).dtype != t.dtype)) {
      found = Operands::Unsettled;
    }
  });
  return found;
}

Operands settle(std::span<const Argument> args, std::unique_lock<std::mutex>& lock) {
  Operands found = look_at(args);
  while (found == Operands::Unsettled) {
    lock.unlock();
    for_each_tensor(args, [](const Tensor& t) { settle(t); });
    lock.lock();
    found = look_at(args);
  }
  return found;
}

std::optional<CallResult> record_call(const OpDef& op, std::span<const Argument> args) {
  if (op.random) return std::nullopt;
  std::array<TensorMeta, 1> one;
  std::vector<TensorMeta> many;
  std::span<const TensorMeta> metas = one;
  if (op.kind == OpKind::Pointwise) {
    one[0] = pointwise_meta(op, args);
  } else {
    many.resize(static_cast<size_t>(op.returns));
    op.infer(args, many);
    metas = many;
    if (op.may_alias && many.size() == 1 && !asks_for_copy(op, args))
      if (const auto alias = alias_instead_of_copy(unpack<Tensor>::from(args[0]), many[0]))
        return view(op, args, *alias);
  }
  for (const TensorMeta& meta : metas)
    if (is_data_dependent(meta) || checked_numel(meta.sizes) == 0) return std::nullopt;
  std::unique_lock lock(state_mutex());
  if (settle(args, lock) == Operands::Exposed) return std::nullopt;
  const std::shared_ptr<Trace>& trace = open_trace();
  std::array<ValueId, 16> few;
  std::vector<ValueId> more;
  size_t n = 0;
  for_each_tensor(args, [&](const Tensor& t) {
    const ValueId v = value_of(*trace, t);
    if (n < few.size())
      few[n] = v;
    else if (n == few.size())
      more.assign(few.begin(), few.end());
    if (n >= few.size()) more.push_back(v);
    ++n;
  });
  const ValueId first =
      trace->add_call(op, args, more.empty() ? std::span(few.data(), n) : std::span(more), metas);
  locate(*trace);
  CallResult result;
  result.tensors.reserve(metas.size());
  for (size_t i = 0; i < metas.size(); ++i) {
    StoragePtr storage = Storage::defer(
        static_cast<size_t>(metas[i].nbytes()),
        std::make_unique<Pending>(trace, static_cast<ValueId>(static_cast<size_t>(first) + i)));
    trace->storages.push_back(storage);
    result.tensors.emplace_back(metas[i], std::move(storage), nullptr);
  }
  count(Counter::RecordedCalls);
  return result;
}

CallResult call(const OpDef& op, std::span<const Argument> args) {
  if (!t_recording) return call_now(op, args);
  if (t_trace && is_full(*t_trace) && !is_capturing()) {
    count(Counter::AutomaticBarriers);
    run(t_trace);
  }
  if (!op.training.empty()) {
    if (const OpDef& twin = resolve_training(op, args); &twin != &op) {
      CallResult result = call(twin, renamed(op, args, twin));
      result.tensors.resize(
          std::min<size_t>(result.tensors.size(), static_cast<size_t>(op.returns)));
      return result;
    }
  }
  if (op.kind == OpKind::View) return call_view(op, args);
  if (op.kind == OpKind::Composite) return evaluate_expression(op, args, &call);
  if (auto recorded = record(op, args)) return std::move(*recorded);
  return call_now(op, args);
}

Apart::Apart() : outer_(std::exchange(t_trace, nullptr)), captured_(set_capture_active(false)) {}
Apart::~Apart() {
  t_trace = std::move(outer_);
  set_capture_active(captured_);
}

bool set_recording(bool on) { return std::exchange(t_recording, on); }
bool is_recording() { return t_recording; }

}  // namespace rushlight::lazy
