#include "tensor.h"

#include <cstring>
#include <numeric>

#include "kernels/copy.h"

namespace rushlight {

std::ostream& operator<<(std::ostream& out, const Dims& dims) {
  out << '[';
  for (size_t i = 0; i < dims.size(); ++i) out << (i ? ", " : "") << dims[i];
  return out << ']';
}

Dims contiguous_strides(IntList sizes) {
  Dims strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}

Dims strides_for(IntList sizes, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous || format == MemoryFormat::Preserve)
    return contiguous_strides(sizes);
  const size_t rank = format == MemoryFormat::ChannelsLast ? 4 : 5;
  RL_CHECK(sizes.size() == rank, Runtime, "required rank ", rank, " tensor to use channels_last",
           rank == 5 ? "_3d" : "", " format, got rank ", sizes.size());
  Dims strides(rank);
  int64_t step = 1;
  strides[1] = step;
  step *= std::max<int64_t>(sizes[1], 1);
  for (size_t i = rank; i-- > 2;) {
    strides[i] = step;
    step *= std::max<int64_t>(sizes[i], 1);
  }
  strides[0] = step;
  return strides;
}

int64_t checked_numel(IntList sizes) {
  int64_t n = 1;
  bool empty = false;
  for (int64_t s : sizes) {
    RL_CHECK(s >= 0, Runtime, "negative dimension ", s, " in sizes ", Dims(sizes));
    if (s == 0) {
      empty = true;
      continue;
    }
    RL_CHECK(!__builtin_mul_overflow(n, s, &n) && n <= INT64_MAX / 16, Runtime, "sizes ",
             Dims(sizes), " overflow 64-bit arithmetic");
  }
  return empty ? 0 : n;
}

int64_t wrap_dim(int64_t dim, int64_t rank) {
  const int64_t range = std::max<int64_t>(rank, 1);
  RL_CHECK(dim >= -range && dim < range, Index,
           "Dimension out of range (expected to be in range of [", -range, ", ", range - 1,
           "], but got ", dim, ")");
  return dim < 0 ? dim + range : dim;
}

bool TensorMeta::is_contiguous(MemoryFormat format) const {
  if (format == MemoryFormat::ChannelsLast && rank() != 4) return false;
  if (format == MemoryFormat::ChannelsLast3d && rank() != 5) return false;
  const Dims expected = strides_for(sizes, format);
  if (numel() == 0) return true;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != 1 && strides[i] != expected[i]) return false;
  return true;
}

bool TensorMeta::is_non_overlapping_and_dense() const {
  if (numel() < 2) return true;
  Dims order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    if (sizes[a] < 2 || sizes[b] < 2) return sizes[b] < 2 && sizes[a] >= 2;
    return strides[a] < strides[b];
  });
  int64_t expected = 1;
  for (int64_t d : order) {
    if (sizes[d] < 2) break;
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

Tensor Tensor::empty(IntList sizes, DType dtype) {
  TensorMeta meta;
  checked_numel(sizes);
  meta.set(dtype, sizes);
  return empty(meta);
}

Tensor Tensor::empty(const TensorMeta& meta) {
  const int64_t n = checked_numel(meta.sizes);
  StoragePtr storage = Storage::allocate(static_cast<size_t>(n * item_size(meta.dtype)));
  std::byte* data = storage->data();
  return Tensor(meta, std::move(storage), data);
}

Tensor Tensor::view(const TensorMeta& view) const {
  return Tensor(view, storage_, data_ + view.view_offset * item_size(view.dtype));
}

Tensor Tensor::contiguous() const { return is_contiguous() ? *this : clone(); }

Tensor Tensor::clone() const {
  Tensor out = empty(sizes, dtype);
  kernels::copy_strided(*this, out);
  return out;
}

void check_in_bounds(const TensorMeta& meta, int64_t offset, size_t nbytes) {
  RL_CHECK(meta.sizes.size() == meta.strides.size(), Runtime, "sizes ", meta.sizes, " and strides ",
           meta.strides, " have different ranks");
  RL_CHECK(offset >= 0, Runtime, "storage offset ", offset, " is negative");
  const int64_t n = checked_numel(meta.sizes);
  if (n == 0) return;
  int64_t last = offset;
  for (size_t i = 0; i < meta.sizes.size(); ++i) {
    RL_CHECK(meta.strides[i] >= 0, Runtime, "stride ", meta.strides[i], " is negative");
    int64_t reach;
    RL_CHECK(!__builtin_mul_overflow(meta.sizes[i] - 1, meta.strides[i], &reach) &&
                 !__builtin_add_overflow(last, reach, &last),
             Runtime, "sizes ", meta.sizes, " with strides ", meta.strides, " overflow");
  }
  const auto available = static_cast<int64_t>(nbytes / item_size(meta.dtype));
  RL_CHECK(last < available, Runtime, describe(meta), " with strides ", meta.strides,
           " and storage offset ", offset, " needs ", last + 1, " elements, but the storage holds ",
           available);
}

std::string describe(const TensorMeta& meta) {
  return detail::concat(dtype_name(meta.dtype), meta.sizes);
}

}  // namespace rushlight
