// group_norm and instance_norm: statistics of each group of channels of each sample.
#include <cmath>

#include "kernels/compute.h"
#include "kernels/kernel.h"
#include "kernels/reduce_ops.h"

namespace rushlight::kernels::RL_CPU {

// batch_norm.cpp
void batch_norm(const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor* mean,
                const Tensor* var, bool training, double momentum, double eps, bool cudnn,
                Tensor& out);

namespace {

struct Groups {
  int64_t n, c, inner, groups;
};

// Element `i` of per-channel parameters that `count` channels share, or the default.
template <class T>
T at(const T* data, int64_t i, T otherwise) {
  return data ? data[i] : otherwise;
}

template <class T>
void group_norm_as(const Tensor& input, const Groups& g, const Tensor* weight, const Tensor* bias,
                   double eps, Tensor& out, Tensor* mean_out, Tensor* rstd_out) {
  if (out.numel() == 0) return;
  const Tensor x = contiguous_as(input, dtype_of<T>::value);
  const Parameter<T> w(weight), b(bias);
  Result<T> y(out);
  const auto total = static_cast<size_t>(g.n * g.groups);
  std::vector<T> means(total), inverses(total);
  const int64_t channels = g.c / g.groups, size = channels * g.inner;
  const T* from = x.data<T>();
  T* to = y.data();
  cpu::parallel_for(
      0, g.n * g.groups, std::max<int64_t>(1, kGrain / size), [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          const T* row = from + i * size;
          const double count = static_cast<double>(size);
          const T mean = static_cast<T>(reduction::row<SumOp<T>>(row, size, T(0)) / count);
          const double squares = reduction::row<SquareSumOp<T>>(row, size, mean);
          const T inverse = static_cast<T>(1 / std::sqrt(squares / count + eps));
          means[static_cast<size_t>(i)] = mean;
          inverses[static_cast<size_t>(i)] = inverse;
          for (int64_t k = 0; k < channels; ++k) {
            const int64_t channel = i % g.groups * channels + k;
            const T scale = inverse * at(w.data(), channel, T(1));
            const T shift = at(b.data(), channel, T(0)) - mean * scale;
            const T* p = row + k * g.inner;
            T* q = to + i * size + k * g.inner;
            for_lanes<T>(g.inner, [&](int64_t j, auto l) {
              using L = decltype(l);
              L::store(q + j, L::load(p + j) * scale + shift);
            });
          }
        }
      });
  y.store();
  auto keep = [](const std::vector<T>& values, Tensor* where) {
    if (!where) return;
    Result<T> r(*where);
    std::copy(values.begin(), values.end(), r.data());
    r.store();
  };
  keep(means, mean_out);
  keep(inverses, rstd_out);
}

void group_norm_into(const Tensor& input, const Groups& g, const Tensor* weight, const Tensor* bias,
                     double eps, Tensor& out, Tensor* mean, Tensor* rstd) {
  dispatch_float(input.dtype, [&](auto t) {
    group_norm_as<decltype(t)>(input, g, weight, bias, eps, out, mean, rstd);
  });
}

Groups groups_of(const Tensor& input, int64_t groups) {
  const int64_t n = input.sizes[0], c = input.sizes[1];
  const int64_t planes = n * c;
  return {n, c, planes ? input.numel() / planes : 1, groups};
}

}  // namespace

void group_norm(const Tensor& input, int64_t groups, const Tensor* weight, const Tensor* bias,
                double eps, bool, Tensor& out) {
  group_norm_into(input, groups_of(input, groups), weight, bias, eps, out, nullptr, nullptr);
}
void group_norm(const Tensor& input, const Tensor* weight, const Tensor* bias, int64_t n, int64_t c,
                int64_t inner, int64_t groups, double eps, Tensor& out, Tensor& mean,
                Tensor& rstd) {
  group_norm_into(input, {n, c, inner, groups}, weight, bias, eps, out, &mean, &rstd);
}

void instance_norm(const Tensor& input, const Tensor* weight, const Tensor* bias,
                   const Tensor* mean, const Tensor* var, bool use_input_stats, double momentum,
                   double eps, bool cudnn, Tensor& out) {
  if (!use_input_stats)
    return batch_norm(input, weight, bias, mean, var, false, momentum, eps, cudnn, out);
  group_norm_into(input, groups_of(input, input.sizes[1]), weight, bias, eps, out, nullptr,
                  nullptr);
}

}  // namespace rushlight::kernels::RL_CPU
