#include "eager.h"

#include "ir/alias.h"
#include "ir/custom_op.h"
#include "ir/pointwise_plan.h"
#include "ir/shape/rules.h"
#include "kernels/copy.h"
#include "runtime/expression.h"

namespace rushlight {
namespace {

Tensor call_pointwise(const OpDef& op, std::span<const Argument> args) {
  const PointwiseCall call = plan_pointwise(op, args);
  Tensor out = Tensor::empty(call.out);
  std::vector<const Tensor*> inputs;
  for (int i : call.tensor_args)
    inputs.push_back(&unpack<Tensor>::from(args[static_cast<size_t>(i)]));
  Tensor* outs[] = {&out};
  run_pointwise(call.program, inputs, outs);
  return out;
}

std::vector<Tensor> run_kernel(const OpDef& op, std::span<const Argument> args,
                               const std::vector<TensorMeta>& metas) {
  std::vector<Tensor> tensors;
  tensors.reserve(metas.size());
  for (const TensorMeta& meta : metas)
    tensors.push_back(is_data_dependent(meta) ? Tensor() : Tensor::empty(meta));
  std::vector<Tensor*> outs;
  for (Tensor& t : tensors) outs.push_back(&t);
  op.compute(args, outs, Epilogue{});
  return tensors;
}

// The tensor an operator views: its first argument.
const Tensor& viewed(const OpDef& op, std::span<const Argument> args) {
  RL_ASSERT(!args.empty(), op.name, " views nothing");
  return unpack<Tensor>::from(args[0]);
}

void write_back(const OpDef& op, const Tensor& value, const Tensor& self) {
  RL_CHECK(value.sizes == self.sizes, Runtime, "output with shape ", self.sizes,
           " doesn't match the broadcast shape ", value.sizes);
  RL_CHECK(category(value.dtype) <= category(self.dtype), Runtime, op.name, ": result type ",
           dtype_name(value.dtype), " can't be cast to the desired output type ",
           dtype_name(self.dtype));
  if (value.raw() != self.raw()) kernels::copy_strided(value, self);
}

CallResult call_in_place(const OpDef& op, std::span<const Argument> args) {
  const OpDef* functional = find_op(op.functional);
  RL_ASSERT(functional, op.functional, " is missing");
  for (uint8_t i : op.written)
    RL_CHECK(is_none(args[i]) || !unpack<Tensor>::from(args[i]).storage()->read_only(), Runtime,
             op.name, "(): the output tensor is read-only memory");
  RL_CHECK(functional->pointwise.result != ResultRule::Real ||
               !is_complex(unpack<Tensor>::from(args[0]).dtype),
           Runtime, "In-place ", op.name, " is not supported for complex tensors.");
  CallResult result = functional->arguments.size() == args.size()
                          ? call_op(*functional, args)
                          : call_op(*functional, renamed(op, args, *functional));
  if (functional->kind == OpKind::View) return result;
  const size_t fresh = result.tensors.size() - op.written.size();
  for (size_t i = 0; i < op.written.size(); ++i) {
    if (is_none(args[op.written[i]])) continue;
    const Tensor& self = unpack<Tensor>::from(args[op.written[i]]);
    write_back(op, result.tensors.at(fresh + i), self);
    result.tensors[fresh + i] = self;
  }
  // Returned are either new tensors or the written ones; no operator returns both.
  if (fresh > 0) result.tensors.resize(fresh);
  return result;
}

}  // namespace

std::vector<Tensor> call_kernel(const OpDef& op, std::span<const Argument> args) {
  if (op.kind == OpKind::Pointwise) return {call_pointwise(op, args)};
  if (op.custom && op.kind == OpKind::Dynamic) {
    std::vector<Tensor> tensors = op.custom->allocate(args);
    RL_CHECK(op.returns_list || tensors.size() == static_cast<size_t>(op.returns), Runtime, op.name,
             ": the function gave ", tensors.size(), " tensors, the schema says ", op.returns);
    return tensors;
  }
  if (op.kind == OpKind::Dynamic) {
    std::vector<Tensor> tensors(static_cast<size_t>(op.returns));
    std::vector<Tensor*> outs;
    for (Tensor& t : tensors) outs.push_back(&t);
    op.compute(args, outs, Epilogue{});
    return tensors;
  }
  std::vector<TensorMeta> metas(static_cast<size_t>(op.returns));
  op.infer(args, metas);
  if (op.kind == OpKind::View) {
    std::vector<Tensor> views;
    for (const TensorMeta& meta : metas) views.push_back(viewed(op, args).view(meta));
    return views;
  }
  if (op.may_alias && metas.size() == 1 && !asks_for_copy(op, args)) {
    const Tensor& self = viewed(op, args);
    if (const auto view = alias_instead_of_copy(self, metas[0])) return {self.view(*view)};
  }
  return run_kernel(op, args, metas);
}

CallResult call_op(const OpDef& op, std::span<const Argument> args) {
  for (const Argument& a : args)
    if (const auto* t = std::get_if<const Tensor*>(&a))
      RL_ASSERT(!*t || !(*t)->storage() || (*t)->storage()->data() || !(*t)->storage()->deferred(),
                op.name, ": an operand has no contents yet");
  if (const OpDef& twin = resolve_training(op, args); &twin != &op) {
    CallResult result = call_op(twin, renamed(op, args, twin));
    result.tensors.resize(std::min<size_t>(result.tensors.size(), static_cast<size_t>(op.returns)));
    return result;
  }
  switch (op.kind) {
    case OpKind::Scalar:
      return {{}, op.give_number(args)};
    case OpKind::Check:
      op.compute(args, {}, Epilogue{});
      return {};
    case OpKind::Composite:
      return evaluate_expression(op, args);
    case OpKind::InPlace:
      return call_in_place(op, args);
    default:
      return {call_kernel(op, args), {}};
  }
}

}  // namespace rushlight
