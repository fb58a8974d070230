// Operators that give new sizes to the same elements: a view where strides allow it, else a copy.
// The rules describe the copy; compute_view_strides decides whether one is needed.
#include "ir/shape/generated.h"
#include "ir/shape/view_strides.h"

namespace rushlight::shape {

namespace {

// A tensor of the same sizes is a view whatever its strides.
void set_sizes(const TensorMeta& self, IntList sizes, TensorMeta& out) {
  out.set(self.dtype, sizes);
  if (out.sizes == self.sizes) out.strides = self.strides;
}

}  // namespace

void reshape(const TensorMeta& self, IntList size, TensorMeta& out) {
  set_sizes(self, infer_size(size, self.numel()), out);
}

void reshape_as(const TensorMeta& self, const TensorMeta& other, TensorMeta& out) {
  reshape(self, other.sizes, out);
}

void flatten(const TensorMeta& self, int64_t start_dim, int64_t end_dim, TensorMeta& out) {
  const int64_t first = wrap_dim(start_dim, self.rank()), last = wrap_dim(end_dim, self.rank());
  RL_CHECK(first <= last, Runtime,
           "flatten() has invalid args: start_dim cannot come after end_dim");
  Dims sizes;
  int64_t merged = 1;
  for (int64_t i = 0; i < self.rank(); ++i) {
    if (i < first || i > last) {
      sizes.push_back(self.sizes[i]);
    } else {
      merged *= self.sizes[i];
      if (i == last) sizes.push_back(merged);
    }
  }
  if (self.rank() == 0) sizes.push_back(1);
  set_sizes(self, sizes, out);
}

void unflatten(const TensorMeta& self, int64_t dim, IntList sizes, TensorMeta& out) {
  RL_CHECK(!sizes.empty(), Runtime, "unflatten: sizes must be non-empty");
  RL_CHECK(self.rank() > 0, Index, "Dimension specified as ", dim, " but tensor has no dimensions");
  const int64_t at = wrap_dim(dim, self.rank());
  int64_t known = 1;
  bool inferred = false;
  for (int64_t s : sizes) s == -1 ? inferred = true : known *= s;
  RL_CHECK(inferred ? known != 0 && self.sizes[at] % known == 0 : known == self.sizes[at], Runtime,
           "unflatten: Provided sizes ", Dims(sizes), " don't multiply up to the size of dim ", at,
           " (", self.sizes[at], ") in the input tensor");
  const Dims inner = infer_size(sizes, self.sizes[at]);
  Dims all;
  for (int64_t i = 0; i < self.rank(); ++i) {
    if (i != at)
      all.push_back(self.sizes[i]);
    else
      for (int64_t s : inner) all.push_back(s);
  }
  set_sizes(self, all, out);
}

// Its result is the tensor itself.
void positive(const TensorMeta& self, TensorMeta& out) {
  RL_CHECK(self.dtype != DType::Bool, Runtime,
           "The `+` operator, on a bool tensor is not supported.");
  out = self;
}

void contiguous(const TensorMeta& self, MemoryFormat memory_format, TensorMeta& out) {
  RL_CHECK(memory_format != MemoryFormat::Preserve, Runtime,
           "preserve memory format is unsupported by the contiguous operator");
  out.dtype = self.dtype;
  out.sizes = self.sizes;
  out.strides = strides_for(self.sizes, memory_format);
}

}  // namespace rushlight::shape
