// Kernels written in terms of other operators, for what is rare enough that clarity wins.
#pragma once

#include "kernels/copy.h"
#include "runtime/expression.h"

namespace rushlight::kernels::portable {

inline Argument as_argument(const Tensor& t) { return &t; }
inline Argument as_argument(const Tensor* t) { return t ? Argument(t) : Argument(); }
inline Argument as_argument(std::nullopt_t) { return {}; }
inline Argument as_argument(int v) { return int64_t{v}; }
inline Argument as_argument(IntList v) { return Dims(v); }
inline Argument as_argument(const Scalar& s) {
  return std::visit([](auto v) { return Argument(v); }, s.value());
}
inline Argument as_argument(const char* text) { return std::string(text); }
template <class T>
  requires std::constructible_from<Argument, T>
Argument as_argument(T v) {
  return Argument(std::move(v));
}
template <class T>
Argument as_argument(const std::optional<T>& v) {
  return v ? as_argument(*v) : Argument();
}

/// All results of `aten.NAME` (the overload may be left out when it is `default`), called with
/// positional arguments.
template <class... A>
std::vector<Tensor> call_all(std::string_view name, const A&... arguments) {
  std::string full = "aten." + std::string(name);
  if (name.find('.') == name.npos) full += ".default";
  const OpDef* op = find_op(full);
  RL_ASSERT(op, full, " is not in the op table");
  std::vector<Argument> given{as_argument(arguments)...};
  std::vector<std::pair<std::string, Argument>> keywords;
  size_t positional = 0;
  for (const ArgumentSpec& spec : op->arguments) positional += !spec.keyword_only;
  // Keyword-only arguments may follow in schema order, too.
  for (size_t i = positional; i < given.size(); ++i)
    keywords.emplace_back(op->arguments[i].name, std::move(given[i]));
  if (given.size() > positional) given.resize(positional);
  return call_op(*op, bind_arguments(*op, std::move(given), std::move(keywords))).tensors;
}

/// The first result of the same.
template <class... A>
Tensor call(std::string_view name, const A&... arguments) {
  return std::move(call_all(name, arguments...).at(0));
}

/// Stores a result in the output that the shape rule has described.
inline void give(const Tensor& result, Tensor& out) {
  RL_ASSERT(result.sizes == out.sizes, "computed ", result.sizes, ", promised ", out.sizes);
  copy_strided(result, out);
}

}  // namespace rushlight::kernels::portable
