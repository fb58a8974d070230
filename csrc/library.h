// Operators of your own, in C++. A shared library with
//
//   #include <rushlight/library.h>
//   using namespace rushlight;
//
//   RUSHLIGHT_LIBRARY(mylib, m) {
//     m.def("scale(Tensor x, float by) -> Tensor", [](const Tensor& x, double by) {
//       Tensor out = Tensor::empty(x.sizes, DType::Float32);
//       …
//       return out;
//     });
//   }
//
// is loaded by rushlight.library.load(path) in Python, by `--library path` on the command line, and
// by `load_library` here; from then on programs find mylib::scale. A program that links the code
// needs no loading.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/argument.h"

namespace rushlight {

/// Loads a shared library and defines its operators. Throws `Error(OSError)` when it can't be
/// loaded, `Error(Value)` when it defines no operator, and what its definitions throw.
void load_library(const std::string& path);

/// What kind of argument a C++ parameter takes, for comparison with the schema.
struct Parameter {
  std::string_view type;  // of the schema: "Tensor", "int", "float", …
  bool list = false;
  bool optional = false;
};

namespace detail {

template <class T>
struct parameter;
#define RL_PARAMETER(cpp, schema, is_list, is_optional)             \
  template <>                                                       \
  struct parameter<cpp> {                                           \
    static constexpr Parameter value{schema, is_list, is_optional}; \
  };
RL_PARAMETER(Tensor, "Tensor", false, false)
RL_PARAMETER(const Tensor*, "Tensor", false, true)
RL_PARAMETER(TensorList, "Tensor", true, false)
RL_PARAMETER(int64_t, "int", false, false)
RL_PARAMETER(double, "float", false, false)
RL_PARAMETER(bool, "bool", false, false)
RL_PARAMETER(Scalar, "Scalar", false, false)
RL_PARAMETER(IntList, "int", true, false)
RL_PARAMETER(FloatList, "float", true, false)
RL_PARAMETER(BoolList, "bool", true, false)
RL_PARAMETER(std::string_view, "str", false, false)
RL_PARAMETER(DType, "ScalarType", false, false)
RL_PARAMETER(MemoryFormat, "MemoryFormat", false, false)
#undef RL_PARAMETER
template <class T>
struct parameter<std::optional<T>> {
  static constexpr Parameter value{parameter<T>::value.type, parameter<T>::value.list, true};
};

template <class F>
struct function_type : function_type<decltype(&F::operator())> {};
template <class R, class... P>
struct function_type<R (*)(P...)> {
  using type = R(P...);
};
template <class C, class R, class... P>
struct function_type<R (C::*)(P...) const> {
  using type = R(P...);
};

std::vector<Tensor> inline list_of(Tensor t) {
  std::vector<Tensor> out;
  out.push_back(std::move(t));
  return out;
}
inline std::vector<Tensor> list_of(std::vector<Tensor> list) { return list; }

}  // namespace detail

/// The operators of one namespace, while they are being defined.
class Library {
 public:
  using Arguments = std::span<const Argument>;

  explicit Library(std::string name) : name_(std::move(name)) {}

  /// Defines `schema` ("scale(Tensor x, float by) -> Tensor") by a function of its arguments in
  /// order: Tensors as `const Tensor&`, ints as int64_t, floats as double, lists as TensorList,
  /// IntList, FloatList, optional ones as std::optional (tensors: `const Tensor*`). It returns a
  /// Tensor, a std::vector<Tensor>, a number, or nothing. Arguments that the schema marks as
  /// written, `Tensor(a!) x`, are written in place.
  template <class F>
  void def(std::string_view schema, F function) {
    define_one(schema, std::move(function),
               static_cast<typename detail::function_type<F>::type*>(nullptr));
  }

  /// The same for an operator whose sizes follow from its arguments, which programs then plan for:
  /// `shape(arguments…)` gives a TensorMeta, and `kernel(arguments…, Tensor& out)` fills memory
  /// that the engine allocated.
  template <class S, class K>
  void def(std::string_view schema, S shape, K kernel) {
    define_shaped(schema, std::move(shape), std::move(kernel),
                  static_cast<typename detail::function_type<S>::type*>(nullptr));
  }

 private:
  using Allocate = std::function<std::vector<Tensor>(Arguments)>;
  using Number = std::function<Argument(Arguments)>;
  using Shape = std::function<TensorMeta(Arguments)>;
  using Fill = std::function<void(Arguments, Tensor*)>;

  void add(std::string_view schema, std::vector<Parameter> parameters, Allocate, Number, Shape,
           Fill);

  template <class P>
  static decltype(auto) take(const Argument& a) {
    return unpack<std::remove_cvref_t<P>>::from(a);
  }
  template <class F, class... P, size_t... I>
  static decltype(auto) apply(const F& f, Arguments args, std::index_sequence<I...>,
                              void (*)(P...)) {
    return f(take<P>(args[I])...);
  }
  template <class... P>
  static std::vector<Parameter> parameters() {
    return {detail::parameter<std::remove_cvref_t<P>>::value...};
  }

  template <class F, class R, class... P>
  void define_one(std::string_view schema, F f, R (*)(P...)) {
    const auto call = [f = std::move(f)](Arguments args) -> R {
      return apply(f, args, std::index_sequence_for<P...>(), static_cast<void (*)(P...)>(nullptr));
    };
    if constexpr (std::is_void_v<R>)
      add(schema, parameters<P...>(), {}, {}, {}, [call](Arguments args, Tensor*) { call(args); });
    else if constexpr (std::is_arithmetic_v<R>)
      add(schema, parameters<P...>(), {}, [call](Arguments args) { return number(call(args)); }, {},
          {});
    else
      add(schema, parameters<P...>(),
          [call](Arguments args) { return detail::list_of(call(args)); }, {}, {}, {});
  }

  template <class S, class K, class... P>
  void define_shaped(std::string_view schema, S shape, K kernel, TensorMeta (*)(P...)) {
    add(
        schema, parameters<P...>(), {}, {},
        [shape = std::move(shape)](Arguments args) {
          return apply(shape, args, std::index_sequence_for<P...>(),
                       static_cast<void (*)(P...)>(nullptr));
        },
        [kernel = std::move(kernel)](Arguments args, Tensor* out) {
          const auto filled = [&](P... p) { kernel(std::forward<P>(p)..., *out); };
          apply(filled, args, std::index_sequence_for<P...>(),
                static_cast<void (*)(P...)>(nullptr));
        });
  }

  template <class N>
  static Argument number(N value) {
    if constexpr (std::is_same_v<N, bool>)
      return value;
    else if constexpr (std::is_integral_v<N>)
      return static_cast<int64_t>(value);
    else
      return static_cast<double>(value);
  }

  std::string name_;
};

namespace detail {
/// Remembers what defines a library's operators until somebody looks for them.
struct LibraryEntry {
  LibraryEntry(const char* name, const char* file, void (*define)(Library&)) noexcept;
};
/// Defines what loaded code has brought and nobody has defined yet; the number of libraries.
int define_new_libraries();
}  // namespace detail

}  // namespace rushlight

/// Opens the function that defines the operators of the namespace `name`; `m` is its Library.
#define RUSHLIGHT_LIBRARY(name, m)                                       \
  static void rushlight_library_##name(::rushlight::Library&);           \
  static const ::rushlight::detail::LibraryEntry rushlight_entry_##name( \
      #name, __FILE__, &rushlight_library_##name);                       \
  static void rushlight_library_##name(::rushlight::Library& m)
