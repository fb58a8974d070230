// What has been recorded and not run: calls of operators over values, in program order.
//
// A trace is pure: a write gives a storage another current value (lazy/writes.cpp). Values are
// inputs (tensors that have memory) or outputs of calls. Numbers that may change from step to step
// are kept apart from literals, so that `x * 0.1` and `x * 0.2` are one program.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/argument.h"
#include "ir/graph.h"
#include "lazy/hash.h"

namespace rushlight::lazy {

/// Where an argument of a recorded call comes from.
struct Source {
  enum class Kind : uint8_t { Value, Number, Literal, List };
  Kind kind = Kind::Literal;
  int32_t index = 0;  // the value, number or literal; List: the first of `count` sources
  int32_t count = 0;
};

struct Call {
  const OpDef* op = nullptr;  // null: a scatter of (base, source, sizes, strides, offset)
  uint32_t first_source = 0;
  uint32_t sources = 0;
  ValueId first_output = 0;
  uint32_t outputs = 0;
  uint32_t location = 0;  // see lazy/location.h
};

class Trace {
 public:
  struct Input {
    ValueId value;
    Tensor tensor;
  };
  enum class State : uint8_t { Open, Running, Done };

  /// The value of a tensor with memory.
  ValueId add_input(const Tensor& tensor);
  /// The part of `base` with the layout `meta`, `offset` elements from its start.
  ValueId add_view(ValueId base, const TensorMeta& meta, int64_t offset);
  /// Records a call; tensors among the arguments are named by `values`, in order of appearance.
  /// Returns the first of its outputs.
  ValueId add_call(const OpDef& op, std::span<const Argument> args, std::span<const ValueId> values,
                   std::span<const TensorMeta> outputs);
  /// Records that `source` replaces the part `region` (with its `view_offset`) of `base`.
  ValueId add_scatter(ValueId base, ValueId source, const TensorMeta& region);

  /// Empty and open again; memory of a trace of ordinary length is kept for the next one.
  void reset();

  const TensorMeta& meta(ValueId v) const { return values_[static_cast<size_t>(v)]; }
  bool empty() const { return calls_.empty(); }
  /// Bytes of all outputs recorded: what running call by call would allocate.
  int64_t bytes() const { return bytes_; }
  const Hash& hash() const { return hash_; }
  std::span<const Call> calls() const { return calls_; }
  std::span<Call> calls() { return calls_; }
  std::span<const TensorMeta> values() const { return values_; }
  std::span<const Source> sources(const Call& call) const {
    return std::span(sources_).subspan(call.first_source, call.sources);
  }
  std::span<const Source> list(const Source& source) const {
    return std::span(sources_).subspan(static_cast<size_t>(source.index),
                                       static_cast<size_t>(source.count));
  }
  std::span<const Argument> literals() const { return literals_; }
  std::span<const Argument> numbers() const { return numbers_; }
  std::vector<Input>& inputs() { return inputs_; }
  const std::vector<Input>& inputs() const { return inputs_; }

  // Kept by the recorder.
  State state = State::Open;
  std::thread::id runner;        // while Running
  std::optional<size_t> cut_at;  // calls after which it runs by itself; see lazy/barrier.h
  std::vector<std::weak_ptr<Storage>> storages;  // those that this trace may have to fill

 private:
  Source source(const ArgumentSpec& spec, const Argument& argument, const ValueId*& next);
  Source literal(const Argument& argument);
  ValueId add_value(const TensorMeta& meta);
  void mix(const Source& source);
  void mix(const TensorMeta& meta);

  std::vector<Call> calls_;
  std::vector<Source> sources_;
  std::vector<TensorMeta> values_;
  std::vector<Argument> literals_, numbers_;
  std::vector<Input> inputs_;
  std::vector<std::pair<ValueId, ValueId>> views_;  // base and view, the latest last
  std::vector<int64_t> view_offsets_;
  int64_t bytes_ = 0;
  Hash hash_;
};

/// Calls `f(const Tensor&)` for every tensor among the arguments.
template <class F>
void for_each_tensor(std::span<const Argument> args, F&& f) {
  for (const Argument& a : args) {
    if (const auto* t = std::get_if<const Tensor*>(&a)) {
      if (*t) f(**t);
    } else if (const auto* list = std::get_if<std::vector<const Tensor*>>(&a)) {
      for (const Tensor* t : *list)
        if (t) f(*t);
    }
  }
}

/// A trace as a graph. Its numbers are inputs after the tensors; what no output needs is left out.
struct TraceGraph {
  Graph graph;
  std::vector<ValueId> numbers;  // by number of the trace; kNoValue if nobody needs it
};
/// The name of a call's node in that graph.
inline std::string node_name(const Call& call) { return "v" + std::to_string(call.first_output); }
TraceGraph to_graph(const Trace& trace, std::span<const ValueId> outputs);

}  // namespace rushlight::lazy
