#include "outline.h"

#include <algorithm>

#include "lazy/structure.h"

namespace rushlight::lazy {
namespace {

std::string name_of(const Outline::Step& step) {
  return step.op ? std::string(step.op->name) : std::string(kScatterView);
}

std::string subject_of(const Outline& outline, const Outline::Input& input) {
  if (input.call >= outline.steps.size()) return "an input";
  const Outline::Step& step = outline.steps[input.call];
  if (!step.op) return input.argument == 0 ? "the tensor written" : "what is written";
  const std::string argument = input.argument < step.op->arguments.size()
                                   ? std::string(step.op->arguments[input.argument].name)
                                   : "an argument";
  return argument + " of " + name_of(step);
}

std::string layout(const TensorMeta& meta) { return detail::concat("strides ", meta.strides); }

// An input that differs in `what` reports, among those first used by the first `calls` calls.
template <class F>
bool differing_input(const Outline& before, const Outline& now, size_t calls, Reason reason,
                     Compilation& why, F&& text) {
  const size_t n = std::min(before.inputs.size(), now.inputs.size());
  for (size_t i = 0; i < n; ++i) {
    const Outline::Input &a = before.inputs[i], &b = now.inputs[i];
    if (a.call != b.call || a.argument != b.argument || b.call > calls) continue;
    why.before = text(a.meta);
    why.after = text(b.meta);
    if (why.before == why.after) continue;
    why.reason = reason;
    why.subject = subject_of(now, b);
    why.location = b.call < now.steps.size() ? now.steps[b.call].location : 0;
    return true;
  }
  return false;
}

bool differing_integer(const Outline& before, const Outline& now, Compilation& why) {
  if (before.integers.size() != now.integers.size()) return false;
  const auto [a, b] =
      std::mismatch(before.integers.begin(), before.integers.end(), now.integers.begin());
  if (a == before.integers.end()) return false;
  const auto at = static_cast<uint32_t>(a - before.integers.begin());
  const auto step = std::find_if(now.steps.begin(), now.steps.end(),
                                 [&](const Outline::Step& s) { return s.integers > at; });
  why.reason = Reason::Argument;
  why.before = std::to_string(*a);
  why.after = std::to_string(*b);
  if (step != now.steps.end()) {
    why.subject = "an integer argument of " + name_of(*step);
    why.location = step->location;
  }
  return true;
}

void differing_results(const Outline& before, const Outline& now, Compilation& why) {
  why.reason = Reason::Results;
  why.before = std::to_string(before.wanted.size()) + " results";
  why.after = std::to_string(now.wanted.size()) + " results";
  std::vector<ValueId> a = before.wanted, b = now.wanted, changed;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(),
                                std::back_inserter(changed));
  if (changed.empty()) return;
  const auto after = std::upper_bound(now.outputs.begin(), now.outputs.end(), changed[0]);
  if (after == now.outputs.begin()) return;
  const Outline::Step& step = now.steps[static_cast<size_t>(after - now.outputs.begin()) - 1];
  why.subject = "the result of " + name_of(step);
  why.location = step.location;
  const bool alive = std::binary_search(b.begin(), b.end(), changed[0]);
  why.before = alive ? "not needed" : "needed";
  why.after = alive ? "needed" : "not needed";
}

void differing_node(const Outline& before, const Outline& now, size_t at, Compilation& why) {
  why.reason = Reason::Node;
  why.before = at < before.steps.size() ? name_of(before.steps[at]) : "the end of the trace";
  why.after = at < now.steps.size() ? name_of(now.steps[at]) : "the end of the trace";
  const Outline::Step& step = now.steps[std::min(at, now.steps.size() - 1)];
  why.subject = name_of(step);
  why.location = step.location;
  if (why.before == why.after) why.after += " with other arguments or at another line";
}

}  // namespace

Outline::Outline(const Trace& trace, std::span<const ValueId> wanted)
    : wanted(wanted.begin(), wanted.end()) {
  std::vector<int32_t> input_of(trace.values().size(), -1);
  for (const Trace::Input& input : trace.inputs()) {
    input_of[static_cast<size_t>(input.value)] = static_cast<int32_t>(inputs.size());
    inputs.push_back({trace.meta(input.value), UINT32_MAX, 0});
  }
  for (const Call& call : trace.calls()) {
    const auto index = static_cast<uint32_t>(steps.size());
    const auto sources = trace.sources(call);
    const auto use = [&](const Source& s, size_t argument) {
      const int32_t i = s.kind == Source::Kind::Value ? input_of[static_cast<size_t>(s.index)] : -1;
      if (i < 0 || inputs[static_cast<size_t>(i)].call != UINT32_MAX) return;
      inputs[static_cast<size_t>(i)].call = index;
      inputs[static_cast<size_t>(i)].argument = static_cast<uint8_t>(argument);
    };
    for (size_t k = 0; k < sources.size(); ++k) {
      use(sources[k], k);
      if (sources[k].kind == Source::Kind::List)
        for (const Source& item : trace.list(sources[k])) use(item, k);
      if (sources[k].kind != Source::Kind::Literal) continue;
      const Argument& literal = trace.literals()[static_cast<size_t>(sources[k].index)];
      if (const auto* i = std::get_if<int64_t>(&literal)) integers.push_back(*i);
      if (const auto* dims = std::get_if<Dims>(&literal))
        integers.insert(integers.end(), dims->begin(), dims->end());
    }
    steps.push_back({call.op, call.location, structure_of(trace, call).a,
                     static_cast<uint32_t>(integers.size())});
    outputs.push_back(call.first_output);
  }
}

size_t Outline::common_prefix(const Outline& other) const {
  const size_t n = std::min(steps.size(), other.steps.size());
  for (size_t i = 0; i < n; ++i)
    if (steps[i].op != other.steps[i].op || steps[i].location != other.steps[i].location) return i;
  return n;
}

void compare(const Outline& before, const Outline& now, Compilation& why) {
  const size_t same = before.common_prefix(now);
  if (differing_input(before, now, same, Reason::DType, why,
                      [](const TensorMeta& m) { return std::string(dtype_name(m.dtype)); }))
    return;
  if (differing_input(before, now, same, Reason::Size, why,
                      [](const TensorMeta& m) { return detail::concat(m.sizes); }))
    return;
  if (same < std::max(before.steps.size(), now.steps.size()))
    return differing_node(before, now, same, why);
  if (differing_input(before, now, same, Reason::Layout, why, layout)) return;
  for (size_t i = 0; i < now.steps.size(); ++i)
    if (now.steps[i].structure != before.steps[i].structure)
      return differing_node(before, now, i, why);
  if (differing_integer(before, now, why)) return;
  if (before.wanted != now.wanted) return differing_results(before, now, why);
  why.reason = Reason::Forgotten;
}

}  // namespace rushlight::lazy
