// One argument of an operator call, after it has been checked against the operator's schema.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scalar.h"
#include "tensor.h"

namespace rushlight {

/// Tensors of a list argument; entries of an optional list may be null.
using TensorList = std::span<const Tensor* const>;
using FloatList = std::span<const double>;
using BoolList = std::span<const uint8_t>;

/// A value of any schema type. Tensors are not owned: they live in a frame or in the caller.
/// Devices, layouts and generators have no effect on this engine and are held as `None`.
using Argument = std::variant<std::monostate,              // None
                              const Tensor*,               // Tensor
                              std::vector<const Tensor*>,  // Tensor[], Tensor?[]
                              bool, int64_t, double, complex128,
                              Dims,                  // int[]
                              std::vector<double>,   // float[]
                              std::vector<uint8_t>,  // bool[]
                              std::string, DType, MemoryFormat>;

inline bool is_none(const Argument& a) { return a.index() == 0; }

/// `Argument` -> the C++ parameter type a kernel or a shape rule declares. The schema check has
/// run before, so a mismatch here is a bug of ours.
template <class T>
struct unpack;

#define RL_UNPACK_EXACT(type)                                           \
  template <>                                                           \
  struct unpack<type> {                                                 \
    static const type& from(const Argument& a) {                        \
      const type* v = std::get_if<type>(&a);                            \
      RL_ASSERT(v, "argument of kind ", a.index(), " is not a " #type); \
      return *v;                                                        \
    }                                                                   \
  };
RL_UNPACK_EXACT(bool)
RL_UNPACK_EXACT(DType)
RL_UNPACK_EXACT(MemoryFormat)
#undef RL_UNPACK_EXACT

template <>
struct unpack<Tensor> {
  static const Tensor& from(const Argument& a) {
    const auto* v = std::get_if<const Tensor*>(&a);
    RL_ASSERT(v && *v, "argument of kind ", a.index(), " is not a Tensor");
    return **v;
  }
};
template <>
struct unpack<const Tensor*> {
  static const Tensor* from(const Argument& a) {
    return is_none(a) ? nullptr : &unpack<Tensor>::from(a);
  }
};
template <>
struct unpack<TensorList> {
  static TensorList from(const Argument& a) {
    const auto* v = std::get_if<std::vector<const Tensor*>>(&a);
    RL_ASSERT(v, "argument of kind ", a.index(), " is not a Tensor[]");
    return *v;
  }
};
template <>
struct unpack<int64_t> {
  static int64_t from(const Argument& a) {
    if (const bool* b = std::get_if<bool>(&a)) return *b;
    const int64_t* v = std::get_if<int64_t>(&a);
    RL_ASSERT(v, "argument of kind ", a.index(), " is not an int");
    return *v;
  }
};
template <>
struct unpack<double> {
  static double from(const Argument& a) {
    if (const int64_t* i = std::get_if<int64_t>(&a)) return static_cast<double>(*i);
    const double* v = std::get_if<double>(&a);
    RL_ASSERT(v, "argument of kind ", a.index(), " is not a float");
    return *v;
  }
};
template <>
struct unpack<Scalar> {
  static Scalar from(const Argument& a) {
    if (const bool* b = std::get_if<bool>(&a)) return *b;
    if (const int64_t* i = std::get_if<int64_t>(&a)) return *i;
    if (const double* d = std::get_if<double>(&a)) return *d;
    const complex128* c = std::get_if<complex128>(&a);
    RL_ASSERT(c, "argument of kind ", a.index(), " is not a number");
    return *c;
  }
};
template <>
struct unpack<IntList> {
  static IntList from(const Argument& a) {
    const Dims* v = std::get_if<Dims>(&a);
    RL_ASSERT(v, "argument of kind ", a.index(), " is not an int[]");
    return *v;
  }
};
template <>
struct unpack<FloatList> {
  static FloatList from(const Argument& a) {
    const auto* v = std::get_if<std::vector<double>>(&a);
    RL_ASSERT(v, "argument of kind ", a.index(), " is not a float[]");
    return *v;
  }
};
template <>
struct unpack<BoolList> {
  static BoolList from(const Argument& a) {
    const auto* v = std::get_if<std::vector<uint8_t>>(&a);
    RL_ASSERT(v, "argument of kind ", a.index(), " is not a bool[]");
    return *v;
  }
};
template <>
struct unpack<std::string_view> {
  static std::string_view from(const Argument& a) {
    const auto* v = std::get_if<std::string>(&a);
    RL_ASSERT(v, "argument of kind ", a.index(), " is not a str");
    return *v;
  }
};
template <class T>
struct unpack<std::optional<T>> {
  static std::optional<T> from(const Argument& a) {
    if (is_none(a)) return std::nullopt;
    return unpack<T>::from(a);
  }
};

}  // namespace rushlight
