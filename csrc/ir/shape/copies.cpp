// Sizes of rearranged copies.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

int64_t times(int64_t size, int64_t repeats) {
  int64_t product;
  RL_CHECK(!__builtin_mul_overflow(size, repeats, &product), Runtime, "a dimension of ", size,
           " elements repeated ", repeats, " times overflows");
  return product;
}

}  // namespace

void clone(const TensorMeta& self, std::optional<MemoryFormat> memory_format, TensorMeta& out) {
  like(self, self.dtype, std::nullopt, memory_format, out);
}

void repeat(const TensorMeta& self, IntList repeats, TensorMeta& out) {
  RL_CHECK(repeats.size() >= self.sizes.size(), Runtime,
           "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
           "tensor");
  Dims sizes(repeats);
  const size_t lead = repeats.size() - self.sizes.size();
  for (size_t d = 0; d < sizes.size(); ++d) {
    RL_CHECK(sizes[d] >= 0, Runtime, "Trying to create tensor with negative dimension ", sizes[d],
             ": ", Dims(repeats));
    if (d >= lead) sizes[d] = times(self.sizes[d - lead], sizes[d]);
  }
  checked_numel(sizes);
  out.set(self.dtype, sizes);
}

void tile(const TensorMeta& self, IntList dims, TensorMeta& out) {
  if (dims.size() >= self.sizes.size()) return repeat(self, dims, out);
  Dims repeats(self.sizes.size(), 1);
  std::copy(dims.begin(), dims.end(), repeats.end() - dims.size());
  repeat(self, repeats, out);
}

void repeat_interleave(const TensorMeta& self, int64_t repeats, std::optional<int64_t> dim,
                       std::optional<int64_t> output_size, TensorMeta& out) {
  RL_CHECK(repeats >= 0, Runtime, "Repeats must be non-negative");
  Dims sizes = dim && self.rank() > 0 ? self.sizes : Dims{self.numel()};
  const int64_t at = dim ? wrap_dim(*dim, self.rank()) : 0;
  sizes[at] = times(sizes[at], repeats);
  RL_CHECK(!output_size || *output_size == sizes[at], Runtime,
           "repeat_interleave: Invalid output_size, expected ", sizes[at], " but got ",
           *output_size);
  checked_numel(sizes);
  out.set(self.dtype, sizes);
}

void repeat_interleave(const TensorMeta& self, const TensorMeta& repeats,
                       std::optional<int64_t> dim, std::optional<int64_t> output_size,
                       TensorMeta& out) {
  RL_CHECK(repeats.rank() <= 1, Runtime, "repeats must be 0-dim or 1-dim tensor, got ",
           repeats.rank(), " dims");
  RL_CHECK(repeats.dtype == DType::Int64 || repeats.dtype == DType::Int32, Runtime,
           "repeats has to be Long or Int tensor");
  if (!output_size) return set_data_dependent(out);
  Dims sizes = dim && self.rank() > 0 ? self.sizes : Dims{self.numel()};
  sizes[dim ? wrap_dim(*dim, self.rank()) : 0] = *output_size;
  checked_numel(sizes);
  out.set(self.dtype, sizes);
}

void repeat_interleave(const TensorMeta& repeats, std::optional<int64_t> output_size,
                       TensorMeta& out) {
  RL_CHECK(repeats.rank() == 1, Runtime, "repeat_interleave only accept 1D vector as repeat");
  RL_CHECK(repeats.dtype == DType::Int64 || repeats.dtype == DType::Int32, Runtime,
           "repeats has to be Long or Int tensor");
  if (!output_size) return set_data_dependent(out);
  out.set(repeats.dtype, Dims{*output_size});
}

void roll(const TensorMeta& self, IntList shifts, IntList dims, TensorMeta& out) {
  RL_CHECK(!shifts.empty(), Runtime, "`shifts` required");
  RL_CHECK(dims.size() == shifts.size() || (dims.empty() && shifts.size() == 1), Runtime,
           "shifts and dimensions must align. shifts: ", shifts.size(), ", dims:", dims.size());
  for (int64_t d : dims) {
    RL_CHECK(self.rank() > 0, Index, "Dimension specified as ", d, " but tensor has no dimensions");
    wrap_dim(d, self.rank());
  }
  out.set(self.dtype, self.sizes);
}

void flip(const TensorMeta& self, IntList dims, TensorMeta& out) {
  Dims seen(self.sizes.size() + 1);
  for (int64_t d : dims)
    RL_CHECK(!seen[wrap_dim(d, self.rank())]++, Runtime, "dim ", wrap_dim(d, self.rank()),
             " appears multiple times in the list of dims");
  like(self, self.dtype, std::nullopt, MemoryFormat::Preserve, out);
}

void fliplr(const TensorMeta& self, TensorMeta& out) {
  RL_CHECK(self.rank() >= 2, Runtime, "Input must be >= 2-d.");
  out.set(self.dtype, self.sizes);
}
void flipud(const TensorMeta& self, TensorMeta& out) {
  RL_CHECK(self.rank() >= 1, Runtime, "Input must be >= 1-d.");
  out.set(self.dtype, self.sizes);
}

void rot90(const TensorMeta& self, int64_t k, IntList dims, TensorMeta& out) {
  RL_CHECK(dims.size() == 2, Runtime,
           "expected total rotation dims == 2, but got dims = ", dims.size());
  RL_CHECK(self.rank() >= 2, Runtime,
           "expected total dims >= 2, but got total dims = ", self.rank());
  const int64_t a = wrap_dim(dims[0], self.rank()), b = wrap_dim(dims[1], self.rank());
  RL_CHECK(a != b, Runtime, "expected rotation dims to be different, but got dim0 = ", dims[0],
           " and dim1 = ", dims[1]);
  Dims sizes = self.sizes;
  if (k % 2 != 0) std::swap(sizes[a], sizes[b]);
  out.set(self.dtype, sizes);
}

void triangle(const TensorMeta& self, int64_t, TensorMeta& out) {
  RL_CHECK(self.rank() >= 2, Runtime, "tril: input tensor must have at least 2 dimensions");
  out.set(self.dtype, self.sizes);
}

void diag_embed(const TensorMeta& self, int64_t offset, int64_t dim1, int64_t dim2,
                TensorMeta& out) {
  RL_CHECK(self.rank() > 0, Index, "diag_embed: expected a tensor with at least 1 dimension");
  const int64_t a = wrap_dim(dim1, self.rank() + 1), b = wrap_dim(dim2, self.rank() + 1);
  RL_CHECK(a != b, Runtime, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  Dims sizes = self.sizes;
  const int64_t n = sizes.back() + std::abs(offset);
  sizes.erase(sizes.size() - 1);
  sizes.insert(std::min(a, b), n);
  sizes.insert(std::max(a, b), n);
  out.set(self.dtype, sizes);
}

void diag(const TensorMeta& self, int64_t offset, TensorMeta& out) {
  RL_CHECK(self.rank() == 1 || self.rank() == 2, Runtime, "diag(): Supports 1D or 2D tensors. Got ",
           self.rank(), "D");
  if (self.rank() == 1) return diag_embed(self, offset, 0, 1, out);
  TensorMeta view = self;
  diagonal(self, offset, 0, 1, view);
  out.set(self.dtype, view.sizes);
}

void diagflat(const TensorMeta& self, int64_t offset, TensorMeta& out) {
  TensorMeta flat;
  flat.set(self.dtype, Dims{self.numel()});
  diag_embed(flat, offset, 0, 1, out);
}

namespace {

void check_scattered(const TensorMeta& self, const TensorMeta& src, const TensorMeta& view,
                     TensorMeta& out) {
  RL_CHECK(src.sizes == view.sizes, Runtime,
           "expected src to have a size equal to the slice of self. src size = ", src.sizes,
           ", slice size = ", view.sizes);
  out.set(self.dtype, self.sizes);
}

}  // namespace

void slice_scatter(const TensorMeta& self, const TensorMeta& src, int64_t dim,
                   std::optional<int64_t> start, std::optional<int64_t> end, int64_t step,
                   TensorMeta& out) {
  TensorMeta view = self;
  slice(self, dim, start, end, step, view);
  check_scattered(self, src, view, out);
}
void select_scatter(const TensorMeta& self, const TensorMeta& src, int64_t dim, int64_t index,
                    TensorMeta& out) {
  TensorMeta view = self;
  select(self, dim, index, view);
  check_scattered(self, src, view, out);
}
void diagonal_scatter(const TensorMeta& self, const TensorMeta& src, int64_t offset, int64_t dim1,
                      int64_t dim2, TensorMeta& out) {
  TensorMeta view = self;
  diagonal(self, offset, dim1, dim2, view);
  check_scattered(self, src, view, out);
}
void as_strided_scatter(const TensorMeta& self, const TensorMeta& src, IntList size, IntList stride,
                        std::optional<int64_t> storage_offset, TensorMeta& out) {
  TensorMeta whole, view;
  whole.set(self.dtype, self.sizes);
  view.dtype = self.dtype;
  as_strided(whole, size, stride, storage_offset, view);
  check_scattered(self, src, view, out);
}

void fill_diagonal(const TensorMeta& self, Scalar, bool, TensorMeta& out) {
  RL_CHECK(self.rank() >= 2, Runtime, "dimensions must larger than 1");
  if (self.rank() > 2)
    for (int64_t s : self.sizes)
      RL_CHECK(s == self.sizes[0], Runtime, "all dimensions of input must be of equal length");
  out.set(self.dtype, self.sizes);
}

void channel_shuffle(const TensorMeta& self, int64_t groups, TensorMeta& out) {
  RL_CHECK(self.rank() > 2, Runtime,
           "channel_shuffle expects input with > 2 dims, but got input "
           "with sizes ",
           self.sizes);
  RL_CHECK(groups > 0, Runtime,
           "Number of groups to divide channels in must be positive. Value of "
           "groups:",
           groups);
  RL_CHECK(self.sizes[1] % groups == 0, Runtime,
           "Number of channels must be divisible by groups. Got ", self.sizes[1], " channels and ",
           groups, " groups.");
  out.set(self.dtype, self.sizes);
}

}  // namespace rushlight::shape
