#include "structure.h"

#include <bit>

namespace rushlight::lazy {
namespace {

void mix_kind(Hash& hash, const TensorMeta& meta) {
  hash.mix(static_cast<uint64_t>(meta.dtype) << 8 | meta.sizes.size());
}

// Everything about a literal, or everything but the integers in it.
void mix_literal(Hash& hash, const Argument& literal, bool integers = false) {
  hash.mix(literal.index());
  std::visit(
      [&](const auto& v) {
        using V = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<V, bool> || std::is_same_v<V, DType> ||
                      std::is_same_v<V, MemoryFormat>)
          hash.mix(static_cast<uint64_t>(v));
        else if constexpr (std::is_same_v<V, double>)
          hash.mix(std::bit_cast<uint64_t>(v));
        else if constexpr (std::is_same_v<V, complex128>) {
          hash.mix(std::bit_cast<uint64_t>(v.real()));
          hash.mix(std::bit_cast<uint64_t>(v.imag()));
        } else if constexpr (std::is_same_v<V, std::string>) {
          hash.mix(std::string_view(v));
        } else if constexpr (std::is_same_v<V, std::vector<double>>) {
          hash.mix(v.size());
          for (double x : v) hash.mix(std::bit_cast<uint64_t>(x));
        } else if constexpr (std::is_same_v<V, std::vector<uint8_t>>) {
          hash.mix(v.size());
          for (uint8_t x : v) hash.mix(x);
        } else if constexpr (std::is_same_v<V, Dims>) {
          hash.mix(v.size());
          for (size_t i = 0; integers && i < v.size(); ++i) hash.mix(static_cast<uint64_t>(v[i]));
        } else if constexpr (std::is_same_v<V, int64_t>) {
          if (integers) hash.mix(static_cast<uint64_t>(v));
        }
      },
      literal);
}

void mix_source(Hash& hash, const Trace& trace, const Source& source) {
  hash.mix(static_cast<uint64_t>(source.kind));
  switch (source.kind) {
    case Source::Kind::Value:
      hash.mix(static_cast<uint64_t>(source.index));
      return;
    case Source::Kind::Number:
      hash.mix(trace.numbers()[static_cast<size_t>(source.index)].index());
      return;
    case Source::Kind::Literal:
      return mix_literal(hash, trace.literals()[static_cast<size_t>(source.index)]);
    case Source::Kind::List:
      hash.mix(static_cast<uint64_t>(source.count));
      for (const Source& item : trace.list(source)) mix_source(hash, trace, item);
  }
}

}  // namespace

Hash structure_of(const Trace& trace, const Call& call) {
  Hash hash;
  hash.mix(reinterpret_cast<uintptr_t>(call.op));
  for (const Source& source : trace.sources(call)) mix_source(hash, trace, source);
  for (uint32_t i = 0; i < call.outputs; ++i)
    mix_kind(hash, trace.meta(static_cast<ValueId>(static_cast<uint32_t>(call.first_output) + i)));
  return hash;
}

Hash structure_of(const Trace& trace, std::span<const ValueId> wanted) {
  Hash hash;
  for (const Trace::Input& input : trace.inputs()) {
    hash.mix(static_cast<uint64_t>(input.value));
    mix_kind(hash, trace.meta(input.value));
  }
  for (const Call& call : trace.calls()) {
    const Hash own = structure_of(trace, call);
    hash.mix(own.a);
    hash.mix(own.b);
  }
  for (ValueId v : wanted) hash.mix(static_cast<uint64_t>(v));
  return hash;
}

Hash hash_of(const Graph& graph) {
  Hash hash;
  const auto mix_operand = [&](auto& self, const Operand& operand) -> void {
    hash.mix(static_cast<uint64_t>(operand.kind));
    if (operand.kind == Operand::Kind::Literal) mix_literal(hash, operand.literal, true);
    if (operand.kind == Operand::Kind::Value) hash.mix(static_cast<uint64_t>(operand.value));
    hash.mix(operand.items.size());
    for (const Operand& item : operand.items) self(self, item);
  };
  for (const Value& value : graph.values) {
    hash.mix(static_cast<uint64_t>(value.type) << 8 | static_cast<uint64_t>(value.dtype));
    hash.mix(value.sizes.size());
    for (const SymbolicSize& size : value.sizes) hash.mix(static_cast<uint64_t>(size.hint));
  }
  for (const Node& node : graph.nodes) {
    hash.mix(std::string_view(node.target));
    for (const Operand& operand : node.operands) mix_operand(mix_operand, operand);
    for (const auto& inner : node.regions) {
      const Hash region = hash_of(*inner);
      hash.mix(region.a);
      hash.mix(region.b);
    }
  }
  for (ValueId v : graph.outputs) hash.mix(static_cast<uint64_t>(v));
  return hash;
}

int64_t integer_at(const Trace& trace, const IntegerUse& use) {
  const Argument& literal = trace.literals()[static_cast<size_t>(use.literal)];
  if (use.position < 0) return std::get<int64_t>(literal);
  return std::get<Dims>(literal)[use.position];
}

}  // namespace rushlight::lazy
