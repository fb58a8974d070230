// Gradients of layer_norm and group_norm from saved means and reciprocal deviations:
//
//   dx = rstd * (g - mean(g) - xhat * mean(g * xhat)),  g = grad * weight,  xhat = (x - mean) *
//   rstd
//
// with means over the normalised elements (Ba, Kiros, Hinton: "Layer Normalization", 2016).
#include "kernels/compute.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

struct Rows {
  int64_t rows, size;  // groups that are normalised together, and their elements
  int64_t run;         // neighbours that share a weight
  int64_t weights;     // distinct weights in turn, from row to row
};

template <class T>
struct Data {
  const T *grad, *x, *mean, *rstd;
  const T* weight;  // or null
};

// Weight that element `i` of row `r` is scaled with.
int64_t weight_of(const Rows& n, int64_t r, int64_t i) {
  return (r * (n.size / n.run) + i / n.run) % n.weights;
}

template <class T>
void input_gradient(const Rows& n, const Data<T>& d, T* out) {
  cpu::parallel_for(
      0, n.rows, kGrain / std::max<int64_t>(n.size, 1) + 1, [&](int64_t first, int64_t last) {
        for (int64_t r = first; r < last; ++r) {
          const T *grad = d.grad + r * n.size, *x = d.x + r * n.size;
          const double mean = d.mean[r], rstd = d.rstd[r];
          const auto scaled = [&](int64_t i) {
            return static_cast<double>(grad[i]) * (d.weight ? d.weight[weight_of(n, r, i)] : T(1));
          };
          double sum = 0, product = 0;
          for (int64_t i = 0; i < n.size; ++i) {
            const double g = scaled(i);
            sum += g;
            product += g * (x[i] - mean) * rstd;
          }
          const double count = static_cast<double>(n.size);
          for (int64_t i = 0; i < n.size; ++i) {
            const double xhat = (x[i] - mean) * rstd;
            out[r * n.size + i] =
                static_cast<T>(rstd * (scaled(i) - sum / count - xhat * product / count));
          }
        }
      });
}

template <class T>
void parameter_gradients(const Rows& n, const Data<T>& d, std::vector<double>& weight,
                         std::vector<double>& bias) {
  for (int64_t r = 0; r < n.rows; ++r)
    for (int64_t i = 0; i < n.size; ++i) {
      const auto w = static_cast<size_t>(weight_of(n, r, i));
      const double g = d.grad[r * n.size + i];
      bias[w] += g;
      weight[w] += g * (static_cast<double>(d.x[r * n.size + i]) - d.mean[r]) * d.rstd[r];
    }
}

template <class T>
void store(const std::vector<double>& values, Tensor& out) {
  Result<T> to(out);
  std::copy(values.begin(), values.end(), to.data());
  to.store();
}

void backward(const Rows& n, const Tensor& grad, const Tensor& input, const Tensor& mean,
              const Tensor& rstd, const Tensor* weight, BoolList mask, Tensor& grad_input,
              Tensor& grad_weight, Tensor& grad_bias) {
  dispatch_float(input.dtype, [&](auto zero) {
    using T = decltype(zero);
    constexpr DType dtype = dtype_of<T>::value;
    const Tensor g = contiguous_as(grad, dtype), x = contiguous_as(input, dtype);
    const Tensor m = contiguous_as(mean, dtype), s = contiguous_as(rstd, dtype);
    const Parameter<T> w(weight);
    const Data<T> d{g.data<T>(), x.data<T>(), m.data<T>(), s.data<T>(), w.data()};
    if (mask[0] && n.rows * n.size > 0) {
      Result<T> to(grad_input);
      input_gradient(n, d, to.data());
      to.store();
    }
    if (!mask[1] && !mask[2]) return;
    std::vector<double> sums(static_cast<size_t>(n.weights)), biases(sums.size());
    if (n.weights > 0) parameter_gradients(n, d, sums, biases);
    if (mask[1]) store<T>(sums, grad_weight);
    if (mask[2]) store<T>(biases, grad_bias);
  });
}

}  // namespace

void layer_norm_backward(const Tensor& grad, const Tensor& input, IntList shape, const Tensor& mean,
                         const Tensor& rstd, const Tensor* weight, const Tensor*, BoolList mask,
                         Tensor& grad_input, Tensor& grad_weight, Tensor& grad_bias) {
  int64_t size = 1;
  for (int64_t s : shape) size *= s;
  const Rows n{size > 0 ? input.numel() / size : 0, size, 1, size};
  backward(n, grad, input, mean, rstd, weight, mask, grad_input, grad_weight, grad_bias);
}

void group_norm_backward(const Tensor& grad, const Tensor& input, const Tensor& mean,
                         const Tensor& rstd, const Tensor* weight, int64_t batch, int64_t channels,
                         int64_t inner, int64_t groups, BoolList mask, Tensor& grad_input,
                         Tensor& grad_weight, Tensor& grad_bias) {
  const Rows n{batch * groups, channels / groups * inner, std::max<int64_t>(inner, 1), channels};
  backward(n, grad, input, mean, rstd, weight, mask, grad_input, grad_weight, grad_bias);
}

}  // namespace rushlight::kernels::portable
