#include "overlap.h"

namespace rushlight::python {
namespace {

bool repeats_elements(const TensorMeta& t) {
  for (size_t d = 0; d < t.sizes.size(); ++d)
    if (t.sizes[d] > 1 && t.strides[d] == 0) return true;
  return false;
}

// PyTorch decides only where both tensors fill their memory, which is quick.
bool shares_part(const Tensor& a, const Tensor& b) {
  if (a.storage() != b.storage() || a.numel() == 0 || b.numel() == 0) return false;
  if (!a.is_non_overlapping_and_dense() || !b.is_non_overlapping_and_dense()) return false;
  const int64_t from = a.byte_offset(), other = b.byte_offset();
  if (from == other && a.nbytes() == b.nbytes()) return a.strides != b.strides;
  return from < other + b.nbytes() && other < from + a.nbytes();
}

}  // namespace

void check_overlap(const OpDef& op, std::span<const Argument> args) {
  if (op.name.starts_with("aten.fill_.") || op.name.starts_with("aten.zero_.")) return;
  const auto* written = std::get_if<const Tensor*>(&args[0]);
  if (!written || !*written) return;
  const Tensor& self = **written;
  const OpDef* functional = find_op(op.functional);
  if (functional->kind == OpKind::View) return;
  RL_CHECK(!repeats_elements(self), Runtime,
           "unsupported operation: more than one element of the written-to tensor refers to a "
           "single memory location. Please clone() the tensor before performing the operation.");
  if (functional->kind != OpKind::Pointwise && !op.name.starts_with("aten.copy_.")) return;
  for (size_t i = 1; i < args.size(); ++i) {
    const auto* other = std::get_if<const Tensor*>(&args[i]);
    RL_CHECK(!other || !*other || !shares_part(self, **other), Runtime,
             "unsupported operation: some elements of the input tensor and the written-to tensor "
             "refer to a single memory location. Please clone() the tensor before performing the "
             "operation.");
  }
}

}  // namespace rushlight::python
