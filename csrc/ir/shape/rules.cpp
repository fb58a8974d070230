#include "rules.h"

#include "core/default_dtype.h"

namespace rushlight {
namespace {

// The widest dtype of one priority class: dimensioned tensors, 0-d tensors, numbers.
struct Class {
  bool any = false;
  DType dtype = DType::Bool;
  void add(DType t) {
    dtype = any ? promote_types(dtype, t) : t;
    any = true;
  }
};

// A lower class changes the result only if its category is higher; the dtype is then its own,
// combined with the result so that float16 * 1j stays as small as PyTorch keeps it.
DType combine(const Class& higher, const Class& lower) {
  if (!lower.any) return higher.dtype;
  if (!higher.any) return lower.dtype;
  if (category(lower.dtype) <= category(higher.dtype)) return higher.dtype;
  // A complex number keeps the precision of the floats it meets.
  if (is_floating(higher.dtype))
    return higher.dtype == DType::Float64 ? DType::Complex128 : DType::Complex64;
  return promote_types(higher.dtype, lower.dtype);
}

struct Promotion {
  Class dimensioned, zero_dim, number;

  void add(const Argument& a) {
    if (const auto* t = std::get_if<const Tensor*>(&a)) {
      if (*t) add(**t);
    } else if (const auto* list = std::get_if<std::vector<const Tensor*>>(&a)) {
      for (const Tensor* t : *list)
        if (t) add(*t);
    } else if (std::holds_alternative<bool>(a)) {
      number.add(DType::Bool);
    } else if (std::holds_alternative<int64_t>(a)) {
      number.add(DType::Int64);
    } else if (std::holds_alternative<double>(a)) {
      number.add(default_dtype());
    } else if (std::holds_alternative<complex128>(a)) {
      number.add(default_complex_dtype());
    }
  }
  void add(const TensorMeta& t) { (t.rank() == 0 ? zero_dim : dimensioned).add(t.dtype); }

  DType result() const {
    Class tensors{dimensioned.any || zero_dim.any, combine(dimensioned, zero_dim)};
    return combine(tensors, number);
  }
};

}  // namespace

Dims broadcast(IntList a, IntList b) {
  if (a.size() < b.size()) std::swap(a, b);
  Dims out(a);
  const size_t lead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    const int64_t x = a[lead + i], y = b[i];
    RL_CHECK(x == y || x == 1 || y == 1, Runtime, "The size of tensor a (", x,
             ") must match the size of tensor b (", y, ") at non-singleton dimension ", lead + i);
    out[lead + i] = x == 1 ? y : x;
  }
  return out;
}

DType result_type(std::span<const Argument* const> operands) {
  Promotion p;
  for (const Argument* a : operands) p.add(*a);
  return p.result();
}

namespace rules {

DType first(std::span<const Argument> args) {
  for (const Argument& a : args) {
    if (const auto* t = std::get_if<const Tensor*>(&a); t && *t) return (*t)->dtype;
    if (const auto* list = std::get_if<std::vector<const Tensor*>>(&a))
      for (const Tensor* t : *list)
        if (t) return t->dtype;
  }
  RL_FAIL(Runtime, "expected a non-empty list of Tensors");
}

IntList first_sizes(std::span<const Argument> args) {
  for (const Argument& a : args) {
    if (const auto* t = std::get_if<const Tensor*>(&a); t && *t) return (*t)->sizes;
    if (const auto* list = std::get_if<std::vector<const Tensor*>>(&a))
      for (const Tensor* t : *list)
        if (t) return t->sizes;
  }
  RL_FAIL(Runtime, "expected a non-empty list of Tensors");
}

DType promote(std::span<const Argument> args) {
  Promotion p;
  for (const Argument& a : args) {
    if (const auto* t = std::get_if<const Tensor*>(&a)) {
      if (*t) p.add(a);
    } else if (std::holds_alternative<std::vector<const Tensor*>>(a)) {
      p.add(a);
    }
  }
  return p.result();
}

DType truth(std::span<const Argument> args) {
  return first(args) == DType::UInt8 ? DType::UInt8 : DType::Bool;
}

DType dtype_or(std::span<const Argument> args, int index, DType otherwise) {
  if (index < 0) return otherwise;
  const DType* t = std::get_if<DType>(&args[static_cast<size_t>(index)]);
  return t ? *t : otherwise;
}

DType sum_dtype(std::span<const Argument> args, int index) {
  const DType self = first(args);
  const bool widens = category(self) <= DTypeCategory::Integer;
  return dtype_or(args, index, widens ? DType::Int64 : self);
}

DType dtype_or_number(std::span<const Argument> args, int index) {
  bool all_ints = true;
  for (const Argument& a : args)
    if (std::holds_alternative<double>(a)) all_ints = false;
  return dtype_or(args, index, all_ints ? DType::Int64 : default_dtype());
}

}  // namespace rules
}  // namespace rushlight
