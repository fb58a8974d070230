#include "snapshot.h"

#include <algorithm>

#include "lazy/location.h"
#include "lazy/state.h"

namespace rushlight::lazy {
namespace {

using Owner = Replay::Owner;

void add_input(Snapshot& snapshot, const Tensor& tensor) {
  const auto index = static_cast<int32_t>(snapshot.inputs.size());
  const auto same =
      std::find_if(snapshot.inputs.begin(), snapshot.inputs.end(),
                   [&](const Tensor& other) { return other.storage() == tensor.storage(); });
  snapshot.replay->arguments.push_back({tensor,
                                        static_cast<int32_t>(same - snapshot.inputs.begin()), false,
                                        tensor.byte_offset(), 0});
  snapshot.replay->inputs.push_back({{Owner::Kind::Argument, index}, tensor, 0, 0});
  snapshot.inputs.push_back(tensor);
}

Snapshot snapshot_of(const std::shared_ptr<Trace>& trace, std::span<const Tensor> tensors,
                     bool compile) {
  Snapshot out;
  out.replay = std::make_shared<Replay>();
  Replay& replay = *out.replay;
  std::vector<ValueId> wanted;
  for (const Tensor& t : tensors) {
    const ValueId value = pending_of(*t.storage())->value;
    const auto it = std::find(wanted.begin(), wanted.end(), value);
    const auto index = static_cast<int32_t>(it - wanted.begin());
    if (it == wanted.end()) {
      wanted.push_back(value);
      replay.values.push_back(trace->meta(value));
    }
    replay.results.push_back({{Owner::Kind::Value, index}, t, t.byte_offset()});
  }
  for (const Trace::Input& input : trace->inputs()) add_input(out, input.tensor);
  replay.numbers.assign(trace->numbers().begin(), trace->numbers().end());
  auto graph = std::make_shared<TraceGraph>(to_graph(*trace, wanted));
  replay.lines = lines_of(*trace, *graph);
  replay.hash = out.hash = hash_of(graph->graph);
  replay.graph = std::move(graph);
  if (compile) replay.compiled = compiled_for(*trace, wanted);
  return out;
}

}  // namespace

bool is_pending(const Tensor& tensor) {
  return tensor.storage() && tensor.storage()->deferred() != nullptr;
}

std::vector<Snapshot> snapshots(std::span<const Tensor> tensors, bool compile) {
  std::vector<std::pair<std::shared_ptr<Trace>, std::vector<Tensor>>> by_trace;
  std::lock_guard lock(state_mutex());
  for (const Tensor& t : tensors) {
    const Pending* pending = t.storage() ? pending_of(*t.storage()) : nullptr;
    if (!pending || pending->error || pending->trace->state != Trace::State::Open) continue;
    const auto it = std::find_if(by_trace.begin(), by_trace.end(),
                                 [&](const auto& entry) { return entry.first == pending->trace; });
    if (it == by_trace.end())
      by_trace.push_back({pending->trace, {t}});
    else
      it->second.push_back(t);
  }
  std::vector<Snapshot> out;
  for (const auto& [trace, wanted] : by_trace) out.push_back(snapshot_of(trace, wanted, compile));
  return out;
}

}  // namespace rushlight::lazy
