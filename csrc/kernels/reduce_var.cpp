// Variances and standard deviations: the mean first, then the squared distances from it.
#include <cmath>

#include "kernels/kernel.h"
#include "kernels/reduce_ops.h"

namespace rushlight::kernels::RL_CPU {
namespace {

// A complex tensor as a real one with a last dimension of 2.
Tensor as_real(const Tensor& t) {
  if (!is_complex(t.dtype)) return t;
  TensorMeta meta = t;
  meta.dtype = real_type(t.dtype);
  for (int64_t& s : meta.strides) s *= 2;
  meta.sizes.push_back(2);
  meta.strides.push_back(1);
  return Tensor(meta, t.storage(), t.raw());
}

// Means and sums of squared distances, one per output; `mean` may be used as scratch afterwards.
template <class T>
struct Moments {
  std::vector<T> mean;
  std::vector<WideSum<T>> squares;

  Moments(const Tensor& self, const DimMask& mask, int64_t outputs)
      : mean(static_cast<size_t>(outputs)), squares(static_cast<size_t>(outputs)) {
    const Load load = load_for(self.dtype, dtype_of<T>::value);
    const auto n = static_cast<double>(reduced_numel(self.sizes, mask));
    reduce<SumOp<T>>(self, mask, load, nullptr, squares.data());
    for (size_t i = 0; i < mean.size(); ++i) mean[i] = static_cast<T>(squares[i] / n);
    reduce<SquareSumOp<T>>(self, mask, load, mean.data(), squares.data());
  }
};

template <class T>
void var_as(const Tensor& self, const DimMask& mask, double correction, bool root, Tensor& out,
            Tensor* mean_out) {
  const int64_t parts = is_complex(self.dtype) ? 2 : 1, n = out.numel();
  Moments<T> moments(as_real(self), mask, n * parts);
  const double count = static_cast<double>(reduced_numel(self.sizes, mask));
  const double divisor = std::max(0.0, count - correction);
  Results<T> results(out);
  for (int64_t i = 0; i < n; ++i) {
    double squares = 0;
    for (int64_t p = 0; p < parts; ++p) squares += moments.squares[i * parts + p];
    const double var = squares / divisor;
    results.data[i] = static_cast<T>(root ? std::sqrt(var) : var);
  }
  results.store();
  if (!mean_out) return;
  TensorMeta meta;
  meta.set(parts == 2 ? mean_out->dtype : dtype_of<T>::value, mean_out->sizes);
  copy_strided(Tensor(meta, self.storage(), reinterpret_cast<std::byte*>(moments.mean.data())),
               *mean_out);
}

void var_into(const Tensor& self, std::optional<IntList> dim, double correction, bool root,
              Tensor& out, Tensor* mean = nullptr) {
  DimMask mask = reduced_dims(dim, self.rank());
  if (self.rank() == 0) mask.reset();  // the pair of a complex number is no dimension
  if (real_type(self.dtype) == DType::Float64)
    var_as<double>(self, mask, correction, root, out, mean);
  else
    var_as<float>(self, mask, correction, root, out, mean);
}

double value(std::optional<Scalar> correction) { return correction ? correction->to_double() : 1; }

}  // namespace

void var(const Tensor& self, bool unbiased, Tensor& out) {
  var_into(self, std::nullopt, unbiased, false, out);
}
void var(const Tensor& self, std::optional<IntList> dim, bool unbiased, bool, Tensor& out) {
  var_into(self, dim, unbiased, false, out);
}
void var(const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> correction, bool,
         Tensor& out) {
  var_into(self, dim, value(correction), false, out);
}
void std_dev(const Tensor& self, bool unbiased, Tensor& out) {
  var_into(self, std::nullopt, unbiased, true, out);
}
void std_dev(const Tensor& self, std::optional<IntList> dim, bool unbiased, bool, Tensor& out) {
  var_into(self, dim, unbiased, true, out);
}
void std_dev(const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> correction, bool,
             Tensor& out) {
  var_into(self, dim, value(correction), true, out);
}
void var_mean(const Tensor& self, bool unbiased, Tensor& out, Tensor& mean) {
  var_into(self, std::nullopt, unbiased, false, out, &mean);
}
void var_mean(const Tensor& self, std::optional<IntList> dim, bool unbiased, bool, Tensor& out,
              Tensor& mean) {
  var_into(self, dim, unbiased, false, out, &mean);
}
void var_mean(const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> correction,
              bool, Tensor& out, Tensor& mean) {
  var_into(self, dim, value(correction), false, out, &mean);
}
void std_mean(const Tensor& self, bool unbiased, Tensor& out, Tensor& mean) {
  var_into(self, std::nullopt, unbiased, true, out, &mean);
}
void std_mean(const Tensor& self, std::optional<IntList> dim, bool unbiased, bool, Tensor& out,
              Tensor& mean) {
  var_into(self, dim, unbiased, true, out, &mean);
}
void std_mean(const Tensor& self, std::optional<IntList> dim, std::optional<Scalar> correction,
              bool, Tensor& out, Tensor& mean) {
  var_into(self, dim, value(correction), true, out, &mean);
}

}  // namespace rushlight::kernels::RL_CPU
