// batch_norm: y = x * scale[c] + shift[c], with given or computed statistics of each channel.
#include <cmath>

#include "kernels/compute.h"
#include "kernels/kernel.h"
#include "kernels/reduce_ops.h"

namespace rushlight::kernels::RL_CPU {
namespace {

template <class T>
void affine(const T* x, T* y, int64_t n, T scale, T shift) {
  for_lanes<T>(n, [&](int64_t i, auto l) {
    using L = decltype(l);
    L::store(y + i, L::load(x + i) * scale + shift);
  });
}

// x and y are [n, c, inner], contiguous.
template <class T>
void apply_channels(const T* x, T* y, int64_t n, int64_t c, int64_t inner, const T* scale,
                    const T* shift) {
  if (inner == 1) {
    cpu::parallel_for(0, n, std::max<int64_t>(1, kGrain / c), [&](int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r)
        for_lanes<T>(c, [&](int64_t i, auto l) {
          using L = decltype(l);
          L::store(y + r * c + i, L::load(x + r * c + i) * L::load(scale + i) + L::load(shift + i));
        });
    });
    return;
  }
  cpu::parallel_for(0, n * c, std::max<int64_t>(1, kGrain / inner),
                    [&](int64_t first, int64_t last) {
                      for (int64_t p = first; p < last; ++p)
                        affine(x + p * inner, y + p * inner, inner, scale[p % c], shift[p % c]);
                    });
}

template <class T>
struct Channels {
  std::vector<T> mean, inverse;  // 1 / sqrt(var + eps)
  std::vector<double> unbiased;  // variance with n - 1, for running statistics
};

template <class T>
Channels<T> batch_statistics(const Tensor& x, double eps) {
  const auto c = static_cast<size_t>(x.sizes[1]);
  Channels<T> s{std::vector<T>(c), std::vector<T>(c), std::vector<double>(c)};
  if (x.numel() == 0) return s;
  DimMask mask = reduced_dims(std::nullopt, x.rank());
  mask.reset(1);
  const double n = static_cast<double>(reduced_numel(x.sizes, mask));
  const Load load = load_for(x.dtype, dtype_of<T>::value);
  std::vector<WideSum<T>> totals(c);
  reduce<SumOp<T>>(x, mask, load, nullptr, totals.data());
  for (size_t i = 0; i < c; ++i) s.mean[i] = static_cast<T>(totals[i] / n);
  reduce<SquareSumOp<T>>(x, mask, load, s.mean.data(), totals.data());
  for (size_t i = 0; i < c; ++i) {
    s.inverse[i] = static_cast<T>(1 / std::sqrt(totals[i] / n + eps));
    s.unbiased[i] = totals[i] / (n - 1);
  }
  return s;
}

template <class T>
Channels<T> given_statistics(const Tensor& mean, const Tensor& var, double eps) {
  const Tensor m = contiguous_as(mean, dtype_of<T>::value), v = contiguous_as(var, m.dtype);
  const auto c = static_cast<size_t>(m.numel());
  Channels<T> s{std::vector<T>(m.data<T>(), m.data<T>() + c), std::vector<T>(c), {}};
  for (size_t i = 0; i < c; ++i)
    s.inverse[i] = static_cast<T>(1 / std::sqrt(static_cast<double>(v.data<T>()[i]) + eps));
  return s;
}

struct Call {
  const Tensor& input;
  const Tensor *weight, *bias, *mean, *var;
  bool training;
  double momentum, eps;
};

template <class T>
void store_vector(const std::vector<T>& values, Tensor* out) {
  if (!out || out->numel() == 0) return;
  Result<T> r(*out);
  std::copy(values.begin(), values.end(), r.data());
  r.store();
}

// new = (1 - momentum) * old + momentum * seen.
template <class T, class S>
void store_running(const Tensor* old, const std::vector<S>& seen, double momentum, Tensor* out) {
  if (!old || !out) return;
  const Tensor before = contiguous_as(*old, dtype_of<T>::value);
  Result<T> after(*out);
  for (size_t i = 0; i < seen.size(); ++i)
    after.data()[i] = static_cast<T>((1 - momentum) * before.data<T>()[i] + momentum * seen[i]);
  after.store();
}

struct Outputs {
  Tensor& out;
  Tensor *save_mean = nullptr, *save_inverse = nullptr;
  Tensor *running_mean = nullptr, *running_var = nullptr;
};

template <class T>
void batch_norm_as(const Call& call, const Outputs& to) {
  const Tensor x = contiguous_as(call.input, dtype_of<T>::value);
  const auto c = static_cast<size_t>(x.sizes[1]);
  const Channels<T> s = call.training ? batch_statistics<T>(x, call.eps)
                                      : given_statistics<T>(*call.mean, *call.var, call.eps);
  const Parameter<T> weight(call.weight), bias(call.bias);
  std::vector<T> scale(c), shift(c);
  for (size_t i = 0; i < c; ++i) {
    scale[i] = weight.data() ? s.inverse[i] * weight.data()[i] : s.inverse[i];
    shift[i] = (bias.data() ? bias.data()[i] : T(0)) - s.mean[i] * scale[i];
  }
  Result<T> y(to.out);
  if (x.numel() > 0)
    apply_channels(x.data<T>(), y.data(), x.sizes[0], x.sizes[1],
                   x.numel() / (x.sizes[0] * x.sizes[1]), scale.data(), shift.data());
  y.store();
  if (call.training) {
    store_vector(s.mean, to.save_mean);
    store_vector(s.inverse, to.save_inverse);
    store_running<T>(call.mean, s.mean, call.momentum, to.running_mean);
    store_running<T>(call.var, s.unbiased, call.momentum, to.running_var);
  } else {
    if (to.running_mean) copy_strided(*call.mean, *to.running_mean);
    if (to.running_var) copy_strided(*call.var, *to.running_var);
  }
}

void run(const Call& call, const Outputs& to) {
  if (call.input.rank() < 2) {  // nothing to normalise
    if (to.running_mean) copy_strided(*call.mean, *to.running_mean);
    if (to.running_var) copy_strided(*call.var, *to.running_var);
    return;
  }
  dispatch_float(call.input.dtype, [&](auto t) { batch_norm_as<decltype(t)>(call, to); });
}

}  // namespace

void batch_norm(const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor* mean,
                const Tensor* var, bool training, double momentum, double eps, bool, Tensor& out) {
  run({input, weight, bias, mean, var, training || !mean, momentum, eps}, {out});
}
void batch_norm(const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor* mean,
                const Tensor* var, bool training, double momentum, double eps, Tensor& out,
                Tensor& save_mean, Tensor& save_inverse) {
  run({input, weight, bias, mean, var, training, momentum, eps}, {out, &save_mean, &save_inverse});
}
void batch_norm(const Tensor& input, const Tensor* weight, const Tensor* bias, bool,
                double momentum, double eps, Tensor& out, Tensor& save_mean, Tensor& save_inverse) {
  run({input, weight, bias, nullptr, nullptr, true, momentum, eps},
      {out, &save_mean, &save_inverse});
}
void batch_norm(const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor& mean,
                const Tensor& var, double momentum, double eps, Tensor& out, Tensor& save_mean,
                Tensor& save_inverse) {
  run({input, weight, bias, &mean, &var, false, momentum, eps}, {out, &save_mean, &save_inverse});
}
void batch_norm(const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor& mean,
                const Tensor& var, bool training, double momentum, double eps, Tensor& out,
                Tensor& save_mean, Tensor& save_inverse, Tensor& running_mean,
                Tensor& running_var) {
  run({input, weight, bias, &mean, &var, training, momentum, eps},
      {out, &save_mean, &save_inverse, &running_mean, &running_var});
}

}  // namespace rushlight::kernels::RL_CPU
