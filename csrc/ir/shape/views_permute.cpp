// Views that reorder dimensions.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

// `order[i]` is the dimension of `self` that becomes dimension i.
void reorder(const TensorMeta& self, const Dims& order, TensorMeta& out) {
  out.sizes.assign(order.size(), 0);
  out.strides.assign(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    out.sizes[i] = self.sizes[order[i]];
    out.strides[i] = self.strides[order[i]];
  }
}

}  // namespace

void transpose(const TensorMeta& self, int64_t dim0, int64_t dim1, TensorMeta& out) {
  const int64_t a = wrap_dim(dim0, self.rank()), b = wrap_dim(dim1, self.rank());
  out.sizes = self.sizes;
  out.strides = self.strides;
  if (self.rank() == 0) return;
  std::swap(out.sizes[a], out.sizes[b]);
  std::swap(out.strides[a], out.strides[b]);
}

void t(const TensorMeta& self, TensorMeta& out) {
  RL_CHECK(self.rank() <= 2, Runtime, "t() expects a tensor with <= 2 dimensions, but self is ",
           self.rank(), "D");
  transpose(self, 0, self.rank() < 2 ? 0 : 1, out);
}

void numpy_T(const TensorMeta& self, TensorMeta& out) {
  Dims order;
  for (int64_t i = self.rank(); i-- > 0;) order.push_back(i);
  reorder(self, order, out);
}

void mT(const TensorMeta& self, TensorMeta& out) {
  RL_CHECK(self.rank() >= 2, Runtime,
           "tensor.mT is only supported on matrices or batches of matrices. Got ", self.rank(),
           "-D tensor.");
  transpose(self, -2, -1, out);
}

void permute(const TensorMeta& self, IntList dims, TensorMeta& out) {
  RL_CHECK(static_cast<int64_t>(dims.size()) == self.rank(), Runtime,
           "permute(): number of dimensions in the tensor input does not match the length "
           "of the desired ordering of dimensions i.e. input.dim() = ",
           self.rank(), " is not equal to len(dims) = ", dims.size());
  Dims order, seen(dims.size());
  for (int64_t d : dims) {
    const int64_t dim = wrap_dim(d, self.rank());
    RL_CHECK(!seen[dim]++, Runtime, "permute(): duplicate dims are not allowed.");
    order.push_back(dim);
  }
  reorder(self, order, out);
}

void movedim(const TensorMeta& self, IntList source, IntList destination, TensorMeta& out) {
  RL_CHECK(source.size() == destination.size(), Runtime,
           "movedim: Invalid source or destination dims: source (", Dims(source),
           " dims) should contain the same number of dims as destination (", Dims(destination),
           " dims)");
  const auto rank = static_cast<size_t>(self.rank());
  Dims order(rank, -1), taken(rank);
  for (size_t i = 0; i < source.size(); ++i) {
    const int64_t from = wrap_dim(source[i], self.rank());
    const int64_t to = wrap_dim(destination[i], self.rank());
    if (rank == 0) continue;
    RL_CHECK(!taken[from]++, Runtime, "movedim: repeated dim in `source` (", Dims(source), ")");
    RL_CHECK(order[to] < 0, Runtime, "movedim: repeated dim in `destination` (", Dims(destination),
             ")");
    order[to] = from;
  }
  size_t next = 0;
  for (int64_t& place : order) {
    if (place >= 0) continue;
    while (taken[next]) ++next;
    place = static_cast<int64_t>(next++);
  }
  reorder(self, order, out);
}

void movedim(const TensorMeta& self, int64_t source, int64_t destination, TensorMeta& out) {
  movedim(self, IntList(&source, 1), IntList(&destination, 1), out);
}

}  // namespace rushlight::shape
