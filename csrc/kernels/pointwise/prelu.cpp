// prelu: the weight belongs to dimension 1.
#include "kernels/kernel.h"

namespace rushlight::kernels::RL_CPU {

namespace tile {
TileFn prelu(DType t, std::string_view string);
}

void prelu(const Tensor& self, const Tensor& weight, Tensor& out) {
  TensorMeta meta = weight;
  meta.sizes.assign(std::max<size_t>(self.sizes.size(), 1), 1);
  meta.strides.assign(meta.sizes.size(), 0);
  if (weight.numel() > 1) {
    meta.sizes[1] = weight.numel();
    meta.strides[1] = weight.strides[0];
  } else if (self.sizes.empty()) {
    meta.sizes = Dims{};
    meta.strides = Dims{};
  }
  const Tensor channel = weight.view(meta);

  PointwiseStep step{};
  step.compute = step.result = compute_dtype(self.dtype);
  step.fn = tile::prelu(step.compute, "");
  RL_CHECK(step.fn, NotImplemented, "\"prelu\" not implemented for '", dtype_name(self.dtype), "'");
  step.inputs = 2;
  step.in = {0, 1};
  PointwiseProgram program;
  program.operands = {{std::nullopt, step.compute}, {std::nullopt, step.compute}};
  program.steps = {step};
  program.outputs = {2};
  const Tensor* inputs[] = {&self, &channel};
  Tensor* outputs = &out;
  run_pointwise(program, inputs, {&outputs, 1});
}

}  // namespace rushlight::kernels::RL_CPU
