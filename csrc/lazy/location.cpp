#include "location.h"

#include <unordered_map>

#include "lazy/state.h"

namespace rushlight::lazy {
namespace {

// Programs remembered; beyond that all are forgotten and lines are looked up again.
constexpr size_t kMostLines = 200000;

Locator g_locator{};  // set once, while the module is imported
// The line of the last call of every beginning of a trace; guarded by the recorder's lock.
std::unordered_map<Hash, uint32_t, HashOfHash>& lines() {
  static auto* const map = new std::unordered_map<Hash, uint32_t, HashOfHash>();
  return *map;
}

}  // namespace

void set_locator(Locator locator) { g_locator = locator; }

void locate(Trace& trace) {
  if (!g_locator.now) return;
  auto& known = lines();
  if (known.size() > kMostLines) known.clear();
  const auto [it, is_new] = known.try_emplace(trace.hash(), 0);
  if (is_new) it->second = g_locator.now();
  trace.calls().back().location = it->second;
}

void forget_lines() {
  std::lock_guard lock(state_mutex());
  lines().clear();
}

uint32_t current_location() { return g_locator.now ? g_locator.now() : 0; }

std::vector<std::string> lines_of(const Trace& trace, const TraceGraph& graph) {
  std::vector<std::string> lines;
  const auto calls = trace.calls();
  size_t i = 0;
  for (const Node& node : graph.graph.nodes) {
    while (i < calls.size() && node.name != node_name(calls[i])) ++i;
    lines.push_back(i < calls.size() ? location_text(calls[i].location) : "");
  }
  return lines;
}

std::string location_text(uint32_t location) {
  return location && g_locator.text ? g_locator.text(location) : "";
}

}  // namespace rushlight::lazy
