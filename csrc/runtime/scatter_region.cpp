#include "runtime/scatter_region.h"

#include "ir/alias.h"

namespace rushlight {

TensorMeta region_of(const Graph& region, const TensorMeta& base,
                     const std::vector<Argument>& numbers) {
  std::vector<Tensor> values(region.values.size());
  std::vector<Argument> inputs(region.values.size());
  std::vector<int64_t> offsets(region.values.size(), 0);
  values[static_cast<size_t>(region.inputs[0])] = Tensor(base, nullptr, nullptr);
  for (size_t i = 1; i < region.inputs.size(); ++i)
    inputs[static_cast<size_t>(region.inputs[i])] = numbers[i - 1];
  const auto resolve = [&](auto& self, const Operand& operand) -> Argument {
    if (operand.kind == Operand::Kind::Literal) return operand.literal;
    if (operand.kind == Operand::Kind::List) {
      Dims ints;
      for (const Operand& item : operand.items)
        ints.push_back(unpack<int64_t>::from(self(self, item)));
      return ints;
    }
    const auto v = static_cast<size_t>(operand.value);
    if (is_none(inputs[v])) return static_cast<const Tensor*>(&values[v]);
    return inputs[v];
  };
  for (const Node& node : region.nodes) {
    std::vector<Argument> args;
    for (const Operand& operand : node.operands) args.push_back(resolve(resolve, operand));
    std::vector<TensorMeta> metas(static_cast<size_t>(node.op->returns));
    node.op->infer(args, metas);
    const auto self = static_cast<size_t>(node.operands[0].value);
    if (node.op->may_alias) {
      const auto view = alias_instead_of_copy(values[self], metas[0]);
      RL_CHECK(view, Runtime, "the view of ", describe(values[self]),
               " that is written moves data");
      metas[0] = *view;
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      const auto out = static_cast<size_t>(node.outputs[i]);
      values[out] = Tensor(metas[i], nullptr, nullptr);
      offsets[out] = offsets[self] + metas[i].view_offset;
    }
  }
  const auto out = static_cast<size_t>(region.outputs[0]);
  TensorMeta result = values[out];
  result.view_offset = offsets[out];
  return result;
}

TensorMeta region_for(const Graph& region, const TensorMeta& base,
                      const std::vector<Argument>& numbers, const TensorMeta& source) {
  TensorMeta found = region_of(region, base, numbers);
  RL_CHECK(source.sizes == found.sizes, Runtime, "writes ", describe(source),
           " into a view of sizes ", found.sizes);
  return found;
}

TensorMeta scattered(const TensorMeta& base) {
  TensorMeta meta = base;
  if (!meta.is_non_overlapping_and_dense()) meta.strides = contiguous_strides(meta.sizes);
  return meta;
}

}  // namespace rushlight
