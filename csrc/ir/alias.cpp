#include "alias.h"

#include "ir/shape/view_strides.h"

namespace rushlight {
namespace {

bool same_layout(const TensorMeta& a, const TensorMeta& b) {
  for (size_t i = 0; i < a.sizes.size(); ++i)
    if (a.sizes[i] != 1 && a.strides[i] != b.strides[i]) return false;
  return true;
}

}  // namespace

std::optional<TensorMeta> alias_instead_of_copy(const TensorMeta& self, const TensorMeta& out) {
  if (self.dtype != out.dtype || self.numel() != out.numel()) return std::nullopt;
  TensorMeta view = out;
  view.view_offset = 0;
  if (self.sizes == out.sizes) {
    if (!same_layout(self, out)) return std::nullopt;
    view.strides = self.strides;
    return view;
  }
  auto strides = compute_view_strides(self.sizes, self.strides, out.sizes);
  if (!strides) return std::nullopt;
  view.strides = std::move(*strides);
  return view;
}

bool asks_for_copy(const OpDef& op, std::span<const Argument> args) {
  for (size_t i = 0; i < op.arguments.size() && i < args.size(); ++i)
    if (op.arguments[i].name == "copy")
      if (const bool* copy = std::get_if<bool>(&args[i])) return *copy;
  return false;
}

}  // namespace rushlight
