#include "eager.h"

#include "ir/alias.h"
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
  op.kernel(args, outs, Epilogue{});
  return tensors;
}

// The tensor an operator views: its first argument.
const Tensor& viewed(const OpDef& op, std::span<const Argument> args) {
  RL_ASSERT(!args.empty(), op.name, " views nothing");
  return unpack<Tensor>::from(args[0]);
}

}  // namespace

std::vector<Tensor> call_kernel(const OpDef& op, std::span<const Argument> args) {
  if (op.kind == OpKind::Pointwise) return {call_pointwise(op, args)};
  if (op.kind == OpKind::Dynamic) {
    std::vector<Tensor> tensors(static_cast<size_t>(op.returns));
    std::vector<Tensor*> outs;
    for (Tensor& t : tensors) outs.push_back(&t);
    op.kernel(args, outs, Epilogue{});
    return tensors;
  }
  std::vector<TensorMeta> metas(static_cast<size_t>(op.returns));
  op.shape(args, metas);
  if (op.kind == OpKind::View) {
    std::vector<Tensor> views;
    for (const TensorMeta& meta : metas) views.push_back(viewed(op, args).view(meta));
    return views;
  }
  if (op.may_alias && metas.size() == 1) {
    const Tensor& self = viewed(op, args);
    if (const auto view = alias_instead_of_copy(self, metas[0])) return {self.view(*view)};
  }
  return run_kernel(op, args, metas);
}

CallResult call_op(const OpDef& op, std::span<const Argument> args) {
  switch (op.kind) {
    case OpKind::Scalar:
      return {{}, op.scalar(args)};
    case OpKind::Check:
      op.kernel(args, {}, Epilogue{});
      return {};
    case OpKind::Composite:
      return evaluate_expression(op, args);
    case OpKind::InPlace: {
      const OpDef* functional = find_op(op.functional);
      RL_ASSERT(functional, op.functional, " is missing");
      const Tensor& self = unpack<Tensor>::from(args[0]);
      RL_CHECK(!self.storage()->read_only(), Runtime, op.name,
               "(): the output tensor is read-only memory");
      CallResult result = call_op(*functional, args);
      const Tensor& value = result.tensors.at(0);
      if (functional->kind == OpKind::View) return result;
      RL_CHECK(value.sizes == self.sizes, Runtime, "output with shape ", self.sizes,
               " doesn't match the broadcast shape ", value.sizes);
      RL_CHECK(category(value.dtype) <= category(self.dtype), Runtime, "result type ",
               dtype_name(value.dtype), " can't be cast to the desired output type ",
               dtype_name(self.dtype));
      if (value.raw() != self.raw()) kernels::copy_strided(value, self);
      return {{self}, {}};
    }
    default:
      return {call_kernel(op, args), {}};
  }
}

}  // namespace rushlight
