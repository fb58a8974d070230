// Plans of traces, by hash: a trace seen before only runs.
#include <list>
#include <unordered_map>

#include "lazy/history.h"
#include "lazy/limits.h"
#include "lazy/metrics.h"
#include "lazy/state.h"
#include "lazy/structure.h"
#include "runtime/frame.h"

namespace rushlight::lazy {

struct Compiled {
  std::shared_ptr<const GeneralGraph> program;
  std::shared_ptr<const Plan> plan;
  std::unique_ptr<Frame> idle;
};

namespace {

// A frame with a larger arena is not kept for the next call.
constexpr size_t kMostIdleBytes = size_t{256} << 20;

// Guarded by notes_mutex.
struct Cache {
  std::list<std::pair<Hash, std::shared_ptr<Compiled>>> programs;  // the latest used first
  std::unordered_map<Hash, decltype(programs)::iterator, HashOfHash> by_hash;
  /// Graphs by structure; they live as long as a plan of theirs.
  std::unordered_map<Hash, std::weak_ptr<const GeneralGraph>, HashOfHash> graphs;
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

// The graph of the trace's structure, and whether it was there already.
std::pair<std::shared_ptr<const GeneralGraph>, bool> graph_of(const Trace& trace,
                                                              std::span<const ValueId> wanted) {
  const Hash structure = structure_of(trace, wanted);
  {
    std::lock_guard lock(notes_mutex());
    const auto it = cache().graphs.find(structure);
    if (it != cache().graphs.end())
      if (auto known = it->second.lock()) return {std::move(known), true};
  }
  auto graph = std::make_shared<const GeneralGraph>(to_general_graph(trace, wanted));
  std::lock_guard lock(notes_mutex());
  auto& graphs = cache().graphs;
  if (static_cast<int64_t>(graphs.size()) > 2 * limit(Limit::Programs))
    std::erase_if(graphs, [](const auto& entry) { return entry.second.expired(); });
  graphs[structure] = graph;
  return {std::move(graph), false};
}

std::shared_ptr<Compiled> compile(const Trace& trace, std::span<const ValueId> wanted,
                                  const Hash& key) {
  Timed timed(Timer::Compile);
  auto compiled = std::make_shared<Compiled>();
  bool known = false;
  std::tie(compiled->program, known) = graph_of(trace, wanted);
  if (known) timed.set(Timer::Replan);
  const GeneralGraph& program = *compiled->program;
  const Graph& graph = program.graph;
  std::vector<PlanInput> inputs;
  for (size_t i = 0; i < trace.inputs().size(); ++i) {
    const Tensor meta(trace.inputs()[i].tensor, nullptr, nullptr);
    inputs.push_back({graph.inputs[i], Place::Bound, meta});
  }
  for (size_t i = 0; i < trace.numbers().size(); ++i)
    if (const ValueId v = program.numbers[i]; v != kNoValue)
      inputs.push_back({v, Place::None, {}, trace.numbers()[i]});
  for (const IntegerUse& use : program.integers)
    inputs.push_back({use.value, Place::None, {}, integer_at(trace, use)});
  compiled->plan = make_plan(graph, inputs);
  count(known ? Counter::Replans : Counter::Compilations);
  note_compilation(trace, wanted, known, timed.seconds(), key);
  return compiled;
}

std::shared_ptr<Compiled> find(const Hash& key) {
  Cache& c = cache();
  std::lock_guard lock(notes_mutex());
  const auto it = c.by_hash.find(key);
  if (it == c.by_hash.end()) return nullptr;
  c.programs.splice(c.programs.begin(), c.programs, it->second);
  return it->second->second;
}

void remember(const Hash& key, const std::shared_ptr<Compiled>& compiled) {
  std::shared_ptr<Compiled> oldest;  // let go of without the lock
  Cache& c = cache();
  std::lock_guard lock(notes_mutex());
  if (c.by_hash.contains(key)) return;
  c.programs.emplace_front(key, compiled);
  c.by_hash[key] = c.programs.begin();
  if (static_cast<int64_t>(c.programs.size()) <= limit(Limit::Programs)) return;
  oldest = std::move(c.programs.back().second);
  c.by_hash.erase(c.programs.back().first);
  c.programs.pop_back();
}

std::unique_ptr<Frame> borrow(Compiled& compiled) {
  {
    std::lock_guard lock(notes_mutex());
    if (compiled.idle) return std::move(compiled.idle);
  }
  return std::make_unique<Frame>(compiled.plan, compiled.program->graph,
                                 std::span<const std::pair<Slot, Tensor>>{});
}

void give_back(Compiled& compiled, std::unique_ptr<Frame> frame) {
  frame->clear();
  if (compiled.plan->arena_bytes > kMostIdleBytes) return;
  std::lock_guard lock(notes_mutex());
  compiled.idle.swap(frame);
}

}  // namespace

std::shared_ptr<Compiled> compiled_for(const Trace& trace, std::span<const ValueId> wanted) {
  const Hash key = key_of(trace, wanted);
  if (auto known = find(key)) {
    count(Counter::CachedRuns);
    return known;
  }
  auto compiled = compile(trace, wanted, key);
  remember(key, compiled);
  return compiled;
}

std::vector<Tensor> run_plan(Compiled& compiled, std::span<const Trace::Input> inputs,
                             std::span<const Argument> numbers) {
  const GeneralGraph& program = *compiled.program;
  std::unique_ptr<Frame> frame = borrow(compiled);
  for (size_t i = 0; i < inputs.size(); ++i) frame->bind(program.graph.inputs[i], inputs[i].tensor);
  for (size_t i = 0; i < numbers.size(); ++i)
    if (const ValueId v = program.numbers[i]; v != kNoValue) frame->set_number(v, numbers[i]);
  frame->run();
  std::vector<Tensor> out;
  for (ValueId v : program.graph.outputs) out.push_back(frame->tensor(v));
  give_back(compiled, std::move(frame));
  return out;
}

std::vector<Tensor> run_compiled(const Trace& trace, std::span<const ValueId> wanted) {
  return run_plan(*compiled_for(trace, wanted), trace.inputs(), trace.numbers());
}

void forget_programs() {
  decltype(Cache::programs) programs;  // let go of without the lock
  std::lock_guard lock(notes_mutex());
  programs.swap(cache().programs);
  cache().by_hash.clear();
  cache().graphs.clear();
}

std::vector<ProgramFacts> programs() {
  std::lock_guard lock(notes_mutex());
  std::vector<ProgramFacts> out;
  for (const auto& [key, compiled] : cache().programs)
    out.push_back({key, static_cast<int64_t>(compiled->program->graph.nodes.size()),
                   static_cast<int64_t>(compiled->plan->steps.size()),
                   static_cast<int64_t>(compiled->plan->arena_bytes)});
  return out;
}

}  // namespace rushlight::lazy
