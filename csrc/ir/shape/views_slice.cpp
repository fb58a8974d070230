// Views of a part of a tensor.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

void require_dims(const TensorMeta& self, std::string_view name) {
  RL_CHECK(self.rank() > 0, Index, name, "() cannot be applied to a 0-dim tensor.");
}

}  // namespace

void slice(const TensorMeta& self, int64_t dim, std::optional<int64_t> start,
           std::optional<int64_t> end, int64_t step, TensorMeta& out) {
  RL_CHECK(self.rank() > 0, Runtime, "slice() cannot be applied to a 0-dim tensor.");
  RL_CHECK(step > 0, Runtime, "slice step must be positive");
  const int64_t at = wrap_dim(dim, self.rank()), size = self.sizes[at];
  // As Python slices do: negative positions count from the end, everything is clamped.
  const auto position = [&](int64_t v) {
    return std::clamp<int64_t>(v < 0 ? v + size : v, 0, size);
  };
  const int64_t first = position(start.value_or(0));
  const int64_t last = std::max(first, position(end.value_or(size)));
  out.sizes = self.sizes;
  out.strides = self.strides;
  out.sizes[at] = (last - first) / step + ((last - first) % step != 0);
  out.strides[at] = self.strides[at] * step;
  out.view_offset = first * self.strides[at];
}

void select(const TensorMeta& self, int64_t dim, int64_t index, TensorMeta& out) {
  require_dims(self, "select");
  const int64_t at = wrap_dim(dim, self.rank()), size = self.sizes[at];
  RL_CHECK(index >= -size && index < size, Index, "select(): index ", index,
           " out of range for tensor of size ", self.sizes, " at dimension ", at);
  out.sizes = self.sizes;
  out.strides = self.strides;
  out.sizes.erase(at);
  out.strides.erase(at);
  out.view_offset = (index < 0 ? index + size : index) * self.strides[at];
}

void narrow(const TensorMeta& self, int64_t dim, int64_t start, int64_t length, TensorMeta& out) {
  RL_CHECK(self.rank() > 0, Runtime, "narrow() cannot be applied to a 0-dim tensor.");
  RL_CHECK(length >= 0, Runtime, "narrow(): length must be non-negative.");
  const int64_t at = wrap_dim(dim, self.rank()), size = self.sizes[at];
  RL_CHECK(start >= -size && start <= size, Index,
           "start out of range (expected to be in range of [", -size, ", ", size, "], but got ",
           start, ")");
  if (start < 0) start += size;
  RL_CHECK(length <= size - start, Runtime, "start (", start, ") + length (", length,
           ") exceeds dimension size (", size, ").");
  slice(self, at, start, start + length, 1, out);
}

void diagonal(const TensorMeta& self, int64_t offset, int64_t dim1, int64_t dim2, TensorMeta& out) {
  const int64_t a = wrap_dim(dim1, self.rank()), b = wrap_dim(dim2, self.rank());
  RL_CHECK(a != b, Runtime, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  const int64_t rows = self.sizes[a] - std::max<int64_t>(-offset, 0);
  const int64_t columns = self.sizes[b] - std::max<int64_t>(offset, 0);
  const int64_t length = std::max<int64_t>(std::min(rows, columns), 0);
  if (length > 0)
    out.view_offset = offset >= 0 ? offset * self.strides[b] : -offset * self.strides[a];
  out.sizes = out.strides = Dims{};
  for (int64_t i = 0; i < self.rank(); ++i) {
    if (i == a || i == b) continue;
    out.sizes.push_back(self.sizes[i]);
    out.strides.push_back(self.strides[i]);
  }
  out.sizes.push_back(length);
  out.strides.push_back(self.strides[a] + self.strides[b]);
}

void unfold(const TensorMeta& self, int64_t dimension, int64_t size, int64_t step,
            TensorMeta& out) {
  const int64_t at = wrap_dim(dimension, self.rank());
  const int64_t own = self.rank() == 0 ? 1 : self.sizes[at];
  RL_CHECK(size >= 0, Runtime, "size is ", size, " but must be >= 0");
  RL_CHECK(size <= own, Runtime, "maximum size for tensor at dimension ", at, " is ", own,
           " but size is ", size);
  RL_CHECK(step > 0, Runtime, "step is ", step, " but must be > 0");
  out.sizes = self.sizes;
  out.strides = self.strides;
  out.sizes.push_back(size);
  out.strides.push_back(self.rank() == 0 ? 1 : self.strides[at]);
  if (self.rank() == 0) return;
  out.sizes[at] = (own - size) / step + 1;
  out.strides[at] = self.strides[at] * step;
}

void as_strided(const TensorMeta& self, IntList size, IntList stride,
                std::optional<int64_t> storage_offset, TensorMeta& out) {
  RL_CHECK(size.size() == stride.size(), Runtime, "mismatch in length of strides and shape: size ",
           Dims(size), ", stride ", Dims(stride));
  out.sizes = Dims(size);
  out.strides = Dims(stride);
  // A graph's values have no storage of their own to count from, so positions count from the first
  // element of `self`, and must stay among the elements that `self` spans.
  out.view_offset = storage_offset.value_or(0);
  int64_t span = self.numel() == 0 ? 0 : 1;
  for (size_t i = 0; i < self.sizes.size() && span; ++i)
    span += (self.sizes[i] - 1) * self.strides[i];
  check_in_bounds(out, out.view_offset, static_cast<size_t>(span * item_size(self.dtype)));
}

}  // namespace rushlight::shape
