// Losses that compare input and target element by element, then add or average.
#include <cmath>

#include "kernels/expanded.h"
#include "kernels/kernel.h"
#include "kernels/loss_reduction.h"
#include "kernels/reduce_ops.h"

namespace rushlight::kernels::RL_CPU {
namespace {

// Calls f(x, y) (or f(x, y, i) with the flat index) for every pair and reduces the results.
template <class T, class F>
void loss_as(const Tensor& self, const Tensor& target, int64_t reduction, F&& f, Tensor& out) {
  const Dims sizes = broadcast(self.sizes, target.sizes);
  const Tensor a = expanded(self, sizes, dtype_of<T>::value);
  const Tensor b = expanded(target, sizes, dtype_of<T>::value);
  const T *x = a.data<T>(), *y = b.data<T>();
  const int64_t n = a.numel();
  Tensor each;
  std::optional<Result<T>> result;
  if (reduction == kNone)
    result.emplace(out);
  else
    each = Tensor::empty(sizes, dtype_of<T>::value);
  T* const to = result ? result->data() : each.data<T>();
  cpu::parallel_for(0, n, kGrain / 4, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      if constexpr (std::is_invocable_v<F, T, T, int64_t>)
        to[i] = f(x[i], y[i], i);
      else
        to[i] = f(x[i], y[i]);
    }
  });
  if (result) return result->store();
  double total = static_cast<double>(reduction::row<SumOp<T>>(to, n, T(0)));
  if (reduction == kMean) total /= static_cast<double>(n);
  Result<T> one(out);
  *one.data() = static_cast<T>(total);
  one.store();
}

// ln(1 + e^-|x|) + max(-x, 0) without overflow.
template <class T>
T softplus_negative(T x) {
  return std::log1p(std::exp(-std::abs(x))) + std::max(-x, T(0));
}

template <class T>
T x_log_y(T x, T y) {
  if (std::isnan(y)) return y;
  return x == T(0) ? T(0) : x * std::log(y);
}

}  // namespace

#define RL_LOSS(...)                                       \
  dispatch_float(out.dtype, [&](auto tag) {                \
    using T = decltype(tag);                               \
    loss_as<T>(self, target, reduction, __VA_ARGS__, out); \
  })

void mse_loss(const Tensor& self, const Tensor& target, int64_t reduction, Tensor& out) {
  RL_LOSS([](T x, T y) { return (x - y) * (x - y); });
}

void l1_loss(const Tensor& self, const Tensor& target, int64_t reduction, Tensor& out) {
  RL_LOSS([](T x, T y) { return std::abs(x - y); });
}

void smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction, double beta,
                    Tensor& out) {
  RL_LOSS([b = static_cast<T>(beta)](T x, T y) {
    const T z = std::abs(x - y);
    return z < b ? T(0.5) * z * z / b : z - T(0.5) * b;
  });
}

void huber_loss(const Tensor& self, const Tensor& target, int64_t reduction, double delta,
                Tensor& out) {
  RL_LOSS([d = static_cast<T>(delta)](T x, T y) {
    const T z = std::abs(x - y);
    return z <= d ? T(0.5) * z * z : d * (z - T(0.5) * d);
  });
}

void soft_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction, Tensor& out) {
  RL_LOSS([](T x, T y) { return softplus_negative(x * y); });
}

void hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin,
                          int64_t reduction, Tensor& out) {
  RL_LOSS([m = static_cast<T>(margin)](T x, T y) {
    return (y != T(1) ? std::max(T(0), m - x) : T(0)) + (y != T(-1) ? x : T(0));
  });
}

void poisson_nll_loss(const Tensor& self, const Tensor& target, bool log_input, bool full,
                      double eps, int64_t reduction, Tensor& out) {
  RL_LOSS([=, e = static_cast<T>(eps)](T x, T y) {
    T loss = log_input ? std::exp(x) - y * x : x - y * std::log(x + e);
    if (full && y > T(1))
      loss += y * std::log(y) - y + T(0.5) * std::log(T(2 * 3.14159265358979323846) * y);
    return loss;
  });
}

void kl_div(const Tensor& self, const Tensor& target, int64_t reduction, bool log_target,
            Tensor& out) {
  RL_LOSS([log_target](T x, T y) {
    return log_target ? std::exp(y) * (y - x) : x_log_y(y, y) - y * x;
  });
}

void binary_cross_entropy(const Tensor& self, const Tensor& target, const Tensor* weight,
                          int64_t reduction, Tensor& out) {
  RL_LOSS([w = weight ? expanded(*weight, self.sizes, dtype_of<T>::value) : Tensor()](T x, T y,
                                                                                      int64_t i) {
    RL_CHECK(x >= T(0) && x <= T(1), Runtime,
             "binary_cross_entropy: all elements of input should be between 0 and 1, got ", x);
    // Logarithms are cut at -100, so that the loss stays finite.
    const T loss =
        (y - T(1)) * std::max(std::log1p(-x), T(-100)) - y * std::max(std::log(x), T(-100));
    return w.defined() ? loss * w.template data<T>()[i] : loss;
  });
}

void binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                      const Tensor* weight, const Tensor* pos_weight,
                                      int64_t reduction, Tensor& out) {
  RL_LOSS([w = weight ? expanded(*weight, self.sizes, dtype_of<T>::value) : Tensor(),
           p = pos_weight ? expanded(*pos_weight, self.sizes, dtype_of<T>::value) : Tensor()](
              T x, T y, int64_t i) {
    const T positive = p.defined() ? (p.template data<T>()[i] - T(1)) * y + T(1) : T(1);
    const T loss = (T(1) - y) * x + positive * softplus_negative(x);
    return w.defined() ? loss * w.template data<T>()[i] : loss;
  });
}
#undef RL_LOSS

}  // namespace rushlight::kernels::RL_CPU
