// Views that cut a tensor into pieces along one dimension.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

void add_piece(const TensorMeta& self, int64_t dim, int64_t start, int64_t length,
               std::vector<TensorMeta>& outs) {
  TensorMeta piece = self;
  piece.sizes[dim] = length;
  piece.view_offset = start * self.strides[dim];
  outs.push_back(std::move(piece));
}

// Pieces between neighbouring positions, which are taken as Python slices take them.
void split_at(const TensorMeta& self, IntList positions, int64_t dim,
              std::vector<TensorMeta>& outs) {
  const int64_t size = self.sizes[dim];
  int64_t start = 0;
  outs.clear();
  for (size_t i = 0; i <= positions.size(); ++i) {
    int64_t end = i < positions.size() ? positions[i] : size;
    if (end < 0) end += size;
    end = std::clamp<int64_t>(end, 0, size);
    add_piece(self, dim, start, std::max<int64_t>(end - start, 0), outs);
    start = end;
  }
}

void require_rank(const TensorMeta& self, int64_t rank, std::string_view name) {
  RL_CHECK(self.rank() >= rank, Runtime, "torch.", name, " requires a tensor with at least ", rank,
           " dimension", rank > 1 ? "s" : "", ", but got a tensor with ", self.rank(),
           " dimensions!");
}

}  // namespace

void split(const TensorMeta& self, int64_t split_size, int64_t dim, std::vector<TensorMeta>& outs) {
  RL_CHECK(self.rank() > 0, Runtime, "split expects at least a 1-dimensional tensor");
  RL_CHECK(split_size >= 0, Runtime,
           "split expects split_size be non-negative, but got split_size=", split_size);
  const int64_t at = wrap_dim(dim, self.rank()), size = self.sizes[at];
  RL_CHECK(split_size > 0 || size == 0, Runtime,
           "split_size can only be 0 if dimension size is 0, but got dimension size of ", size);
  outs.clear();
  if (size == 0) return add_piece(self, at, 0, 0, outs);
  for (int64_t start = 0; start < size; start += split_size)
    add_piece(self, at, start, std::min(split_size, size - start), outs);
}

void split(const TensorMeta& self, IntList sizes, int64_t dim, std::vector<TensorMeta>& outs) {
  RL_CHECK(self.rank() > 0, Runtime, "split expects at least a 1-dimensional tensor");
  const int64_t at = wrap_dim(dim, self.rank());
  int64_t start = 0;
  outs.clear();
  for (int64_t length : sizes) {
    RL_CHECK(length >= 0, Runtime,
             "split_with_sizes expects split_sizes have only non-negative entries, but got "
             "split_sizes=",
             Dims(sizes));
    RL_CHECK(length <= self.sizes[at] - start, Runtime,
             "split_with_sizes expects split_sizes to sum exactly to ", self.sizes[at],
             " (input tensor's size at dimension ", at, "), but got split_sizes=", Dims(sizes));
    add_piece(self, at, start, length, outs);
    start += length;
  }
  RL_CHECK(start == self.sizes[at], Runtime,
           "split_with_sizes expects split_sizes to sum exactly to ", self.sizes[at],
           " (input tensor's size at dimension ", at, "), but got split_sizes=", Dims(sizes));
}

void chunk(const TensorMeta& self, int64_t chunks, int64_t dim, std::vector<TensorMeta>& outs) {
  RL_CHECK(self.rank() > 0, Runtime, "chunk expects at least a 1-dimensional tensor");
  RL_CHECK(chunks > 0, Runtime, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  const int64_t at = wrap_dim(dim, self.rank()), size = self.sizes[at];
  if (size == 0) {  // as many empty pieces as were asked for
    outs.clear();
    for (int64_t i = 0; i < chunks; ++i) add_piece(self, at, 0, 0, outs);
    return;
  }
  split(self, size / chunks + (size % chunks != 0), at, outs);
}

void tensor_split(const TensorMeta& self, int64_t sections, int64_t dim,
                  std::vector<TensorMeta>& outs) {
  RL_CHECK(self.rank() > 0, Runtime,
           "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  RL_CHECK(sections > 0, Runtime, "number of sections must be larger than 0, got ", sections);
  const int64_t at = wrap_dim(dim, self.rank()), size = self.sizes[at];
  int64_t start = 0;
  outs.clear();
  for (int64_t i = 0; i < sections; ++i) {
    const int64_t length = size / sections + (i < size % sections);
    add_piece(self, at, start, length, outs);
    start += length;
  }
}

void tensor_split(const TensorMeta& self, IntList indices, int64_t dim,
                  std::vector<TensorMeta>& outs) {
  RL_CHECK(self.rank() > 0, Runtime,
           "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  split_at(self, indices, wrap_dim(dim, self.rank()), outs);
}

void hsplit(const TensorMeta& self, int64_t sections, std::vector<TensorMeta>& outs) {
  require_rank(self, 1, "hsplit");
  const int64_t dim = self.rank() == 1 ? 0 : 1;
  RL_CHECK(sections != 0 && self.sizes[dim] % sections == 0, Runtime,
           "torch.hsplit attempted to split along dimension ", dim,
           ", but the size of the dimension ", self.sizes[dim],
           " is not divisible by the split_size ", sections, "!");
  tensor_split(self, sections, dim, outs);
}
void hsplit(const TensorMeta& self, IntList indices, std::vector<TensorMeta>& outs) {
  require_rank(self, 1, "hsplit");
  tensor_split(self, indices, self.rank() == 1 ? 0 : 1, outs);
}

void vsplit(const TensorMeta& self, int64_t sections, std::vector<TensorMeta>& outs) {
  require_rank(self, 2, "vsplit");
  RL_CHECK(sections != 0 && self.sizes[0] % sections == 0, Runtime,
           "torch.vsplit attempted to split along dimension 0, but the size of the dimension ",
           self.sizes[0], " is not divisible by the split_size ", sections, "!");
  tensor_split(self, sections, 0, outs);
}
void vsplit(const TensorMeta& self, IntList indices, std::vector<TensorMeta>& outs) {
  require_rank(self, 2, "vsplit");
  tensor_split(self, indices, 0, outs);
}

void dsplit(const TensorMeta& self, int64_t sections, std::vector<TensorMeta>& outs) {
  require_rank(self, 3, "dsplit");
  RL_CHECK(sections != 0 && self.sizes[2] % sections == 0, Runtime,
           "torch.dsplit attempted to split along dimension 2, but the size of the dimension ",
           self.sizes[2], " is not divisible by the split_size ", sections, "!");
  tensor_split(self, sections, 2, outs);
}
void dsplit(const TensorMeta& self, IntList indices, std::vector<TensorMeta>& outs) {
  require_rank(self, 3, "dsplit");
  tensor_split(self, indices, 2, outs);
}

void unbind(const TensorMeta& self, int64_t dim, std::vector<TensorMeta>& outs) {
  RL_CHECK(self.rank() > 0, Index, "Dimension specified as ", dim, " but tensor has no dimensions");
  const int64_t at = wrap_dim(dim, self.rank());
  outs.clear();
  for (int64_t i = 0; i < self.sizes[at]; ++i) {
    TensorMeta piece;
    piece.dtype = self.dtype;
    select(self, at, i, piece);
    outs.push_back(std::move(piece));
  }
}

}  // namespace rushlight::shape
