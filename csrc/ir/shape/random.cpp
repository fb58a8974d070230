// Sizes and dtypes of random tensors.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

using Type = std::optional<DType>;
using Pinned = std::optional<bool>;
using Format = std::optional<MemoryFormat>;

void check_range(int64_t low, int64_t high) {
  RL_CHECK(low < high, Runtime, "random_ expects 'from' to be less than 'to', but got from=", low,
           " >= to=", high);
}

}  // namespace

void randint(int64_t low, int64_t high, IntList size, Type dtype, Pinned pinned, TensorMeta& out) {
  check_range(low, high);
  sized(size, dtype.value_or(DType::Int64), pinned, out);
}
void randint(int64_t high, IntList size, Type dtype, Pinned pinned, TensorMeta& out) {
  randint(0, high, size, dtype, pinned, out);
}
void randint_like(const TensorMeta& self, int64_t low, int64_t high, Type dtype, Pinned pinned,
                  Format format, TensorMeta& out) {
  check_range(low, high);
  like(self, dtype, pinned, format, out);
}
void randint_like(const TensorMeta& self, int64_t high, Type dtype, Pinned pinned, Format format,
                  TensorMeta& out) {
  randint_like(self, 0, high, dtype, pinned, format, out);
}

void randperm(int64_t n, Type dtype, Pinned, TensorMeta& out) {
  RL_CHECK(n >= 0, Runtime, "n must be non-negative, got", n);
  out.set(dtype.value_or(DType::Int64), IntList(&n, 1));
}

void bernoulli(const TensorMeta& self, double p, TensorMeta& out) {
  RL_CHECK(p >= 0 && p <= 1, Runtime, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  out.set(self.dtype, self.sizes);
}
void bernoulli(const TensorMeta& self, const TensorMeta& p, TensorMeta& out) {
  broadcast(self.sizes, p.sizes);
  out.set(self.dtype, self.sizes);
}

void multinomial(const TensorMeta& self, int64_t num_samples, bool replacement, TensorMeta& out) {
  RL_CHECK(self.rank() == 1 || self.rank() == 2, Runtime, "prob_dist must be 1 or 2 dim");
  RL_CHECK(
      is_floating(self.dtype), Runtime,
      "multinomial only supports floating-point dtypes for input, got: ", dtype_name(self.dtype));
  RL_CHECK(num_samples > 0, Runtime, "cannot sample n_sample <= 0 samples");
  RL_CHECK(replacement || num_samples <= self.sizes.back(), Runtime,
           "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  Dims sizes = self.sizes;
  sizes[sizes.size() - 1] = num_samples;
  out.set(DType::Int64, sizes);
}

}  // namespace rushlight::shape
