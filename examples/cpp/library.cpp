// Two operators for programs that call examples::scale and examples::count_above.
#include <rushlight/library.h>

using namespace rushlight;

namespace {

const float* floats(const Tensor& x) {
  RL_CHECK(x.dtype == DType::Float32 && x.is_contiguous(), Runtime,
           "expected a contiguous float32 tensor, got ", describe(x));
  return x.data<float>();
}

TensorMeta scaled_meta(const Tensor& x, double) {
  TensorMeta meta;
  meta.set(DType::Float32, x.sizes);
  return meta;
}

void scale(const Tensor& x, double by, Tensor& out) {
  const float* from = floats(x);
  float* to = out.data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = static_cast<float>(by) * from[i];
}

int64_t count_above(const Tensor& x, double limit) {
  const float* values = floats(x);
  int64_t count = 0;
  for (int64_t i = 0; i < x.numel(); ++i) count += values[i] > limit;
  return count;
}

}  // namespace

RUSHLIGHT_LIBRARY(examples, m) {
  m.def("scale(Tensor x, float by=2.0) -> Tensor", scaled_meta, scale);
  m.def("count_above(Tensor x, float limit) -> int", count_above);
}
