// Sums, means and counts.
#include "kernels/kernel.h"
#include "kernels/reduce_ops.h"

namespace rushlight::kernels::RL_CPU {
namespace {

template <class T, class Divide>
void sum_as(const Tensor& self, const DimMask& mask, LoadAs as, Divide&& divide, Tensor& out) {
  Results<WideSum<T>> results(out);
  reduce<SumOp<T>>(self, mask, load_for(self.dtype, dtype_of<T>::value, as), nullptr, results.data);
  divide(results.data, out.numel());
  results.store();
}

// Computes in the type of the output, except that half types are added in float32.
template <class Divide>
void sum_into(const Tensor& self, const DimMask& mask, LoadAs as, Divide&& divide, Tensor& out) {
  switch (out.dtype) {
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
      return sum_as<float>(self, mask, as, divide, out);
    case DType::Float64:
      return sum_as<double>(self, mask, as, divide, out);
    case DType::Complex64:
      return sum_as<complex64>(self, mask, as, divide, out);
    case DType::Complex128:
      return sum_as<complex128>(self, mask, as, divide, out);
    case DType::Bool:
      return sum_as<int64_t>(self, mask, LoadAs::NonZero, divide, out);
    default:
      return sum_as<int64_t>(self, mask, as, divide, out);
  }
}

constexpr auto kUndivided = [](auto*, int64_t) {};

void mean_into(const Tensor& self, const DimMask& mask, Tensor& out) {
  const auto count = static_cast<double>(reduced_numel(self.sizes, mask));
  sum_into(
      self, mask, LoadAs::Value,
      [count](auto* totals, int64_t n) {
        using T = std::remove_pointer_t<decltype(totals)>;
        const T c = static_cast<T>(count);
        for (int64_t i = 0; i < n; ++i) totals[i] = totals[i] / c;
      },
      out);
}

LoadAs nan_to_zero(const Tensor& self) {
  return is_floating(self.dtype) || is_complex(self.dtype) ? LoadAs::NanToZero : LoadAs::Value;
}

}  // namespace

void sum(const Tensor& self, std::optional<DType>, Tensor& out) {
  sum_into(self, reduced_dims(std::nullopt, self.rank()), LoadAs::Value, kUndivided, out);
}
void sum(const Tensor& self, std::optional<IntList> dim, bool, std::optional<DType>, Tensor& out) {
  sum_into(self, reduced_dims(dim, self.rank()), LoadAs::Value, kUndivided, out);
}

void mean(const Tensor& self, std::optional<DType>, Tensor& out) {
  mean_into(self, reduced_dims(std::nullopt, self.rank()), out);
}
void mean(const Tensor& self, std::optional<IntList> dim, bool, std::optional<DType>, Tensor& out) {
  mean_into(self, reduced_dims(dim, self.rank()), out);
}

void nansum(const Tensor& self, std::optional<IntList> dim, bool, std::optional<DType>,
            Tensor& out) {
  sum_into(self, reduced_dims(dim, self.rank()), nan_to_zero(self), kUndivided, out);
}

void nanmean(const Tensor& self, std::optional<IntList> dim, bool, std::optional<DType>,
             Tensor& out) {
  const DimMask mask = reduced_dims(dim, self.rank());
  std::vector<int64_t> counts(static_cast<size_t>(out.numel()));
  reduce<SumOp<int64_t>>(self, mask, load_for(self.dtype, DType::Int64, LoadAs::IsNumber), nullptr,
                         counts.data());
  sum_into(
      self, mask, nan_to_zero(self),
      [&counts](auto* totals, int64_t n) {
        using T = std::remove_pointer_t<decltype(totals)>;
        for (int64_t i = 0; i < n; ++i)
          totals[i] = totals[i] / static_cast<T>(static_cast<double>(counts[i]));
      },
      out);
}

void count_nonzero(const Tensor& self, std::optional<int64_t> dim, Tensor& out) {
  sum_as<int64_t>(self, reduced_dim(dim, self.rank()), LoadAs::NonZero, kUndivided, out);
}
void count_nonzero(const Tensor& self, IntList dim, Tensor& out) {
  sum_as<int64_t>(self, reduced_dims(dim, self.rank()), LoadAs::NonZero, kUndivided, out);
}

}  // namespace rushlight::kernels::RL_CPU
