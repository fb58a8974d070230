// Operators that drop elements at random while a model trains.
#include "kernels/portable/dropout.h"

#include <cmath>
#include <limits>

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

namespace {

// Ones and zeros for every element, or for every channel of every sample.
Tensor kept(const Tensor& input, double p, bool features) {
  Dims sizes = input.sizes;
  for (size_t d = 2; features && d < sizes.size(); ++d) sizes[d] = 1;
  return call("bernoulli.p", call("empty.memory_format", IntList(sizes), input.dtype), 1 - p);
}

void drop(const Tensor& input, double p, bool features, Tensor& out) {
  const double scale = p < 1 ? 1 / (1 - p) : 0;
  const Tensor noise = call("mul.Scalar", kept(input, p, features), Scalar(scale));
  give(call("mul.Tensor", input, noise), out);
}

// Dropped elements take SELU's lower limit; scale and shift keep mean and variance (Klambauer et
// al.: "Self-Normalizing Neural Networks", NeurIPS 2017).
void drop_to_limit(const Tensor& input, double p, bool features, Tensor& out) {
  constexpr double limit = 1.7580993408473766;
  if (p == 1) return give(call("zeros_like", input), out);
  const double scale = 1 / std::sqrt((limit * limit * p + 1) * (1 - p));
  const Tensor noise = kept(input, p, features);
  Tensor shift = call("mul.Scalar", call("sub.Scalar", noise, Scalar(1)), Scalar(limit * scale));
  shift = call("add.Scalar", shift, Scalar(limit * scale * p));
  const Tensor scaled = call("mul.Tensor", input, call("mul.Scalar", noise, Scalar(scale)));
  give(call("add.Tensor", scaled, shift), out);
}

}  // namespace

void feature_dropout(const Tensor& input, double p, Tensor& out) { drop(input, p, true, out); }
void alpha_dropout(const Tensor& input, double p, Tensor& out) {
  drop_to_limit(input, p, false, out);
}
void feature_alpha_dropout(const Tensor& input, double p, Tensor& out) {
  drop_to_limit(input, p, true, out);
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

void attention_with_dropout(const Tensor& query, const Tensor& key, const Tensor& value,
                            const Tensor* mask, double dropout, bool causal,
                            std::optional<double> scale, Tensor& out) {
  const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  Tensor k = key, v = value;
  if (query.rank() >= 3 && key.size(-3) != query.size(-3)) {  // grouped queries
    const int64_t times = query.size(-3) / key.size(-3);
    k = call("repeat_interleave.self_int", key, times, -3);
    v = call("repeat_interleave.self_int", value, times, -3);
  }
  Tensor scores = call("matmul", query, call("transpose.int", k, -2, -1));
  scores = call("mul.Scalar", scores, Scalar(factor));
  const Scalar never(-std::numeric_limits<double>::infinity());
  if (causal) {
    const Tensor seen = call("tril", call("ones", Dims{query.size(-2), key.size(-2)}, DType::Bool));
    scores = call("masked_fill.Scalar", scores, call("logical_not", seen), never);
  }
  if (mask && mask->dtype == DType::Bool)
    scores = call("masked_fill.Scalar", scores, call("logical_not", *mask), never);
  else if (mask)
    scores = call("add.Tensor", scores, *mask);
  const Tensor weights = call("native_dropout", call("_safe_softmax", scores, -1), dropout, true);
  copy_strided(call("matmul", weights, v), out);
}

}  // namespace rushlight::kernels::portable
