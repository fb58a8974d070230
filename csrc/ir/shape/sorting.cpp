// Sizes of sorted, selected and searched values.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

void require_real(const TensorMeta& self, std::string_view name) {
  RL_CHECK(!is_complex(self.dtype), Runtime, name, " does not support complex dtypes");
}

// One value per slice along `dim`.
void selected(const TensorMeta& self, int64_t dim, bool keepdim, TensorMeta& values,
              TensorMeta& indices) {
  const int64_t at = wrap_dim(dim, self.rank());
  Dims sizes = self.sizes;
  if (self.rank() > 0) {
    if (keepdim)
      sizes[at] = 1;
    else
      sizes.erase(at);
  }
  values.set(self.dtype, sizes);
  indices.set(DType::Int64, sizes);
}

void require_elements(const TensorMeta& self, int64_t dim, std::string_view name) {
  if (self.rank() > 0)
    RL_CHECK(self.size(dim) > 0, Index, name, "(): Expected reduction dim ",
             wrap_dim(dim, self.rank()), " to have non-zero size.");
}

}  // namespace

void sort(const TensorMeta& self, int64_t dim, bool, TensorMeta& values, TensorMeta& indices) {
  require_real(self, "sort");
  wrap_dim(dim, self.rank());
  values.set(self.dtype, self.sizes);
  indices.set(DType::Int64, self.sizes);
}
void sort(const TensorMeta& self, std::optional<bool>, int64_t dim, bool descending,
          TensorMeta& values, TensorMeta& indices) {
  sort(self, dim, descending, values, indices);
}

void argsort(const TensorMeta& self, int64_t dim, bool descending, TensorMeta& out) {
  TensorMeta values;
  sort(self, dim, descending, values, out);
}
void argsort(const TensorMeta& self, bool, int64_t dim, bool descending, TensorMeta& out) {
  argsort(self, dim, descending, out);
}

void topk(const TensorMeta& self, int64_t k, int64_t dim, bool, bool, TensorMeta& values,
          TensorMeta& indices) {
  require_real(self, "topk");
  const int64_t at = wrap_dim(dim, self.rank());
  RL_CHECK(k >= 0 && k <= (self.rank() > 0 ? self.sizes[at] : 1), Runtime,
           "selected index k out of range");
  Dims sizes = self.sizes;
  if (self.rank() > 0) sizes[at] = k;
  values.set(self.dtype, sizes);
  indices.set(DType::Int64, sizes);
}

void kthvalue(const TensorMeta& self, int64_t k, int64_t dim, bool keepdim, TensorMeta& values,
              TensorMeta& indices) {
  require_elements(self, dim, "kthvalue");
  const int64_t size = self.rank() > 0 ? self.size(dim) : 1;
  RL_CHECK(k > 0 && k <= size, Runtime, "kthvalue(): selected number k out of range for dimension ",
           dim);
  selected(self, dim, keepdim, values, indices);
}

void median(const TensorMeta& self, int64_t dim, bool keepdim, TensorMeta& values,
            TensorMeta& indices) {
  require_elements(self, dim, "median");
  selected(self, dim, keepdim, values, indices);
}

void mode(const TensorMeta& self, int64_t dim, bool keepdim, TensorMeta& values,
          TensorMeta& indices) {
  require_elements(self, dim, "mode");
  selected(self, dim, keepdim, values, indices);
}

void searched(const TensorMeta& self, const TensorMeta& boundaries, bool out_int32, bool,
              TensorMeta& out) {
  RL_CHECK(boundaries.rank() == 1, Runtime, "boundaries tensor must be 1 dimension, but got dim(",
           boundaries.rank(), ")");
  out.set(out_int32 ? DType::Int32 : DType::Int64, self.sizes);
}
void searched(Scalar, const TensorMeta& boundaries, bool out_int32, bool right, TensorMeta& out) {
  searched(TensorMeta{}, boundaries, out_int32, right, out);
}

void searchsorted(const TensorMeta& sorted_sequence, const TensorMeta& self, bool out_int32,
                  bool right, std::optional<std::string_view> side, const TensorMeta* sorter,
                  TensorMeta& out) {
  RL_CHECK(!side || *side == "left" || *side == "right", Runtime,
           "torch.searchsorted(): side can only be 'left' or 'right' but got ", side.value_or(""));
  RL_CHECK(!side || !right || *side == "right", Runtime,
           "torch.searchsorted(): side and right can't be set to opposites, got side of ",
           side.value_or(""), " while right was True");
  RL_CHECK(sorted_sequence.rank() > 0, Runtime,
           "torch.searchsorted(): boundaries tensor should be "
           "1 dimension or more");
  if (sorter) {
    RL_CHECK(sorter->sizes == sorted_sequence.sizes, Runtime,
             "torch.searchsorted(): boundary and sorter must have the same size, but got boundary "
             "tensor ",
             sorted_sequence.sizes, "and got sorter tensor ", sorter->sizes);
    RL_CHECK(sorter->dtype == DType::Int64, Runtime,
             "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype ",
             dtype_name(sorter->dtype));
  }
  bool fits = sorted_sequence.rank() == 1 || sorted_sequence.rank() == self.rank();
  for (int64_t d = 0; fits && sorted_sequence.rank() > 1 && d + 1 < self.rank(); ++d)
    fits = sorted_sequence.sizes[d] == self.sizes[d];
  RL_CHECK(
      fits, Runtime,
      "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions "
      "of boundaries tensor and input value tensor must match, but we got boundaries tensor ",
      sorted_sequence.sizes, " and input value tensor ", self.sizes);
  out.set(out_int32 ? DType::Int32 : DType::Int64, self.sizes);
}
void searchsorted(const TensorMeta& sorted_sequence, Scalar, bool out_int32, bool right,
                  std::optional<std::string_view> side, const TensorMeta* sorter, TensorMeta& out) {
  searchsorted(sorted_sequence, TensorMeta{}, out_int32, right, side, sorter, out);
}

void histc(const TensorMeta& self, int64_t bins, Scalar, Scalar, TensorMeta& out) {
  RL_CHECK(bins > 0, Runtime, "bins must be > 0");
  out.set(self.dtype, Dims{bins});
}

void isin(const TensorMeta& elements, const TensorMeta&, bool, bool, TensorMeta& out) {
  out.set(DType::Bool, elements.sizes);
}

}  // namespace rushlight::shape
