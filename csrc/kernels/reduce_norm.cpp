// Vector norms.
#include <cmath>

#include "kernels/kernel.h"
#include "kernels/reduce_ops.h"

namespace rushlight::kernels::RL_CPU {
namespace {

// |x|^p for the orders without a loop of their own.
template <class T>
Tensor powers(const Tensor& self, double p) {
  const Tensor x = self.contiguous();
  Tensor out = Tensor::empty(self.sizes, dtype_of<T>::value);
  const Load load = load_for(x.dtype, dtype_of<T>::value, LoadAs::Absolute);
  cpu::parallel_for(0, x.numel(), kGrain / 16, [&](int64_t first, int64_t last) {
    T* o = out.data<T>();
    load.run(x.raw() + first * load.item, o + first, last - first);
    for (int64_t i = first; i < last; ++i) o[i] = std::pow(o[i], static_cast<T>(p));
  });
  return out;
}

template <class T>
void norm_as(const Tensor& self, double p, const DimMask& mask, Tensor& out) {
  const DType type = dtype_of<T>::value;
  const Load absolute = load_for(self.dtype, type, LoadAs::Absolute);
  if (std::isinf(p)) {
    Results<T> results(out);
    if (p > 0)
      reduce<MaxOp<T>>(self, mask, absolute, nullptr, results.data);
    else
      reduce<MinOp<T>>(self, mask, absolute, nullptr, results.data);
    return results.store();
  }
  if (p == 0) {
    Results<int64_t> results(out);
    reduce<SumOp<int64_t>>(self, mask, load_for(self.dtype, DType::Int64, LoadAs::NonZero), nullptr,
                           results.data);
    return results.store();
  }
  Results<WideSum<T>> results(out);
  const int64_t n = out.numel();
  if (p == 2) {
    const Load load = is_complex(self.dtype) ? absolute : load_for(self.dtype, type);
    reduce<SquareSumOp<T>>(self, mask, load, nullptr, results.data);
    for (int64_t i = 0; i < n; ++i) results.data[i] = std::sqrt(results.data[i]);
  } else if (p == 1) {
    reduce<SumOp<T>>(self, mask, absolute, nullptr, results.data);
  } else {
    const Tensor x = powers<T>(self, p);
    reduce<SumOp<T>>(x, mask, load_for(type, type), nullptr, results.data);
    for (int64_t i = 0; i < n; ++i)
      results.data[i] = std::pow(results.data[i], static_cast<WideSum<T>>(1 / p));
  }
  results.store();
}

void norm_into(const Tensor& self, double p, std::optional<IntList> dim, Tensor& out) {
  const DimMask mask = reduced_dims(dim, self.rank());
  if (out.dtype == DType::Float64)
    norm_as<double>(self, p, mask, out);
  else
    norm_as<float>(self, p, mask, out);
}

double order(std::optional<Scalar> p) { return p ? p->to_double() : 2; }

}  // namespace

void linalg_vector_norm(const Tensor& self, Scalar ord, std::optional<IntList> dim, bool,
                        std::optional<DType>, Tensor& out) {
  norm_into(self, ord.to_double(), dim, out);
}
void norm(const Tensor& self, Scalar p, Tensor& out) {
  norm_into(self, p.to_double(), std::nullopt, out);
}
void norm(const Tensor& self, std::optional<Scalar> p, IntList dim, bool, Tensor& out) {
  norm_into(self, order(p), dim, out);
}
void norm(const Tensor& self, std::optional<Scalar> p, IntList dim, bool, DType, Tensor& out) {
  norm_into(self, order(p), dim, out);
}
void norm(const Tensor& self, std::optional<Scalar> p, DType, Tensor& out) {
  norm_into(self, order(p), std::nullopt, out);
}

}  // namespace rushlight::kernels::RL_CPU
