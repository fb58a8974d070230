// Negative log-likelihood and cross entropy over [N, C, …].
#include <cmath>

#include "kernels/compute.h"
#include "kernels/kernel.h"
#include "kernels/loss_reduction.h"

namespace rushlight::kernels::RL_CPU {

// softmax.cpp
void log_softmax(const Tensor& self, int64_t dim, std::optional<DType> dtype, Tensor& out);

namespace {

struct Layout {
  int64_t n = 1, classes = 1, inner = 1;
  explicit Layout(const Tensor& x) {
    const size_t c = x.rank() == 1 ? 0 : 1;
    for (size_t d = 0; d < x.sizes.size(); ++d)
      (d < c ? n : d == c ? classes : inner) *= x.sizes[d];
  }
};

// `log_p` is [n, classes, inner], contiguous; adds up in double.
template <class T>
void nll_as(const Tensor& log_p, const Tensor& target, const Tensor* weight, int64_t reduction,
            int64_t ignore, double smoothing, Tensor& out, Tensor* total_weight) {
  const Layout l(log_p);
  const Tensor labels = contiguous_as(target, DType::Int64);
  const Parameter<T> w(weight);
  const T* const x = log_p.data<T>();
  Result<T> result(out);
  double sum = 0, weights = 0, smooth = 0;
  for (int64_t i = 0; i < l.n * l.inner; ++i) {
    const int64_t label = labels.data<int64_t>()[i];
    T loss = 0;
    if (label != ignore) {
      RL_CHECK(label >= 0 && label < l.classes, Index, "nll_loss: Target ", label,
               " is out of bounds: expected 0 <= target < ", l.classes);
      const T* row = x + i / l.inner * l.classes * l.inner + i % l.inner;
      const T share = w.data() ? w.data()[label] : T(1);
      loss = -row[label * l.inner] * share;
      weights += share;
      sum += loss;
      if (smoothing > 0) {
        double all = 0;
        for (int64_t c = 0; c < l.classes; ++c)
          all -= row[c * l.inner] * (w.data() ? w.data()[c] : T(1));
        smooth += all;
        loss = static_cast<T>((1 - smoothing) * loss +
                              smoothing / static_cast<double>(l.classes) * all);
      }
    }
    if (reduction == kNone) result.data()[i] = loss;
  }
  if (reduction != kNone) {
    double value = (1 - smoothing) * sum + smoothing / static_cast<double>(l.classes) * smooth;
    if (reduction == kMean) value /= weights;
    *result.data() = static_cast<T>(value);
  }
  result.store();
  if (!total_weight) return;
  Result<T> total(*total_weight);
  *total.data() = reduction == kNone ? T(0) : static_cast<T>(weights);
  total.store();
}

void nll(const Tensor& self, const Tensor& target, const Tensor* weight, int64_t reduction,
         int64_t ignore, Tensor& out, Tensor* total_weight) {
  dispatch_float(self.dtype, [&](auto t) {
    using T = decltype(t);
    nll_as<T>(contiguous_as(self, dtype_of<T>::value), target, weight, reduction, ignore, 0, out,
              total_weight);
  });
}

// Targets that are probabilities: -sum_c weight[c] * target[c] * log_p[c].
template <class T>
void soft_targets(const Tensor& log_p, const Tensor& target, const Tensor* weight,
                  int64_t reduction, double smoothing, Tensor& out) {
  const Layout l(log_p);
  const Tensor p = contiguous_as(target, dtype_of<T>::value);
  const Parameter<T> w(weight);
  Result<T> result(out);
  double sum = 0;
  for (int64_t i = 0; i < l.n * l.inner; ++i) {
    const int64_t at = i / l.inner * l.classes * l.inner + i % l.inner;
    double loss = 0;
    for (int64_t c = 0; c < l.classes; ++c) {
      const double wanted = (1 - smoothing) * p.data<T>()[at + c * l.inner] +
                            smoothing / static_cast<double>(l.classes);
      loss -= wanted * log_p.data<T>()[at + c * l.inner] * (w.data() ? w.data()[c] : T(1));
    }
    if (reduction == kNone) result.data()[i] = static_cast<T>(loss);
    sum += loss;
  }
  if (reduction == kMean) sum /= static_cast<double>(l.n * l.inner);
  if (reduction != kNone) *result.data() = static_cast<T>(sum);
  result.store();
}

}  // namespace

void nll_loss(const Tensor& self, const Tensor& target, const Tensor* weight, int64_t reduction,
              int64_t ignore_index, Tensor& out) {
  nll(self, target, weight, reduction, ignore_index, out, nullptr);
}
void nll_loss(const Tensor& self, const Tensor& target, const Tensor* weight, int64_t reduction,
              int64_t ignore_index, Tensor& out, Tensor& total_weight) {
  nll(self, target, weight, reduction, ignore_index, out, &total_weight);
}

void cross_entropy_loss(const Tensor& self, const Tensor& target, const Tensor* weight,
                        int64_t reduction, int64_t ignore_index, double label_smoothing,
                        Tensor& out) {
  dispatch_float(self.dtype, [&](auto t) {
    using T = decltype(t);
    Tensor log_p = Tensor::empty(self.sizes, dtype_of<T>::value);
    log_softmax(self, self.rank() == 1 ? 0 : 1, std::optional<DType>(), log_p);
    if (is_floating(target.dtype))
      soft_targets<T>(log_p, target, weight, reduction, label_smoothing, out);
    else
      nll_as<T>(log_p, target, weight, reduction, ignore_index, label_smoothing, out, nullptr);
  });
}

}  // namespace rushlight::kernels::RL_CPU
