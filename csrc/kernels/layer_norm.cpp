// layer_norm and rms_norm: one row at a time, which stays in the cache between the passes.
#include <cmath>

#include "kernels/compute.h"
#include "kernels/kernel.h"
#include "kernels/reduce_ops.h"

namespace rushlight::kernels::RL_CPU {
namespace {

struct Rows {
  int64_t count = 1, n = 1;
  Rows(const Tensor& input, IntList normalized) {
    for (int64_t s : normalized) n *= s;
    const size_t lead = input.sizes.size() - normalized.size();
    for (size_t i = 0; i < lead; ++i) count *= input.sizes[i];
  }
};

// y = (x - mean) * scale * weight + bias.
template <class T>
void scale_row(const T* x, T* y, int64_t n, T mean, T scale, const T* weight, const T* bias) {
  const auto body = [&](auto has_weight, auto has_bias) {
    for_lanes<T>(n, [&](int64_t i, auto l) {
      using L = decltype(l);
      auto v = (L::load(x + i) - mean) * scale;
      if constexpr (has_weight) v = v * L::load(weight + i);
      if constexpr (has_bias) v = v + L::load(bias + i);
      L::store(y + i, v);
    });
  };
  if (weight && bias) return body(std::true_type{}, std::true_type{});
  if (weight) return body(std::true_type{}, std::false_type{});
  if (bias) return body(std::false_type{}, std::true_type{});
  body(std::false_type{}, std::false_type{});
}

// Mean and reciprocal standard deviation of a row, or with `centre` off 0 and 1 / RMS.
template <class T>
std::pair<T, T> moments(const T* x, int64_t n, double eps, bool centre) {
  const double count = static_cast<double>(n);
  const T mean = centre ? static_cast<T>(reduction::row<SumOp<T>>(x, n, T(0)) / count) : T(0);
  const double squares = reduction::row<SquareSumOp<T>>(x, n, mean);
  return {mean, static_cast<T>(1 / std::sqrt(squares / count + eps))};
}

template <class T>
void normalize_rows(const Tensor& input, IntList shape, const Tensor* weight, const Tensor* bias,
                    double eps, bool centre, Tensor& out, Tensor* mean_out, Tensor* rstd_out) {
  const Rows rows(input, shape);
  if (rows.count == 0) return;
  const Tensor x = contiguous_as(input, dtype_of<T>::value);
  const Parameter<T> w(weight), b(bias);
  Result<T> y(out);
  std::optional<Result<T>> mean, rstd;
  if (mean_out) mean.emplace(*mean_out);
  if (rstd_out) rstd.emplace(*rstd_out);
  T* const mean_data = mean ? mean->data() : nullptr;
  T* const rstd_data = rstd ? rstd->data() : nullptr;
  const T* from = x.data<T>();
  T* to = y.data();
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(rows.n, 1));
  cpu::parallel_for(0, rows.count, grain, [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) {
      const auto [m, scale] = moments(from + r * rows.n, rows.n, eps, centre);
      scale_row(from + r * rows.n, to + r * rows.n, rows.n, m, scale, w.data(), b.data());
      if (mean_data) mean_data[r] = m;
      if (rstd_data) rstd_data[r] = scale;
    }
  });
  y.store();
  if (mean) mean->store();
  if (rstd) rstd->store();
}

void normalize(const Tensor& input, IntList shape, const Tensor* weight, const Tensor* bias,
               double eps, bool centre, Tensor& out, Tensor* mean, Tensor* rstd) {
  dispatch_float(out.dtype, [&](auto t) {
    normalize_rows<decltype(t)>(input, shape, weight, bias, eps, centre, out, mean, rstd);
  });
}

// Without an eps PyTorch takes the distance from 1 to the next number of the input's dtype.
double rms_eps(std::optional<double> eps, DType dtype) {
  if (eps) return *eps;
  switch (dtype) {
    case DType::Float16:
      return 0x1p-10;
    case DType::BFloat16:
      return 0x1p-7;
    case DType::Float64:
      return std::numeric_limits<double>::epsilon();
    default:
      return std::numeric_limits<float>::epsilon();
  }
}

}  // namespace

void layer_norm(const Tensor& input, IntList shape, const Tensor* weight, const Tensor* bias,
                double eps, bool, Tensor& out) {
  normalize(input, shape, weight, bias, eps, true, out, nullptr, nullptr);
}
void layer_norm(const Tensor& input, IntList shape, const Tensor* weight, const Tensor* bias,
                double eps, Tensor& out, Tensor& mean, Tensor& rstd) {
  normalize(input, shape, weight, bias, eps, true, out, &mean, &rstd);
}
void rms_norm(const Tensor& input, IntList shape, const Tensor* weight, std::optional<double> eps,
              Tensor& out) {
  normalize(input, shape, weight, nullptr, rms_eps(eps, input.dtype), false, out, nullptr, nullptr);
}
void rms_norm(const Tensor& input, IntList shape, const Tensor* weight, std::optional<double> eps,
              Tensor& out, Tensor& rstd) {
  normalize(input, shape, weight, nullptr, rms_eps(eps, input.dtype), false, out, nullptr, &rstd);
}

}  // namespace rushlight::kernels::RL_CPU
