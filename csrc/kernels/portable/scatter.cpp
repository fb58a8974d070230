// scatter and the index_* operators that write: values go where an index says, replacing or
// combining with what is there.
#include <cmath>
#include <limits>

#include "kernels/portable/fill.h"
#include "kernels/portable/lanes.h"
#include "kernels/portable/number.h"

namespace rushlight::kernels::portable {
namespace {

enum class Reduce : uint8_t { Sum, Prod, Mean, Max, Min };

Reduce reduction(std::string_view name) {
  if (name == "sum" || name == "add") return Reduce::Sum;
  if (name == "prod" || name == "multiply") return Reduce::Prod;
  if (name == "mean") return Reduce::Mean;
  if (name == "amax") return Reduce::Max;
  if (name == "amin") return Reduce::Min;
  RL_FAIL(Runtime, "reduce argument must be either sum, prod, mean, amax or amin, got ", name, ".");
}

// Half types compute in float; bool as "or" and "and".
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

template <class T>
T combine(T current, T value, Reduce how) {
  using W = Wide<T>;
  const W a = static_cast<W>(current), b = static_cast<W>(value);
  if constexpr (std::is_same_v<T, bool>) {
    return how == Reduce::Prod || how == Reduce::Min ? a && b : a || b;
  } else {
    if (how == Reduce::Prod) return static_cast<T>(a * b);
    if constexpr (!std::is_same_v<T, complex64> && !std::is_same_v<T, complex128>) {
      // A NaN on either side wins.
      if (how == Reduce::Max) return a != a || a > b ? current : value;
      if (how == Reduce::Min) return a != a || a < b ? current : value;
    }
    return static_cast<T>(a + b);
  }
}

// What the reduction starts from when the tensor's own values do not count.
template <class T>
T identity(Reduce how) {
  using W = Wide<T>;
  if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
    return T(how == Reduce::Prod ? 1 : 0);
  } else {
    using L = std::numeric_limits<W>;
    if (how == Reduce::Prod) return static_cast<T>(W(1));
    if (how == Reduce::Max) return static_cast<T>(L::has_infinity ? -L::infinity() : L::lowest());
    if (how == Reduce::Min) return static_cast<T>(L::has_infinity ? L::infinity() : L::max());
    return static_cast<T>(W(0));
  }
}

template <class T>
T divide(T total, int64_t n) {
  using W = Wide<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return total;
  } else if constexpr (std::is_integral_v<T>) {
    const int64_t t = total;
    return static_cast<T>(t / n - (t % n != 0 && t < 0));
  } else if constexpr (std::is_floating_point_v<W>) {
    return static_cast<T>(static_cast<W>(total) / static_cast<W>(n));
  } else {
    return total / static_cast<typename T::value_type>(n);
  }
}

// Replaces elements of `out`: `other` broadcasts (stride 0) when a single value is written.
void assign(Tensor& out, int64_t dim, const Tensor& index, IntList sizes, const Tensor& other,
            IndexRule rule) {
  const Tensor to = at_least_1d(out);
  dispatch_item(item_size(out.dtype), [&](auto zero) {
    using T = decltype(zero);
    T* target = to.data<T>();
    const T* source = other.data<T>();
    for_each_indexed(to, dim, index, sizes, other, rule,
                     [=](int64_t a, int64_t b) { target[a] = source[b]; });
  });
}

void reduce(Tensor& out, int64_t dim, const Tensor& index, IntList sizes, const Tensor& other,
            Reduce how, bool include_self, IndexRule rule) {
  const Tensor to = at_least_1d(out);
  dispatch_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* target = to.data<T>();
    const T* source = other.data<T>();
    if (!include_self) {
      const T start = identity<T>(how);
      for_each_indexed(to, dim, index, sizes, other, rule,
                       [=](int64_t a, int64_t) { target[a] = start; });
    }
    for_each_indexed(to, dim, index, sizes, other, rule,
                     [=](int64_t a, int64_t b) { target[a] = combine(target[a], source[b], how); });
    if (how != Reduce::Mean) return;
    // `out` is dense, so offsets in it are offsets in a count of the same size.
    Tensor counts = Tensor::empty(out.sizes, DType::Int64);
    fill_dense(counts, include_self ? 1 : 0);
    int64_t* count = counts.data<int64_t>();
    for_each_indexed(to, dim, index, sizes, other, rule, [=](int64_t a, int64_t) { ++count[a]; });
    for (int64_t i = 0; i < out.numel(); ++i)
      if (count[i] > 1) target[i] = divide(target[i], count[i]);
  });
}

// A 0-d tensor of the dtype of `out`, seen as `sizes`.
Tensor repeated(const Scalar& value, DType dtype, IntList sizes) {
  Tensor one = Tensor::empty({}, dtype);
  fill_dense(one, value);
  return expanded(one, sizes);
}

struct Call {
  int64_t dim;
  Tensor index;
  Call(const Tensor& self, int64_t d, const Tensor& i)
      : dim(wrap_dim(d, self.rank())), index(at_least_1d(as_int64(i))) {}
};

}  // namespace

void scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Tensor& out) {
  copy_unless_same(self, out);
  const Call call(self, dim, index);
  if (index.numel())
    assign(out, call.dim, call.index, call.index.sizes, at_least_1d(src), kGatherRule);
}

void scatter(const Tensor& self, int64_t dim, const Tensor& index, Scalar value, Tensor& out) {
  copy_unless_same(self, out);
  const Call call(self, dim, index);
  if (index.numel())
    assign(out, call.dim, call.index, call.index.sizes,
           repeated(value, out.dtype, call.index.sizes), kGatherRule);
}

void scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
             std::string_view how, bool include_self, Tensor& out) {
  copy_unless_same(self, out);
  const Call call(self, dim, index);
  if (index.numel())
    reduce(out, call.dim, call.index, call.index.sizes, at_least_1d(src), reduction(how),
           include_self, kGatherRule);
}

void scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
             std::string_view how, Tensor& out) {
  scatter(self, dim, index, src, how, true, out);
}

void scatter(const Tensor& self, int64_t dim, const Tensor& index, Scalar value,
             std::string_view how, Tensor& out) {
  copy_unless_same(self, out);
  const Call call(self, dim, index);
  if (index.numel())
    reduce(out, call.dim, call.index, call.index.sizes,
           repeated(value, out.dtype, call.index.sizes), reduction(how), true, kGatherRule);
}

void scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                 Tensor& out) {
  scatter(self, dim, index, src, "sum", true, out);
}

void index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
               Scalar alpha, Tensor& out) {
  copy_unless_same(self, out);
  const Call call(self, dim, index);
  if (source.numel() == 0) return;
  const Tensor from = at_least_1d(source), to = at_least_1d(out);
  const Tensor at = along(call.index, from.sizes, call.dim);
  dispatch_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* target = to.data<T>();
    const T* values = from.data<T>();
    const T factor = alpha.to<T>();
    for_each_indexed(to, call.dim, at, from.sizes, from, kRowRule, [=](int64_t a, int64_t b) {
      target[a] = combine(target[a], combine(factor, values[b], Reduce::Prod), Reduce::Sum);
    });
  });
}

void index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                Tensor& out) {
  copy_unless_same(self, out);
  const Call call(self, dim, index);
  if (source.numel() == 0) return;
  const Tensor from = at_least_1d(source);
  assign(out, call.dim, along(call.index, from.sizes, call.dim), from.sizes, from, kRowRule);
}

void index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                  std::string_view how, bool include_self, Tensor& out) {
  copy_unless_same(self, out);
  const Call call(self, dim, index);
  if (source.numel() == 0) return;
  const Tensor from = at_least_1d(source);
  reduce(out, call.dim, along(call.index, from.sizes, call.dim), from.sizes, from, reduction(how),
         include_self, kRowRule);
}

void index_fill(const Tensor& self, int64_t dim, const Tensor& index, Scalar value, Tensor& out) {
  copy_unless_same(self, out);
  const Call call(self, dim, index);
  if (index.numel() == 0 || self.numel() == 0) return;
  Dims sizes = at_least_1d(self).sizes;
  sizes[call.dim] = index.numel();
  assign(out, call.dim, along(call.index, sizes, call.dim), sizes,
         repeated(value, out.dtype, sizes), kFillRule);
}

void index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value,
                Tensor& out) {
  index_fill(self, dim, index, unpack<Scalar>::from(item(value)), out);
}

}  // namespace rushlight::kernels::portable
