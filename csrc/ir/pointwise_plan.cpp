#include "pointwise_plan.h"

#include "ir/shape/rules.h"

namespace rushlight {
namespace {

const Tensor* tensor_of(const Argument& a) {
  const auto* t = std::get_if<const Tensor*>(&a);
  return t ? *t : nullptr;
}

// The condition of where and the mask of masked_fill select; they take no part in promotion.
bool is_mask(const ArgumentSpec& spec) { return spec.name == "condition" || spec.name == "mask"; }

std::string_view base_name(const OpDef& op) {
  const size_t from = op.name.find('.') + 1;
  return op.name.substr(from, op.name.rfind('.') - from);
}

std::string_view string_argument(const OpDef& op, std::span<const Argument> args) {
  for (size_t i = 0; i < op.arguments.size(); ++i)
    if (op.arguments[i].type == ArgType::Str)
      if (const auto* s = std::get_if<std::string>(&args[i])) return *s;
  return "";
}

DType promoted_dtype(const OpDef& op, std::span<const Argument> args, std::string_view string) {
  std::array<const Argument*, 8> chosen;
  size_t n = 0;
  for (uint8_t i : op.operands)
    if (!is_none(args[i]) && !is_mask(op.arguments[i])) chosen[n++] = &args[i];
  RL_ASSERT(n > 0 && op.operands.size() <= 4, op.name);
  if (op.pointwise.compute == ComputeRule::First) n = 1;
  const DType t = result_type({chosen.data(), n});
  const bool to_float = op.pointwise.compute == ComputeRule::PromoteFloat ||
                        (op.pointwise.compute == ComputeRule::PromoteDiv && string.empty());
  return to_float ? rules::to_float(t) : t;
}

TileParams parameters(const OpDef& op, std::span<const Argument> args) {
  TileParams params;
  RL_ASSERT(op.parameters.size() <= params.values.size(), op.name);
  for (size_t i = 0; i < op.parameters.size(); ++i) {
    const Argument& a = args[op.parameters[i]];
    params.present[i] = !is_none(a);
    params.values[i] = params.present[i] ? unpack<Scalar>::from(a) : Scalar(__builtin_nan(""));
  }
  return params;
}

Dims broadcast_all(const OpDef& op, std::span<const Argument> args) {
  Dims sizes;
  bool first = true;
  for (uint8_t i : op.operands) {
    const Tensor* t = tensor_of(args[i]);
    if (!t) continue;
    sizes = first ? t->sizes : broadcast(sizes, t->sizes);
    first = false;
  }
  return sizes;
}

// Less than zero: dimension a varies faster than b; zero: the operands do not tell.
int compare_dims(size_t a, size_t b, IntList sizes, std::span<const TensorMeta* const> operands) {
  for (const TensorMeta* t : operands) {
    const size_t lead = sizes.size() - t->sizes.size();
    const auto stride = [&](size_t d) -> int64_t {
      if (d < lead || (t->sizes[d - lead] == 1 && sizes[d] != 1)) return 0;
      return t->strides[d - lead] * item_size(t->dtype);
    };
    const int64_t x = stride(a), y = stride(b);
    if (x == 0 || y == 0) continue;
    if (x != y) return x < y ? -1 : 1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

}  // namespace

Dims pointwise_strides(IntList sizes, std::span<const TensorMeta* const> operands,
                       bool all_tensors) {
  const size_t rank = sizes.size();
  if (rank < 2) return contiguous_strides(sizes);
  const Dims wanted(sizes);
  bool same_sizes = all_tensors, contiguous = true, channels_last = rank == 4, equal = true;
  for (const TensorMeta* t : operands) {
    same_sizes = same_sizes && t->sizes == wanted;
    if (!same_sizes) break;
    contiguous = contiguous && t->is_contiguous();
    channels_last = channels_last && t->is_contiguous(MemoryFormat::ChannelsLast);
    equal = equal && t->strides == operands[0]->strides;
  }
  if (same_sizes) {
    if (contiguous) return contiguous_strides(sizes);
    if (channels_last) return strides_for(sizes, MemoryFormat::ChannelsLast);
    if (equal && operands[0]->is_non_overlapping_and_dense()) return operands[0]->strides;
  }
  // Insertion sort of the dimensions, fastest first, that stops where operands do not tell.
  Dims order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(rank - 1 - i);
  for (size_t i = 1; i < rank; ++i) {
    size_t moving = i;
    for (size_t j = i; j-- > 0;) {
      const int c = compare_dims(static_cast<size_t>(order[j]), static_cast<size_t>(order[moving]),
                                 sizes, operands);
      if (c < 0) break;
      if (c > 0) {
        std::swap(order[j], order[moving]);
        moving = j;
      }
    }
  }
  Dims strides(rank);
  int64_t step = 1;
  for (int64_t d : order) {
    strides[static_cast<size_t>(d)] = step;
    step *= std::max<int64_t>(sizes[static_cast<size_t>(d)], 1);
  }
  return strides;
}

namespace {

DType output_dtype(const OpDef& op, DType promoted) {
  switch (op.pointwise.result) {
    case ResultRule::Bool:
      return DType::Bool;
    case ResultRule::Real:
      return real_type(promoted);
    case ResultRule::Complex:
      return compute_dtype(promoted) == DType::Float64 ? DType::Complex128 : DType::Complex64;
    case ResultRule::Same:
      break;
  }
  return promoted;
}

}  // namespace

TensorMeta pointwise_meta(const OpDef& op, std::span<const Argument> args) {
  const std::string_view string = string_argument(op, args);
  const DType promoted = promoted_dtype(op, args, string);
  const std::string_view name = base_name(op);
  check_pointwise(name, op, args, promoted);
  RL_CHECK(op.pointwise.select(compute_dtype(promoted), string), NotImplemented, '"', name,
           "\" not implemented for '", scalar_type_name(promoted), "'");
  std::array<const TensorMeta*, 4> tensors;
  size_t count = 0;
  for (uint8_t i : op.operands)
    if (const Tensor* t = tensor_of(args[i])) tensors[count++] = t;
  TensorMeta out;
  out.dtype = output_dtype(op, promoted);
  out.sizes = broadcast_all(op, args);
  out.strides = pointwise_strides(out.sizes, {tensors.data(), count}, count == op.operands.size());
  return out;
}

PointwiseCall plan_pointwise(const OpDef& op, std::span<const Argument> args) {
  const std::string_view name = base_name(op);
  const std::string_view string = string_argument(op, args);
  const DType promoted = promoted_dtype(op, args, string);
  check_pointwise(name, op, args, promoted);

  PointwiseCall call;
  PointwiseStep step{};
  step.compute = compute_dtype(promoted);
  step.fn = op.pointwise.select(step.compute, string);
  RL_CHECK(step.fn, NotImplemented, '"', name, "\" not implemented for '",
           scalar_type_name(promoted), "'");
  step.params = parameters(op, args);
  step.params.dtype = promoted;
  step.inputs = static_cast<uint8_t>(op.operands.size());

  std::array<const TensorMeta*, 4> tensors;
  size_t count = 0;
  call.program.operands.reserve(op.operands.size());
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const int position = op.operands[i];
    const Argument& a = args[op.operands[i]];
    PointwiseProgram::Operand operand{std::nullopt, step.compute, kLiteral};
    if (is_mask(op.arguments[op.operands[i]])) {
      step.masks |= static_cast<uint8_t>(1 << i);
      operand.dtype = DType::Bool;
    }
    if (const Tensor* t = tensor_of(a)) {
      tensors[count++] = t;
      call.tensor_args.push_back(position);
    } else if (is_none(a)) {
      step.params.absent_operands |= static_cast<uint8_t>(1 << i);
      operand.constant = Scalar(0);
    } else {
      operand.constant = unpack<Scalar>::from(a);
    }
    step.in[i] = static_cast<uint8_t>(i);
    call.program.operands.push_back(operand);
  }

  step.result = output_dtype(op, step.compute);
  call.program.steps.push_back(step);
  call.program.outputs.push_back(static_cast<uint8_t>(op.operands.size()));
  call.out.dtype = output_dtype(op, promoted);
  call.out.sizes = broadcast_all(op, args);
  call.out.strides =
      pointwise_strides(call.out.sizes, {tensors.data(), count}, count == op.operands.size());
  return call;
}

}  // namespace rushlight
