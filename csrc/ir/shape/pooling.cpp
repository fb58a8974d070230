// Shape rules of pooling.
#include "ir/shape/generated.h"
#include "ir/shape/pool_sizes.h"

namespace rushlight::shape {
namespace {

void check_input(const char* name, const TensorMeta& self, size_t n) {
  const size_t rank = self.sizes.size();
  RL_CHECK(rank == n + 1 || rank == n + 2, Runtime, name, ": expected ", n + 1, "D or ", n + 2,
           "D input, got shape ", self.sizes);
  for (size_t d = rank - n - 1; d < rank; ++d)
    RL_CHECK(self.sizes[d] > 0, Runtime, name,
             ": expected input with non-zero size for non-batch dimensions, got shape ",
             self.sizes);
}

void check_list(const char* name, const char* what, IntList values, size_t n, bool may_be_empty) {
  const bool fits = values.size() == 1 || values.size() == n || (may_be_empty && values.empty());
  RL_CHECK(fits, Runtime, name, ": ", what, " must be one int or ", n, " ints, got ", Dims(values));
}

void pool(const char* name, const TensorMeta& self, size_t n, IntList kernel, IntList stride,
          IntList padding, IntList dilation, bool ceil_mode, TensorMeta& out) {
  check_input(name, self, n);
  check_list(name, "kernel_size", kernel, n, false);
  check_list(name, "stride", stride, n, true);
  check_list(name, "padding", padding, n, false);
  check_list(name, "dilation", dilation, n, false);
  const PoolWindow w = pool_window(n, kernel, stride, padding, dilation, ceil_mode);
  const auto in = spatial_sizes(self, n);
  Dims sizes = self.sizes;
  for (size_t d = 3 - n; d < 3; ++d) {
    RL_CHECK(w.kernel[d] > 0, Runtime, name, ": kernel size should be greater than zero, got ",
             Dims(kernel));
    RL_CHECK(w.stride[d] > 0, Runtime, name, ": stride should be greater than zero, got ",
             Dims(stride));
    RL_CHECK(w.dilation[d] > 0, Runtime, name, ": dilation should be greater than zero, got ",
             Dims(dilation));
    RL_CHECK(w.padding[d] >= 0, Runtime, name, ": pad must be non-negative, got ", Dims(padding));
    RL_CHECK(w.padding[d] <= (w.dilation[d] * (w.kernel[d] - 1) + 1) / 2, Runtime, name,
             ": pad should be at most half of effective kernel size, got padding=", Dims(padding),
             ", kernel_size=", Dims(kernel), " and dilation=", Dims(dilation));
    const int64_t size = pooled_size(in[d], w, d);
    RL_CHECK(size > 0, Runtime, name, ": output size is too small: input of shape ", self.sizes,
             " gives ", size, " along spatial dimension ", d - (3 - n));
    sizes[sizes.size() - 3 + d] = size;
  }
  out.set(out.dtype, sizes);
}

void max_pool(const char* name, const TensorMeta& self, size_t n, IntList kernel, IntList stride,
              IntList padding, IntList dilation, bool ceil_mode, TensorMeta& out) {
  RL_CHECK(!is_complex(self.dtype) && self.dtype != DType::Bool, NotImplemented, name,
           " is not implemented for ", dtype_name(self.dtype));
  pool(name, self, n, kernel, stride, padding, dilation, ceil_mode, out);
}

void avg_pool(const char* name, const TensorMeta& self, size_t n, IntList kernel, IntList stride,
              IntList padding, bool ceil_mode, std::optional<int64_t> divisor, TensorMeta& out) {
  RL_CHECK(!divisor || *divisor != 0, Runtime, name, ": divisor must be not zero");
  RL_CHECK(is_floating(self.dtype) || self.dtype == DType::Int64, NotImplemented, name,
           " is not implemented for ", dtype_name(self.dtype));
  const int64_t one = 1;
  pool(name, self, n, kernel, stride, padding, IntList(&one, 1), ceil_mode, out);
}

void adaptive(const char* name, const TensorMeta& self, size_t n, IntList output_size,
              TensorMeta& out) {
  RL_CHECK(is_floating(self.dtype), NotImplemented, name, " is not implemented for ",
           dtype_name(self.dtype));
  check_input(name, self, n);
  check_list(name, "output_size", output_size, n, false);
  const auto wanted = spatial(output_size, n, 1);
  Dims sizes = self.sizes;
  for (size_t d = 3 - n; d < 3; ++d) {
    RL_CHECK(wanted[d] >= 0, Runtime, name, ": elements of output_size must be greater than or ",
             "equal to 0, got ", Dims(output_size));
    sizes[sizes.size() - 3 + d] = wanted[d];
  }
  out.set(out.dtype, sizes);
}

}  // namespace

#define RL_MAX_POOL(n)                                                                          \
  void max_pool##n##d(const TensorMeta& self, IntList kernel, IntList stride, IntList padding,  \
                      IntList dilation, bool ceil_mode, TensorMeta& out) {                      \
    max_pool("max_pool" #n "d", self, n, kernel, stride, padding, dilation, ceil_mode, out);    \
  }                                                                                             \
  void max_pool##n##d(const TensorMeta& self, IntList kernel, IntList stride, IntList padding,  \
                      IntList dilation, bool ceil_mode, TensorMeta& out, TensorMeta& indices) { \
    max_pool("max_pool" #n "d", self, n, kernel, stride, padding, dilation, ceil_mode, out);    \
    indices.set(DType::Int64, out.sizes);                                                       \
  }                                                                                             \
  void adaptive_avg_pool##n##d(const TensorMeta& self, IntList output_size, TensorMeta& out) {  \
    adaptive("adaptive_avg_pool" #n "d", self, n, output_size, out);                            \
  }                                                                                             \
  void adaptive_max_pool##n##d(const TensorMeta& self, IntList output_size, TensorMeta& out,    \
                               TensorMeta& indices) {                                           \
    adaptive("adaptive_max_pool" #n "d", self, n, output_size, out);                            \
    indices.set(DType::Int64, out.sizes);                                                       \
  }
RL_MAX_POOL(1)
RL_MAX_POOL(2)
RL_MAX_POOL(3)
#undef RL_MAX_POOL

void avg_pool1d(const TensorMeta& self, IntList kernel, IntList stride, IntList padding,
                bool ceil_mode, bool, TensorMeta& out) {
  avg_pool("avg_pool1d", self, 1, kernel, stride, padding, ceil_mode, std::nullopt, out);
}
void avg_pool2d(const TensorMeta& self, IntList kernel, IntList stride, IntList padding,
                bool ceil_mode, bool, std::optional<int64_t> divisor, TensorMeta& out) {
  avg_pool("avg_pool2d", self, 2, kernel, stride, padding, ceil_mode, divisor, out);
}
void avg_pool3d(const TensorMeta& self, IntList kernel, IntList stride, IntList padding,
                bool ceil_mode, bool, std::optional<int64_t> divisor, TensorMeta& out) {
  avg_pool("avg_pool3d", self, 3, kernel, stride, padding, ceil_mode, divisor, out);
}

}  // namespace rushlight::shape
