#include "capture.h"

#include <algorithm>
#include <utility>

#include "lazy/apart.h"
#include "lazy/location.h"
#include "lazy/recorder.h"
#include "lazy/state.h"

namespace rushlight::lazy {
namespace {

struct Capture {
  std::shared_ptr<Trace> trace;
  bool strict = false;
  std::string obstacle;
};
thread_local std::unique_ptr<Capture> t_capture;
thread_local bool t_active = true;

void meet(std::string obstacle) {
  Capture& capture = *t_capture;
  const std::string where = location_text(current_location());
  if (!where.empty()) obstacle = where + ": " + obstacle;
  if (capture.obstacle.empty()) capture.obstacle = obstacle;
  RL_CHECK(!capture.strict, Runtime, obstacle);
}

// Bytes from the first to the end of the last element.
int64_t extent(const TensorMeta& meta) {
  if (meta.numel() == 0) return 0;
  int64_t last = 0;
  for (size_t d = 0; d < meta.sizes.size(); ++d) last += (meta.sizes[d] - 1) * meta.strides[d];
  return (last + 1) * item_size(meta.dtype);
}

// Sorts out whose memory is whose after a function has returned.
class Sorter {
 public:
  Sorter(Replay& replay, const Trace& trace, std::span<const Tensor> arguments)
      : replay_(replay), trace_(trace), arguments_(arguments) {}

  void add_arguments() {
    for (const Tensor& t : arguments_) {
      const auto same =
          std::find_if(arguments_.begin(), arguments_.end(),
                       [&](const Tensor& other) { return other.storage() == t.storage(); });
      replay_.arguments.push_back({t, static_cast<int32_t>(same - arguments_.begin()), false,
                                   t.byte_offset(), static_cast<int64_t>(t.storage()->nbytes())});
    }
  }

  // The argument or captured tensor with this storage.
  Replay::Owner owner_of(const Tensor& tensor) {
    for (size_t k = 0; k < arguments_.size(); ++k)
      if (arguments_[k].storage() == tensor.storage())
        return {Replay::Owner::Kind::Argument, static_cast<int32_t>(k)};
    auto& captured = replay_.captured;
    const auto it = std::find_if(captured.begin(), captured.end(),
                                 [&](const Tensor& c) { return c.storage() == tensor.storage(); });
    const auto index = static_cast<int32_t>(it - captured.begin());
    if (it == captured.end()) captured.push_back(tensor);
    return {Replay::Owner::Kind::Captured, index};
  }

  // Bytes from the owner's first element; notes when the owner's place in its storage matters.
  int64_t offset_in(const Replay::Owner& owner, const Tensor& tensor) {
    const auto index = static_cast<size_t>(owner.index);
    if (owner.kind != Replay::Owner::Kind::Argument)
      return tensor.byte_offset() - replay_.captured[index].byte_offset();
    const Tensor& argument = arguments_[index];
    const int64_t offset = tensor.byte_offset() - argument.byte_offset();
    if (offset < 0 || offset + extent(tensor) > extent(argument))
      replay_.arguments[index].exact = true;
    return offset;
  }

  void add_inputs() {
    for (const Trace::Input& input : trace_.inputs()) {
      const Replay::Owner owner = owner_of(input.tensor);
      replay_.inputs.push_back(
          {owner, input.tensor, offset_in(owner, input.tensor), line_of(input.value)});
    }
  }

  uint32_t line_of(ValueId value) const {
    for (const Call& call : trace_.calls())
      for (const Source& s : trace_.sources(call)) {
        if (s.kind == Source::Kind::Value && s.index == value) return call.location;
        if (s.kind == Source::Kind::List)
          for (const Source& item : trace_.list(s))
            if (item.kind == Source::Kind::Value && item.index == value) return call.location;
      }
    return 0;
  }

 private:
  Replay& replay_;
  const Trace& trace_;
  std::span<const Tensor> arguments_;
};

// Nobody gets what the trace would compute.
void drop(const std::shared_ptr<Trace>& trace) {
  const auto error = std::make_exception_ptr(
      Error(ErrorKind::Runtime, "this tensor was made while a function was exported: no value"));
  std::vector<std::unique_ptr<Deferred>> settled;  // let go of without the lock
  std::vector<Trace::Input> inputs;
  std::vector<Target> targets;
  std::lock_guard lock(state_mutex());
  if (trace->state != Trace::State::Open) return;
  targets = targets_of(trace);
  for (const Target& target : targets) {
    if (target.storage->data())
      settled.push_back(target.storage->settle());
    else
      pending_of(*target.storage)->error = error;
  }
  trace->state = Trace::State::Done;
  std::swap(inputs, trace->inputs());
}

// Runs or drops the trace at the end of a scope.
class Finish {
 public:
  Finish(std::shared_ptr<Trace> trace, bool run) : trace_(std::move(trace)), run_(run) {}
  Finish(const Finish&) = delete;
  Finish& operator=(const Finish&) = delete;
  ~Finish() noexcept(false) {
    if (run_)
      flush();
    else
      drop(trace_);
  }

 private:
  std::shared_ptr<Trace> trace_;
  bool run_;
};

uint32_t line_that_made(const Trace& trace, ValueId value) {
  uint32_t line = 0;
  for (const Call& call : trace.calls())
    if (call.first_output <= value) line = call.location;
  return line;
}

}  // namespace

bool is_capturing() { return t_active && t_capture; }
bool set_capture_active(bool on) { return std::exchange(t_active, on); }

void begin_capture(bool strict) {
  RL_CHECK(!t_capture, Runtime, "this thread captures a function already");
  flush();
  auto capture = std::make_unique<Capture>();
  {
    std::lock_guard lock(state_mutex());
    capture->trace = open_trace();
    RL_ASSERT(capture->trace->empty());
  }
  capture->strict = strict;
  t_capture = std::move(capture);
}

void abandon_capture() {
  t_capture.reset();
  flush();
}

void notice_read(const Tensor&) {
  if (is_capturing() && t_capture->obstacle.empty())
    meet("the value of a tensor is read here: what follows may depend on it");
}

void notice_eager(const OpDef& op) {
  if (!is_capturing() || !t_capture->obstacle.empty()) return;
  meet(detail::concat(
      op.name, op.random ? " draws random numbers" : " cannot be recorded: it runs at once"));
}

CaptureResult end_capture(std::span<const Tensor> arguments, std::span<const Tensor> results,
                          bool run) {
  RL_CHECK(t_capture, Runtime, "this thread captures nothing");
  const std::unique_ptr<Capture> capture = std::move(t_capture);
  const std::shared_ptr<Trace>& trace = capture->trace;
  const Finish finish(trace, run);
  CaptureResult out;
  out.obstacle = capture->obstacle;
  if (out.obstacle.empty() && trace->state != Trace::State::Open)
    out.obstacle = "a part of the function had to run before its end";
  if (!out.obstacle.empty()) return out;
  auto replay = std::make_shared<Replay>();
  replay->hash = trace->hash();
  replay->numbers.assign(trace->numbers().begin(), trace->numbers().end());
  Sorter sorter(*replay, *trace, arguments);
  sorter.add_arguments();
  sorter.add_inputs();

  std::vector<Target> targets;
  {
    std::lock_guard lock(state_mutex());
    targets = targets_of(trace);
  }
  std::vector<ValueId> wanted;
  std::vector<Replay::Owner> owners;
  for (const Target& target : targets) {
    const auto is_same = [&](const Tensor& t) { return t.storage() == target.storage; };
    const bool given = std::any_of(arguments.begin(), arguments.end(), is_same);
    const bool returned = std::any_of(results.begin(), results.end(), is_same);
    if (!given && !returned && !target.storage->data()) {
      const std::string where = location_text(line_that_made(*trace, target.value));
      out.obstacle = (where.empty() ? "" : where + ": ") +
                     "a tensor made here is kept, but not returned: replaying would not store it";
      return out;
    }
    const auto value = static_cast<int32_t>(wanted.size());
    wanted.push_back(target.value);
    replay->values.push_back(trace->meta(target.value));
    Replay::Owner owner{Replay::Owner::Kind::Value, value};
    if (given || target.storage->data()) {
      const Tensor whole(trace->meta(target.value), target.storage, target.storage->data());
      owner = sorter.owner_of(whole);
      replay->writes.push_back({owner, value, sorter.offset_in(owner, whole)});
    }
    owners.push_back(owner);
  }
  for (const Tensor& result : results) {
    const auto it = std::find_if(targets.begin(), targets.end(),
                                 [&](const Target& t) { return t.storage == result.storage(); });
    Replay::Owner owner;
    int64_t offset = result.byte_offset();
    if (it != targets.end()) owner = owners[static_cast<size_t>(it - targets.begin())];
    if (it == targets.end() || owner.kind != Replay::Owner::Kind::Value) {
      owner = sorter.owner_of(result);
      offset = sorter.offset_in(owner, result);
    }
    replay->results.push_back({owner, result, offset});
  }
  if (!wanted.empty()) {
    try {
      replay->compiled = compiled_for(*trace, wanted);
      auto graph = std::make_shared<TraceGraph>(to_graph(*trace, wanted));
      replay->lines = lines_of(*trace, *graph);
      replay->graph = std::move(graph);
    } catch (const Error& error) {
      out.obstacle = error.what();
    }
  }
  if (out.obstacle.empty()) out.replay = std::move(replay);
  return out;
}

}  // namespace rushlight::lazy
