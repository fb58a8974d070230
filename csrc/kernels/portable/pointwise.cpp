// The pointwise driver: plans tiles, and runs a program over them. pointwise.h says what it does.
#include "kernels/pointwise.h"

#include <cstring>

#include "kernels/convert.h"
#include "kernels/kernel.h"
#include "kernels/loop_nest.h"
#include "kernels/portable/pointwise_plan.h"

namespace rushlight {
namespace kernels {

TilePlan::TilePlan(const PointwiseProgram& program, TensorList inputs,
                   std::span<Tensor* const> outputs, bool keep_order)
    : program_(program), outputs_(outputs.size()) {
  const size_t operands = program.operands.size(), steps = program.steps.size();
  RL_ASSERT(operands + steps <= kMaxRegisters && outputs.size() == program.outputs.size(), operands,
            " operands, ", steps, " steps, ", outputs.size(), " outputs");
  const Tensor* tensors[kMaxRegisters];
  for (size_t o = 0; o < outputs_; ++o) tensors[o] = outputs[o];
  size_t count = outputs_;
  for (const Tensor* t : inputs) tensors[count++] = t;
  nest_.build(outputs[0]->sizes, {tensors, count}, keep_order);

  // Rows of this length fill a tile well enough; shorter ones are put together.
  constexpr int64_t kRow = 256;
  const int64_t inner = nest_.inner();
  by_rows_ = nest_.rank() == 1 || inner >= kRow;
  tile_ = by_rows_ ? kTile : kTile / inner * inner;

  plan_inputs(inputs);
  bool in_place = false;
  for (const Tensor* in : inputs)
    for (const Tensor* out : outputs) in_place |= in->raw() == out->raw();
  plan_registers(outputs, in_place);
}

void TilePlan::plan_inputs(TensorList inputs) {
  size_t next = 0;
  for (size_t r = 0; r < program_.operands.size(); ++r) {
    const PointwiseProgram::Operand& operand = program_.operands[r];
    widest_ = std::max(widest_, item_size(operand.dtype));
    if (operand.constant) continue;
    RL_ASSERT(next < inputs.size(), inputs.size(), " inputs");
    const Tensor& t = *inputs[next];
    const size_t k = outputs_ + next;
    Input& in = inputs_[next++];
    in.data = t.raw();
    in.item = item_size(t.dtype);
    in.from = t.dtype;
    in.to = operand.dtype;
    in.convert = t.dtype == operand.dtype ? nullptr : convert_fn(t.dtype, operand.dtype);
    in.reg = static_cast<uint8_t>(r);
    const int64_t stride = nest_.inner_stride(k);
    const bool fixed = nest_.outer_fixed(k);
    if (fixed && stride == 0)
      in.access = Access::One;
    else if (nest_.flat(k, in.item))
      in.access = Access::Flat;
    else if (by_rows_)
      in.access = stride == in.item ? Access::Row : stride == 0 ? Access::RowOne : Access::Strided;
    else
      in.access = fixed ? Access::Period : Access::Strided;
    widest_ = std::max(widest_, in.item);
  }
  input_count_ = next;
  RL_ASSERT(next == inputs.size(), inputs.size(), " inputs, ", next, " used");
}

void TilePlan::plan_registers(std::span<Tensor* const> outputs, bool in_place) {
  const size_t operands = program_.operands.size(), steps = program_.steps.size();
  for (size_t o = 0; o < outputs_; ++o) {
    const Tensor& t = *outputs[o];
    const uint8_t r = program_.outputs[o];
    RL_ASSERT(r < operands + steps, "register ", int{r});
    Output& out = out_[o];
    const DType held =
        r < operands ? program_.operands[r].dtype : program_.steps[r - operands].result;
    out.data = t.raw();
    out.item = item_size(t.dtype);
    out.reg = r;
    out.convert = held == t.dtype ? nullptr : convert_fn(held, t.dtype);
    out.flat = nest_.flat(o, out.item);
    out.contiguous = out.flat || (by_rows_ && nest_.inner_stride(o) == out.item);
    widest_ = std::max(widest_, out.item);
  }
  // Buffers: one per operand that may need it, then as few as the lifetimes of results allow.
  for (size_t r = 0; r < operands; ++r) buffer_[r] = static_cast<uint8_t>(buffers_++);
  uint8_t last_use[kMaxRegisters];
  for (size_t s = 0; s < steps; ++s) last_use[operands + s] = static_cast<uint8_t>(s);
  for (size_t s = 0; s < steps; ++s)
    for (size_t i = 0; i < program_.steps[s].inputs; ++i)
      last_use[program_.steps[s].in[i]] = static_cast<uint8_t>(s);
  for (size_t o = 0; o < outputs_; ++o) last_use[program_.outputs[o]] = kMaxRegisters;
  uint8_t free[kMaxRegisters];
  size_t free_count = 0;
  for (size_t s = 0; s < steps; ++s) {
    const size_t r = operands + s;
    widest_ = std::max(
        {widest_, item_size(program_.steps[s].result), item_size(program_.steps[s].compute)});
    store_to_[s] = kNone;
    for (size_t o = 0; o < outputs_; ++o)
      if (program_.outputs[o] == r && out_[o].contiguous && !out_[o].convert &&
          (s + 1 == steps || !in_place))
        store_to_[s] = static_cast<uint8_t>(o);
    // A result may be written over an input of the same step only if no conversion stands between
    // them, so buffers are freed after the step's own is taken.
    if (store_to_[s] == kNone)
      buffer_[r] = free_count ? free[--free_count] : static_cast<uint8_t>(buffers_++);
    for (size_t dead = operands; dead <= r; ++dead)
      if (last_use[dead] == s && store_to_[dead - operands] == kNone)
        free[free_count++] = buffer_[dead];
  }
  temporary_ = buffers_;
  buffers_ += 5;  // a converted copy of each input of a step, and of a gathered operand
}

}  // namespace kernels

void run_pointwise(const PointwiseProgram& program, TensorList inputs,
                   std::span<Tensor* const> outputs) {
  RL_ASSERT(!outputs.empty());
  if (outputs[0]->numel() == 0) return;
  const kernels::TilePlan plan(program, inputs, outputs, false);
  const int64_t n = plan.numel(), unit = plan.tile();
  // Longer programs are worth a second thread earlier.
  const auto steps = static_cast<int64_t>(program.steps.size());
  const int64_t grain = kernels::kGrain / std::clamp<int64_t>(steps, 1, 8);
  if (n < 2 * grain) return kernels::TileRunner(plan).run(0, n);
  cpu::parallel_for(0, (n + unit - 1) / unit, std::max<int64_t>(1, grain / unit),
                    [&](int64_t first, int64_t last) {
                      kernels::TileRunner(plan).run(first * unit, std::min(last * unit, n));
                    });
}

void Epilogue::apply(Tensor& out, int64_t begin, int64_t n) const {
  if (empty() || n <= 0) return;
  const Tensor* inputs[kMaxRegisters];
  RL_ASSERT(extra_.size() + 1 < kMaxRegisters);
  // Where the kernel sees its output under other sizes, those of the operands are the true ones.
  Tensor shaped = out;
  if (!extra_.empty() && extra_[0]->numel() == out.numel()) {
    shaped.sizes = extra_[0]->sizes;
    shaped.strides = contiguous_strides(shaped.sizes);
  }
  inputs[0] = &shaped;
  std::copy(extra_.begin(), extra_.end(), inputs + 1);
  Tensor* outputs = &shaped;
  const kernels::TilePlan plan(*program_, {inputs, extra_.size() + 1}, {&outputs, 1}, true);
  kernels::TileRunner(plan).run(begin, begin + n);
}

}  // namespace rushlight
