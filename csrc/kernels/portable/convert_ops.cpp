// Operators that convert a tensor or overwrite it.
#include "kernels/kernel.h"

namespace rushlight::kernels::portable {
namespace {

// `src` stretched to the sizes of `out`.
Tensor expanded(const Tensor& src, const Tensor& out) {
  TensorMeta meta = src;
  meta.sizes = out.sizes;
  meta.strides.assign(out.sizes.size(), 0);
  const size_t lead = out.sizes.size() - src.sizes.size();
  for (size_t d = 0; d < src.sizes.size(); ++d)
    if (src.sizes[d] != 1) meta.strides[lead + d] = src.strides[d];
  return src.view(meta);
}

void fill_with(Scalar value, Tensor& out) {
  PointwiseProgram program;
  program.operands.push_back({value, out.dtype});
  program.outputs.push_back(0);
  Tensor* outs = &out;
  run_pointwise(program, {}, {&outs, 1});
}

}  // namespace

void to_copy(const Tensor& self, std::optional<DType> /*dtype*/, std::optional<bool> /*pin*/,
             bool /*non_blocking*/, std::optional<MemoryFormat> /*format*/, Tensor& out) {
  copy_strided(self, out);
}
void to_copy(const Tensor& self, std::optional<DType> /*dtype*/, std::optional<bool> /*pin*/,
             bool /*non_blocking*/, bool /*copy*/, std::optional<MemoryFormat> /*format*/,
             Tensor& out) {
  copy_strided(self, out);
}
void to_copy(const Tensor& self, DType /*dtype*/, bool /*non_blocking*/, bool /*copy*/,
             std::optional<MemoryFormat> /*format*/, Tensor& out) {
  copy_strided(self, out);
}
void to_copy(const Tensor& self, const Tensor& /*other*/, bool /*non_blocking*/, bool /*copy*/,
             std::optional<MemoryFormat> /*format*/, Tensor& out) {
  copy_strided(self, out);
}
void to_copy(const Tensor& self, const Tensor& /*other*/, Tensor& out) { copy_strided(self, out); }

void overwrite(const Tensor& /*self*/, const Tensor& src, bool /*non_blocking*/, Tensor& out) {
  copy_strided(expanded(src, out), out);
}
void fill(const Tensor& /*self*/, Scalar value, Tensor& out) { fill_with(value, out); }
void fill(const Tensor& /*self*/, const Tensor& value, Tensor& out) {
  copy_strided(expanded(value, out), out);
}
void zero(const Tensor& /*self*/, Tensor& out) { fill_with(Scalar(0), out); }

}  // namespace rushlight::kernels::portable
