// Views that add or drop dimensions of size 1.
#include "ir/shape/generated.h"

namespace rushlight::shape {

void unsqueeze(const TensorMeta& self, int64_t dim, TensorMeta& out) {
  const auto at = static_cast<size_t>(wrap_dim(dim, self.rank() + 1));
  out.sizes = self.sizes;
  out.strides = self.strides;
  const int64_t stride = at < self.sizes.size() ? self.sizes[at] * self.strides[at] : int64_t{1};
  out.sizes.insert(at, 1);
  out.strides.insert(at, stride);
}

namespace {

template <class Drop>
void drop_ones(const TensorMeta& self, Drop&& drop, TensorMeta& out) {
  for (size_t i = 0; i < self.sizes.size(); ++i) {
    if (self.sizes[i] == 1 && drop(i)) continue;
    out.sizes.push_back(self.sizes[i]);
    out.strides.push_back(self.strides[i]);
  }
}

}  // namespace

void squeeze(const TensorMeta& self, TensorMeta& out) {
  out.sizes = out.strides = Dims{};
  drop_ones(self, [](size_t) { return true; }, out);
}

void squeeze(const TensorMeta& self, int64_t dim, TensorMeta& out) {
  squeeze(self, IntList(&dim, 1), out);
}

void squeeze(const TensorMeta& self, IntList dims, TensorMeta& out) {
  out.sizes = out.strides = Dims{};
  Dims chosen(self.sizes.size() + 1);
  for (int64_t d : dims)
    RL_CHECK(!chosen[wrap_dim(d, self.rank())]++, Runtime, "dim ", wrap_dim(d, self.rank()),
             " appears multiple times in the list of dims");
  drop_ones(self, [&](size_t i) { return chosen[i] != 0; }, out);
}

void same_view(const TensorMeta& self, TensorMeta& out) {
  out.sizes = self.sizes;
  out.strides = self.strides;
}

void atleast_1d(const TensorMeta& self, TensorMeta& out) {
  self.rank() == 0 ? unsqueeze(self, 0, out) : same_view(self, out);
}

void atleast_2d(const TensorMeta& self, TensorMeta& out) {
  same_view(self, out);
  while (out.rank() < 2) {
    const TensorMeta before = out;
    unsqueeze(before, 0, out);
  }
}

// (N) becomes (1, N, 1) and (M, N) becomes (M, N, 1).
void atleast_3d(const TensorMeta& self, TensorMeta& out) {
  atleast_2d(self, out);
  if (out.rank() == 2) {
    const TensorMeta before = out;
    unsqueeze(before, 2, out);
  }
}

}  // namespace rushlight::shape
