// Sizes as numbers, and Python's arithmetic on them: ints stay ints, `//` and `%` round towards
// minus infinity, `/` gives a float.
#include <cmath>

#include "kernels/kernel.h"

namespace rushlight::kernels::portable {
namespace {

bool integral(const Scalar& s) { return s.is_bool() || s.is_int(); }
bool truthy(const Scalar& s) {
  return s.is_complex() ? s.to<complex128>() != 0.0 : s.to_double() != 0;
}

int64_t checked(bool overflow, int64_t value, const char* name) {
  RL_CHECK(!overflow, Runtime, name, ": a size overflows 64-bit arithmetic");
  return value;
}

int64_t floor_divide(int64_t a, int64_t b, const char* name) {
  RL_CHECK(b != 0, Runtime, name, ": integer division or modulo by zero");
  RL_CHECK(!(a == INT64_MIN && b == -1), Runtime, name, ": a size overflows 64-bit arithmetic");
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}

template <class F>
bool compare(const Scalar& a, const Scalar& b, F&& f) {
  return integral(a) && integral(b) ? f(a.to_int(), b.to_int()) : f(a.to_double(), b.to_double());
}

int64_t to_integer(double v, const char* name) {
  RL_CHECK(std::abs(v) < 0x1p63, Value, name, ": cannot convert float ", v, " to integer");
  return static_cast<int64_t>(v);
}

Argument number(const Scalar& s) {
  return std::visit([](auto v) -> Argument { return v; }, s.value());
}

}  // namespace

Argument size(const Tensor& self, int64_t dim) {
  RL_CHECK(self.rank() > 0, Index, "Dimension specified as ", dim, " but tensor has no dimensions");
  return self.size(dim);
}
Argument stride(const Tensor& self, int64_t dim) {
  RL_CHECK(self.rank() > 0, Index, "Dimension specified as ", dim, " but tensor has no dimensions");
  return self.stride(dim);
}
Argument numel(const Tensor& self) { return self.numel(); }
Argument storage_offset(const Tensor& self) { return self.storage_offset(); }

Argument item(const Tensor& self) {
  RL_CHECK(self.numel() == 1, Runtime, "a Tensor with ", self.numel(),
           " elements cannot be converted to Scalar");
  return dispatch_dtype(self.dtype, [&](auto zero) -> Argument {
    using T = decltype(zero);
    const T v = *self.data<T>();
    if constexpr (std::is_same_v<T, bool>)
      return v;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<int64_t>(v);
    else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
      return complex128(v);
    else
      return static_cast<double>(v);
  });
}

Argument is_nonzero(const Tensor& self) {
  RL_CHECK(self.numel() == 1, Runtime, "Boolean value of Tensor with ",
           self.numel() == 0 ? "no values" : "more than one value", " is ambiguous");
  return truthy(unpack<Scalar>::from(item(self)));
}

Argument sym_add(Scalar a, Scalar b) {
  if (!integral(a) || !integral(b)) return a.to_double() + b.to_double();
  int64_t r;
  const bool overflow = __builtin_add_overflow(a.to_int(), b.to_int(), &r);
  return checked(overflow, r, "add");
}
Argument sym_sub(Scalar a, Scalar b) {
  if (!integral(a) || !integral(b)) return a.to_double() - b.to_double();
  int64_t r;
  const bool overflow = __builtin_sub_overflow(a.to_int(), b.to_int(), &r);
  return checked(overflow, r, "sub");
}
Argument sym_mul(Scalar a, Scalar b) {
  if (!integral(a) || !integral(b)) return a.to_double() * b.to_double();
  int64_t r;
  const bool overflow = __builtin_mul_overflow(a.to_int(), b.to_int(), &r);
  return checked(overflow, r, "mul");
}
Argument sym_floordiv(Scalar a, Scalar b) {
  if (integral(a) && integral(b)) return floor_divide(a.to_int(), b.to_int(), "floordiv");
  RL_CHECK(b.to_double() != 0, Runtime, "floordiv: float division by zero");
  return std::floor(a.to_double() / b.to_double());
}
Argument sym_truediv(Scalar a, Scalar b) {
  RL_CHECK(b.to_double() != 0, Runtime, "truediv: division by zero");
  return a.to_double() / b.to_double();
}
Argument sym_mod(Scalar a, Scalar b) {
  if (integral(a) && integral(b)) {
    const int64_t x = a.to_int(), y = b.to_int();
    return x - floor_divide(x, y, "mod") * y;
  }
  RL_CHECK(b.to_double() != 0, Runtime, "mod: float modulo by zero");
  const double r = std::fmod(a.to_double(), b.to_double());
  return r != 0 && (r < 0) != (b.to_double() < 0) ? r + b.to_double() : r;
}
Argument sym_pow(Scalar a, Scalar b) {
  if (!integral(a) || !integral(b) || b.to_int() < 0) return std::pow(a.to_double(), b.to_double());
  int64_t result = 1, base = a.to_int();
  bool overflow = false;
  for (int64_t e = b.to_int(); e > 0;) {
    if (e & 1) overflow |= __builtin_mul_overflow(result, base, &result);
    e >>= 1;
    if (e > 0) overflow |= __builtin_mul_overflow(base, base, &base);
  }
  return checked(overflow, result, "pow");
}

Argument sym_eq(Scalar a, Scalar b) {
  return compare(a, b, [](auto x, auto y) { return x == y; });
}
Argument sym_ne(Scalar a, Scalar b) {
  return compare(a, b, [](auto x, auto y) { return x != y; });
}
Argument sym_lt(Scalar a, Scalar b) {
  return compare(a, b, [](auto x, auto y) { return x < y; });
}
Argument sym_le(Scalar a, Scalar b) {
  return compare(a, b, [](auto x, auto y) { return x <= y; });
}
Argument sym_gt(Scalar a, Scalar b) {
  return compare(a, b, [](auto x, auto y) { return x > y; });
}
Argument sym_ge(Scalar a, Scalar b) {
  return compare(a, b, [](auto x, auto y) { return x >= y; });
}
Argument sym_and(Scalar a, Scalar b) {
  if (a.is_bool() && b.is_bool()) return a.to<bool>() && b.to<bool>();
  return a.to_int() & b.to_int();
}
Argument sym_or(Scalar a, Scalar b) {
  if (a.is_bool() && b.is_bool()) return a.to<bool>() || b.to<bool>();
  return a.to_int() | b.to_int();
}

Argument sym_neg(Scalar a) { return sym_sub(int64_t{0}, a); }
Argument sym_pos(Scalar a) { return sym_add(int64_t{0}, a); }
Argument sym_abs(Scalar a) {
  return compare(a, int64_t{0}, std::less<>()) ? sym_neg(a) : sym_pos(a);
}
// A float among the operands makes the result a float.
Argument sym_max(Scalar a, Scalar b) {
  if (integral(a) && integral(b)) return std::max(a.to_int(), b.to_int());
  return std::max(a.to_double(), b.to_double());
}
Argument sym_min(Scalar a, Scalar b) {
  if (integral(a) && integral(b)) return std::min(a.to_int(), b.to_int());
  return std::min(a.to_double(), b.to_double());
}
Argument sym_float(Scalar a) { return a.to_double(); }
Argument sym_int(Scalar a) {
  return integral(a) ? a.to_int() : to_integer(std::trunc(a.to_double()), "sym_int");
}
Argument sym_floor(Scalar a) {
  return integral(a) ? a.to_int() : to_integer(std::floor(a.to_double()), "floor");
}
Argument sym_ceil(Scalar a) {
  return integral(a) ? a.to_int() : to_integer(std::ceil(a.to_double()), "ceil");
}
Argument sym_not(Scalar a) { return !truthy(a); }
Argument sym_ite(Scalar b, Scalar t, Scalar f) { return number(truthy(b) ? t : f); }
Argument sym_sqrt(Scalar a) {
  RL_CHECK(a.to_double() >= 0, Value, "sym_sqrt: math domain error for ", a.to_double());
  return std::sqrt(a.to_double());
}

}  // namespace rushlight::kernels::portable
