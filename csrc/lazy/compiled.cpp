// Plans of traces, by hash: a trace seen before only runs.
#include <list>
#include <unordered_map>

#include "lazy/metrics.h"
#include "lazy/state.h"
#include "runtime/frame.h"

namespace rushlight::lazy {
namespace {

// Programs remembered, the latest used first.
constexpr size_t kMostPrograms = 512;
// A frame with a larger arena is not kept for the next call.
constexpr size_t kMostIdleBytes = size_t{256} << 20;

struct Compiled {
  TraceGraph program;
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<Frame> idle;
};

struct Cache {
  std::mutex mutex;
  std::list<std::pair<Hash, std::shared_ptr<Compiled>>> programs;
  std::unordered_map<Hash, decltype(programs)::iterator, HashOfHash> by_hash;
};

Cache& cache() {
  static auto* const c = new Cache();
  return *c;
}

Hash key_of(const Trace& trace, std::span<const ValueId> wanted) {
  Hash key = trace.hash();
  for (ValueId v : wanted) key.mix(static_cast<uint64_t>(v));
  return key;
}

std::shared_ptr<Compiled> compile(const Trace& trace, std::span<const ValueId> wanted) {
  auto compiled = std::make_shared<Compiled>();
  compiled->program = to_graph(trace, wanted);
  const Graph& graph = compiled->program.graph;
  std::vector<PlanInput> inputs;
  for (size_t i = 0; i < trace.inputs().size(); ++i) {
    const Tensor meta(trace.inputs()[i].tensor, nullptr, nullptr);
    inputs.push_back({graph.inputs[i], Place::Bound, meta});
  }
  for (size_t i = 0; i < trace.numbers().size(); ++i)
    if (const ValueId v = compiled->program.numbers[i]; v != kNoValue)
      inputs.push_back({v, Place::None, {}, trace.numbers()[i]});
  compiled->plan = make_plan(graph, inputs);
  count(Counter::Compilations);
  return compiled;
}

std::shared_ptr<Compiled> find(const Hash& key) {
  Cache& c = cache();
  std::lock_guard lock(c.mutex);
  const auto it = c.by_hash.find(key);
  if (it == c.by_hash.end()) return nullptr;
  c.programs.splice(c.programs.begin(), c.programs, it->second);
  return it->second->second;
}

void remember(const Hash& key, const std::shared_ptr<Compiled>& compiled) {
  std::shared_ptr<Compiled> oldest;  // let go of without the lock
  Cache& c = cache();
  std::lock_guard lock(c.mutex);
  if (c.by_hash.contains(key)) return;
  c.programs.emplace_front(key, compiled);
  c.by_hash[key] = c.programs.begin();
  if (c.programs.size() <= kMostPrograms) return;
  oldest = std::move(c.programs.back().second);
  c.by_hash.erase(c.programs.back().first);
  c.programs.pop_back();
}

std::unique_ptr<Frame> borrow(Compiled& compiled) {
  {
    std::lock_guard lock(cache().mutex);
    if (compiled.idle) return std::move(compiled.idle);
  }
  return std::make_unique<Frame>(compiled.plan, compiled.program.graph,
                                 std::span<const std::pair<Slot, Tensor>>{});
}

void give_back(Compiled& compiled, std::unique_ptr<Frame> frame) {
  frame->clear();
  if (compiled.plan->arena_bytes > kMostIdleBytes) return;
  std::lock_guard lock(cache().mutex);
  compiled.idle.swap(frame);
}

}  // namespace

std::vector<Tensor> run_compiled(const Trace& trace, std::span<const ValueId> wanted) {
  const Hash key = key_of(trace, wanted);
  std::shared_ptr<Compiled> compiled = find(key);
  if (compiled) {
    count(Counter::CachedRuns);
  } else {
    compiled = compile(trace, wanted);
    remember(key, compiled);
  }
  const Graph& graph = compiled->program.graph;
  std::unique_ptr<Frame> frame = borrow(*compiled);
  for (size_t i = 0; i < trace.inputs().size(); ++i)
    frame->bind(graph.inputs[i], trace.inputs()[i].tensor);
  for (size_t i = 0; i < trace.numbers().size(); ++i)
    if (const ValueId v = compiled->program.numbers[i]; v != kNoValue)
      frame->set_number(v, trace.numbers()[i]);
  frame->run();
  std::vector<Tensor> out;
  for (ValueId v : graph.outputs) out.push_back(frame->tensor(v));
  give_back(*compiled, std::move(frame));
  return out;
}

}  // namespace rushlight::lazy
