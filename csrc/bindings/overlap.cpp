#include "overlap.h"

#include "ir/shape/view_strides.h"

namespace rushlight::python {
namespace {

bool repeats_elements(const TensorMeta& t) {
  if (t.numel() == 0) return false;
  for (size_t d = 0; d < t.sizes.size(); ++d)
    if (t.sizes[d] > 1 && t.strides[d] == 0) return true;
  return false;
}

// PyTorch decides only where both tensors fill their memory, which is quick.
bool shares(const Tensor& a, const Tensor& b, bool unless_same) {
  if (a.storage() != b.storage() || a.numel() == 0 || b.numel() == 0) return false;
  if (!a.is_non_overlapping_and_dense() || !b.is_non_overlapping_and_dense()) return false;
  const int64_t from = a.byte_offset(), other = b.byte_offset();
  if (from == other && a.nbytes() == b.nbytes()) return !unless_same || a.strides != b.strides;
  return from < other + b.nbytes() && other < from + a.nbytes();
}

// Operators that write by index refuse a source that is the target itself; pointwise ones may read
// an element before they write it.
bool writes_by_index(std::string_view op) {
  return op.starts_with("aten.index_") || op.starts_with("aten.scatter") ||
         op.starts_with("aten.put_") || op.starts_with("aten.masked_scatter_");
}

// In programs `view` may copy (see ops/views.yaml); as a call it may not.
void check_view(const OpDef& op, std::span<const Argument> args) {
  static const OpDef* const view = find_op("aten.view.default");
  static const OpDef* const view_as = find_op("aten.view_as.default");
  if (&op != view && &op != view_as) return;
  const Tensor& self = unpack<Tensor>::from(args[0]);
  const Dims sizes = &op == view ? infer_size(unpack<IntList>::from(args[1]), self.numel())
                                 : unpack<Tensor>::from(args[1]).sizes;
  RL_CHECK(compute_view_strides(self.sizes, self.strides, sizes), Runtime,
           "view size is not compatible with input tensor's size and stride (at least one "
           "dimension spans across two contiguous subspaces). Use .reshape(...) instead.");
}

void check_overlap(const OpDef& op, std::span<const Argument> args) {
  if (op.name.starts_with("aten.fill_.") || op.name.starts_with("aten.zero_.")) return;
  const auto* written = std::get_if<const Tensor*>(&args[0]);
  if (!written || !*written) return;
  const Tensor& self = **written;
  const OpDef* functional = find_op(op.functional);
  if (functional->kind == OpKind::View) return;
  if (op.name == "aten.copy_.default" && std::get_if<const Tensor*>(&args[1]) &&
      std::get<const Tensor*>(args[1]) == *written)
    return;  // x.copy_(x) does nothing
  RL_CHECK(!repeats_elements(self), Runtime,
           "unsupported operation: more than one element of the written-to tensor refers to a "
           "single memory location. Please clone() the tensor before performing the operation.");
  const bool by_index = writes_by_index(op.name);
  if (functional->kind != OpKind::Pointwise && !by_index && !op.name.starts_with("aten.copy_."))
    return;
  for (size_t i = 1; i < args.size(); ++i) {
    const auto* other = std::get_if<const Tensor*>(&args[i]);
    RL_CHECK(!other || !*other || !shares(self, **other, !by_index), Runtime,
             "unsupported operation: some elements of the input tensor and the written-to tensor "
             "refer to a single memory location. Please clone() the tensor before performing the "
             "operation.");
  }
}

}  // namespace

void check_views(const OpDef& op, std::span<const Argument> args) {
  if (op.kind == OpKind::InPlace)
    check_overlap(op, args);
  else if (op.may_alias)
    check_view(op, args);
}

}  // namespace rushlight::python
