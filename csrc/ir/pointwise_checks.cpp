// Errors that single pointwise operators raise for arguments of a type they do not take.
#include "pointwise_plan.h"

namespace rushlight {
namespace {

const Argument& argument(const OpDef& op, std::span<const Argument> args, std::string_view name) {
  const int i = op.find_argument(name);
  RL_ASSERT(i >= 0, op.name, " has no argument ", name);
  return args[static_cast<size_t>(i)];
}

const Tensor* tensor_argument(const OpDef& op, std::span<const Argument> args,
                              std::string_view name) {
  const auto* t = std::get_if<const Tensor*>(&argument(op, args, name));
  return t ? *t : nullptr;
}

bool is_bool(const Argument& a) {
  if (const auto* t = std::get_if<const Tensor*>(&a)) return *t && (*t)->dtype == DType::Bool;
  return std::holds_alternative<bool>(a);
}

void check_alpha(const Argument& alpha, DType compute) {
  RL_CHECK(!std::holds_alternative<bool>(alpha) || compute == DType::Bool, Runtime,
           "Boolean alpha only supported for Boolean results.");
  RL_CHECK(!std::holds_alternative<double>(alpha) || category(compute) >= DTypeCategory::Float,
           Runtime,
           "For integral input tensors, argument alpha must not be a floating point number.");
  RL_CHECK(!std::holds_alternative<complex128>(alpha) || is_complex(compute), Runtime,
           "For non-complex input tensors, argument alpha must not be a complex number.");
}

void check_sub(const OpDef& op, std::span<const Argument> args) {
  const bool a = is_bool(argument(op, args, "self")), b = is_bool(argument(op, args, "other"));
  RL_CHECK(!(a && b), Runtime,
           "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
           "`logical_xor()` operator instead.");
  RL_CHECK(!a && !b, Runtime,
           "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
           "to invert a mask, use the `~` or `logical_not()` operator instead.");
}

void check_clamp(std::string_view name, const OpDef& op, std::span<const Argument> args,
                 DType compute) {
  if (name == "clamp" || name == "clip")
    RL_CHECK(!is_none(argument(op, args, "min")) || !is_none(argument(op, args, "max")), Runtime,
             "torch.clamp: At least one of 'min' or 'max' must not be None");
  RL_CHECK(!is_complex(compute), Runtime, name, " is not supported for complex types");
}

// Operators whose tensors must already share one dtype.
void check_same_dtype(std::string_view name, const OpDef& op, std::span<const Argument> args) {
  const Tensor* self = tensor_argument(op, args, "self");
  for (uint8_t i : op.operands) {
    const auto* t = std::get_if<const Tensor*>(&args[i]);
    if (!t || !*t) continue;
    RL_CHECK((*t)->dtype == self->dtype, Runtime, name, ": expected dtype ",
             scalar_type_name(self->dtype), " for `", op.arguments[i].name, "` but got dtype ",
             scalar_type_name((*t)->dtype));
  }
}

// Real and imaginary part have to be of one floating-point type already.
void check_parts(const OpDef& op, std::span<const Argument> args) {
  const auto* a = std::get_if<const Tensor*>(&args[0]);
  const auto* b = std::get_if<const Tensor*>(&args[1]);
  if (!a || !b) return;
  const auto is_part = [](DType t) { return is_floating(t) && t != DType::BFloat16; };
  RL_CHECK(is_part((*a)->dtype) && is_part((*b)->dtype), Runtime,
           "Expected both inputs to be Half, Float or Double tensors but got ",
           scalar_type_name((*a)->dtype), " and ", scalar_type_name((*b)->dtype));
  RL_CHECK((*a)->dtype == (*b)->dtype, Runtime, "Expected object of scalar type ",
           scalar_type_name((*a)->dtype), " but got scalar type ", scalar_type_name((*b)->dtype),
           " for second argument of ", op.name);
}

void check_mask(std::string_view name, const OpDef& op, std::span<const Argument> args) {
  if (name == "where") {
    const Tensor* c = tensor_argument(op, args, "condition");
    RL_CHECK(c->dtype == DType::Bool || c->dtype == DType::UInt8, Runtime,
             "where expected condition to be a boolean tensor, but got a tensor with dtype ",
             scalar_type_name(c->dtype));
    return;
  }
  const Tensor* mask = tensor_argument(op, args, "mask");
  const Tensor* self = tensor_argument(op, args, "self");
  const Argument& fill = argument(op, args, "value");
  const auto* number = std::get_if<complex128>(&fill);
  const Tensor* tensor = tensor_argument(op, args, "value");
  RL_CHECK(is_complex(self->dtype) ||
               !((number && number->imag() != 0) || (tensor && is_complex(tensor->dtype))),
           Runtime, "value cannot be converted to type ", dtype_name(self->dtype),
           " without overflow");
  RL_CHECK(mask->dtype == DType::Bool, Runtime,
           "masked_fill_ only supports boolean masks, but got mask with dtype ",
           scalar_type_name(mask->dtype));
  if (const Tensor* value = tensor_argument(op, args, "value"))
    RL_CHECK(value->rank() == 0, Runtime,
             "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
             value->rank(), " dimension(s).");
}

}  // namespace

std::string_view scalar_type_name(DType t) {
  constexpr std::string_view names[kDTypeCount] = {
      "Bool", "Byte",     "Char",  "Short",  "Int",          "Long",
      "Half", "BFloat16", "Float", "Double", "ComplexFloat", "ComplexDouble"};
  return names[static_cast<int>(t)];
}

void check_pointwise(std::string_view name, const OpDef& op, std::span<const Argument> args,
                     DType compute) {
  if (name == "add" || name == "sub" || name == "rsub" || name == "subtract") {
    check_alpha(argument(op, args, "alpha"), compute);
    if (name != "add") check_sub(op, args);
  } else if (name == "neg" || name == "negative") {
    RL_CHECK(compute != DType::Bool, Runtime,
             "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
             "invert a mask, use the `~` or `logical_not()` operator instead.");
  } else if (name == "pow") {
    if (const auto* e = std::get_if<int64_t>(&argument(op, args, "exponent")))
      RL_CHECK(*e >= 0 || category(compute) != DTypeCategory::Integer, Runtime,
               "Integers to negative integer powers are not allowed.");
  } else if (name == "div" || name == "divide") {
    const int mode = op.find_argument("rounding_mode");
    const auto* s = mode < 0 ? nullptr : std::get_if<std::string>(&args[static_cast<size_t>(mode)]);
    RL_CHECK(!s || *s == "trunc" || *s == "floor", Runtime,
             "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '",
             s ? *s : "", "'");
  } else if (name == "gelu") {
    const auto* s = std::get_if<std::string>(&argument(op, args, "approximate"));
    RL_CHECK(!s || *s == "none" || *s == "tanh", Runtime,
             "approximate argument must be either none or tanh.");
  } else if (name.starts_with("clamp") || name == "clip") {
    check_clamp(name, op, args, compute);
  } else if (name == "where" || name == "masked_fill") {
    check_mask(name, op, args);
  } else if (name == "isclose") {
    check_same_dtype(name, op, args);
    for (const char* bound : {"rtol", "atol"}) {
      const double v = unpack<double>::from(argument(op, args, bound));
      RL_CHECK(v >= 0, Runtime, bound, " must be greater than or equal to zero, but got ", v);
    }
  } else if (name == "complex" || name == "polar") {
    check_parts(op, args);
  } else if (name == "lerp" || name == "heaviside") {
    check_same_dtype(name, op, args);
  } else if (name == "addcdiv") {
    RL_CHECK(
        category(compute) >= DTypeCategory::Float, Runtime,
        "Integer division with addcdiv is no longer supported, and in a future release addcdiv "
        "will perform a true division of tensor1 and tensor2.");
  } else if (name == "relu" || name == "relu6") {
    RL_CHECK(compute != DType::Bool, Runtime, "Boolean inputs not supported for ", name);
  } else if (name == "softshrink") {
    const double lambd = unpack<Scalar>::from(argument(op, args, "lambd")).to_double();
    RL_CHECK(lambd >= 0, Runtime, "lambda must be greater or equal to 0, but found to be ", lambd);
  } else if (name == "hardtanh") {
    RL_CHECK(compute != DType::UInt8 ||
                 unpack<Scalar>::from(argument(op, args, "min_val")).to_double() >= 0,
             Runtime, "cannot do hardtanh on an unsigned type with negative limits");
  }
}

}  // namespace rushlight
