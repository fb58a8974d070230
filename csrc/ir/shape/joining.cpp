// Sizes of tensors put together from several.
#include "ir/shape/generated.h"
#include "ir/shape/stacking.h"

namespace rushlight {
namespace {

template <class Rule>
StackedInputs viewed(TensorList tensors, Rule&& rule) {
  StackedInputs inputs;
  for (const Tensor* t : tensors) {
    TensorMeta meta;
    meta.dtype = t->dtype;
    rule(*t, meta);
    inputs.tensors.push_back(t->view(meta));
  }
  for (const Tensor& t : inputs.tensors) inputs.list.push_back(&t);
  return inputs;
}

}  // namespace

StackedInputs stacked_inputs(TensorList tensors, Stacking how) {
  StackedInputs inputs;
  switch (how) {
    case Stacking::Horizontal:
      inputs = viewed(tensors, shape::atleast_1d);
      inputs.dim = !inputs.tensors.empty() && inputs.tensors[0].rank() == 1 ? 0 : 1;
      break;
    case Stacking::Vertical:
      inputs = viewed(tensors, shape::atleast_2d);
      break;
    case Stacking::Depth:
      inputs = viewed(tensors, shape::atleast_3d);
      inputs.dim = 2;
      break;
    case Stacking::Columns:
      inputs = viewed(tensors, [](const TensorMeta& t, TensorMeta& out) {
        if (t.rank() == 1) return shape::unsqueeze(t, 1, out);
        shape::atleast_2d(t, out);
      });
      inputs.dim = 1;
      break;
  }
  return inputs;
}

StackedInputs unsqueezed_inputs(TensorList tensors, int64_t dim) {
  StackedInputs inputs = viewed(
      tensors, [dim](const TensorMeta& t, TensorMeta& out) { shape::unsqueeze(t, dim, out); });
  inputs.dim = dim;
  return inputs;
}

namespace shape {
namespace {

void require_tensors(TensorList tensors, std::string_view name) {
  RL_CHECK(!tensors.empty(), Runtime, name, " expects a non-empty TensorList");
}

void stacked(TensorList tensors, Stacking how, std::string_view name, TensorMeta& out) {
  require_tensors(tensors, name);
  const StackedInputs inputs = stacked_inputs(tensors, how);
  cat(inputs.list, inputs.dim, out);
}

}  // namespace

void cat(TensorList tensors, int64_t dim, TensorMeta& out) {
  RL_CHECK(!tensors.empty(), Runtime, "torch.cat(): expected a non-empty list of Tensors");
  const Tensor* first = nullptr;
  for (size_t i = 0; i < tensors.size(); ++i) {
    RL_CHECK(tensors[i]->rank() > 0, Runtime, "zero-dimensional tensor (at position ", i,
             ") cannot be concatenated");
    if (!first && !cat_skips(*tensors[i])) first = tensors[i];
  }
  if (!first) return out.set(out.dtype, Dims{0});
  const int64_t at = wrap_dim(dim, first->rank());
  Dims sizes = first->sizes;
  sizes[at] = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = *tensors[i];
    if (cat_skips(t)) continue;
    RL_CHECK(t.rank() == first->rank(), Runtime,
             "Tensors must have same number of dimensions: got ", first->rank(), " and ", t.rank());
    for (int64_t d = 0; d < t.rank(); ++d)
      RL_CHECK(d == at || t.sizes[d] == sizes[d], Runtime,
               "Sizes of tensors must match except in dimension ", at, ". Expected size ", sizes[d],
               " but got size ", t.sizes[d], " for tensor number ", i, " in the list.");
    sizes[at] += t.sizes[at];
  }
  out.set(out.dtype, sizes);
}

void stack(TensorList tensors, int64_t dim, TensorMeta& out) {
  require_tensors(tensors, "stack");
  const int64_t at = wrap_dim(dim, tensors[0]->rank() + 1);
  for (size_t i = 1; i < tensors.size(); ++i)
    RL_CHECK(tensors[i]->sizes == tensors[0]->sizes, Runtime,
             "stack expects each tensor to be equal size, but got ", tensors[0]->sizes,
             " at entry 0 and ", tensors[i]->sizes, " at entry ", i);
  Dims sizes = tensors[0]->sizes;
  sizes.insert(at, static_cast<int64_t>(tensors.size()));
  out.set(out.dtype, sizes);
}

void hstack(TensorList tensors, TensorMeta& out) {
  stacked(tensors, Stacking::Horizontal, "hstack", out);
}
void vstack(TensorList tensors, TensorMeta& out) {
  stacked(tensors, Stacking::Vertical, "vstack", out);
}
void dstack(TensorList tensors, TensorMeta& out) {
  stacked(tensors, Stacking::Depth, "dstack", out);
}
void column_stack(TensorList tensors, TensorMeta& out) {
  stacked(tensors, Stacking::Columns, "column_stack", out);
}

void block_diag(TensorList tensors, TensorMeta& out) {
  Dims sizes{0, 0};
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = *tensors[i];
    RL_CHECK(t.rank() <= 2, Runtime,
             "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input ", i, " has ",
             t.rank(), " dimensions");
    sizes[0] += t.rank() == 2 ? t.sizes[0] : 1;
    sizes[1] += t.rank() == 0 ? 1 : t.sizes.back();
  }
  if (tensors.empty()) sizes = Dims{1, 0};
  out.set(out.dtype, sizes);
}

void meshgrid(TensorList tensors, std::string_view indexing, std::vector<TensorMeta>& outs) {
  require_tensors(tensors, "meshgrid");
  RL_CHECK(indexing == "ij" || indexing == "xy", Runtime,
           "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", indexing);
  Dims sizes;
  for (const Tensor* t : tensors) {
    RL_CHECK(t->rank() <= 1, Runtime,
             "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ", t->sizes);
    RL_CHECK(t->dtype == tensors[0]->dtype, Runtime,
             "torch.meshgrid expects all tensors to have the same dtype");
    sizes.push_back(t->numel());
  }
  if (indexing == "xy" && sizes.size() >= 2) std::swap(sizes[0], sizes[1]);
  outs.assign(tensors.size(), {});
  for (TensorMeta& out : outs) out.set(tensors[0]->dtype, sizes);
}
void meshgrid(TensorList tensors, std::vector<TensorMeta>& outs) { meshgrid(tensors, "ij", outs); }

void cartesian_prod(TensorList tensors, TensorMeta& out) {
  require_tensors(tensors, "cartesian_prod");
  int64_t rows = 1;
  for (const Tensor* t : tensors) {
    RL_CHECK(t->rank() == 1, Runtime, "Expect a 1D vector, but got shape ", t->sizes);
    rows *= t->sizes[0];
  }
  const auto columns = static_cast<int64_t>(tensors.size());
  columns == 1 ? out.set(out.dtype, Dims{rows}) : out.set(out.dtype, Dims{rows, columns});
}

}  // namespace shape
}  // namespace rushlight
