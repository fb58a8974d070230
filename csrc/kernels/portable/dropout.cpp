// Operators that drop elements at random while a model trains.
#include "kernels/portable/call.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {

// Kept elements are scaled so that the mean stays what it was (Srivastava et al.: "Dropout: A
// Simple Way to Prevent Neural Networks from Overfitting", JMLR 2014).
void native_dropout(const Tensor& input, double p, std::optional<bool> train, Tensor& out,
                    Tensor& mask) {
  if (!train.value_or(true) || p == 0) {
    copy_strided(input, out);
    call("fill_.Scalar", mask, Scalar(true));
    return;
  }
  call("bernoulli_.float", mask, 1 - p);
  const double scale = p < 1 ? 1 / (1 - p) : 0;
  give(call("mul.Scalar", call("mul.Tensor", input, mask), Scalar(scale)), out);
}

// Every negative element has a random slope in training, the middle one otherwise.
void rrelu_with_noise(const Tensor& self, const Tensor& noise, Scalar lower, Scalar upper,
                      bool training, Tensor& out, Tensor& slopes) {
  const double low = lower.to_double(), high = upper.to_double();
  const Tensor ones = call("ones_like", self);
  Tensor slope = call("mul.Scalar", ones, Scalar((low + high) / 2));
  if (training) slope = call("uniform", self, low, high);
  const Tensor negative = call("le.Scalar", self, Scalar(0));
  const Tensor factor = call("where.self", negative, slope, ones);
  give(call("mul.Tensor", self, factor), out);
  give(training ? factor : noise, slopes);
}

}  // namespace rushlight::kernels::portable
