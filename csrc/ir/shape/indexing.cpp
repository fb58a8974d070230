// Sizes of what indexing operators give.
#include "ir/shape/generated.h"
#include "ir/shape/index_layout.h"

namespace rushlight::shape {
namespace {

void require_index(const TensorMeta& index, std::string_view name) {
  const bool any = index.numel() == 0 && is_integral(index.dtype);
  RL_CHECK(any || index.dtype == DType::Int64 || index.dtype == DType::Int32, Runtime, name,
           "(): Expected dtype int32/int64 for index, got ", dtype_name(index.dtype));
}

// In every dimension but `dim`, `index` may not be larger than `self`.
void require_fits(const TensorMeta& self, int64_t dim, const TensorMeta& index,
                  std::string_view name) {
  RL_CHECK(std::max<int64_t>(index.rank(), 1) == std::max<int64_t>(self.rank(), 1), Runtime,
           "Index tensor must have the same number of dimensions as ", name, " tensor");
  const int64_t at = wrap_dim(dim, self.rank());
  for (int64_t d = 0; d < std::min(index.rank(), self.rank()); ++d)
    RL_CHECK(d == at || index.sizes[d] <= self.sizes[d], Runtime,
             "Size does not match at dimension ", d, " expected index ", index.sizes,
             " to be no larger than ", name, " ", self.sizes, " apart from dimension ", at);
}

// One index per position of `source` along `dim`.
void check_row_index(const TensorMeta& self, int64_t dim, const TensorMeta& index,
                     const TensorMeta& source, std::string_view name, TensorMeta& out) {
  const int64_t at = wrap_dim(dim, self.rank());
  require_index(index, name);
  RL_CHECK(index.rank() <= 1, Index, name,
           "(): Index is supposed to be a vector, but got dim: ", index.rank());
  RL_CHECK(self.dtype == source.dtype, Runtime, name,
           "(): self and source expected to have the same dtype, but got (self) ",
           dtype_name(self.dtype), " and (source) ", dtype_name(source.dtype));
  const int64_t length = source.rank() == 0 ? 1 : source.sizes[wrap_dim(dim, source.rank())];
  RL_CHECK(index.numel() == length, Index, name, "(): Number of indices (", index.numel(),
           ") should be equal to source.size(dim): (", length, ")");
  if (source.rank() > 0 && self.rank() > 0) {
    RL_CHECK(source.rank() == self.rank(), Runtime, name,
             "(): source must have as many dimensions as self, got ", source.rank(), " and ",
             self.rank());
    for (int64_t d = 0; d < self.rank(); ++d)
      RL_CHECK(d == at || source.sizes[d] == self.sizes[d], Runtime, name, "(): source ",
               source.sizes, " must match self ", self.sizes, " in all dimensions but ", at);
  }
  out.set(self.dtype, self.sizes);
}

}  // namespace

void index(const TensorMeta& self, TensorList indices, TensorMeta& out) {
  check_index_dtypes(indices);
  std::vector<const TensorMeta*> metas(indices.begin(), indices.end());
  for (const TensorMeta* t : metas)
    if (t && is_mask(*t)) return set_data_dependent(out);
  out.set(self.dtype, index_layout(self, metas).sizes);
}

void index_put(const TensorMeta& self, TensorList indices, const TensorMeta& values, bool,
               TensorMeta& out) {
  check_index_dtypes(indices);
  RL_CHECK(self.dtype == values.dtype, Runtime,
           "Index put requires the source and destination dtypes match, got ",
           dtype_name(self.dtype), " for the destination and ", dtype_name(values.dtype),
           " for the source.");
  out.set(self.dtype, self.sizes);
}

void index_select(const TensorMeta& self, int64_t dim, const TensorMeta& index, TensorMeta& out) {
  require_index(index, "index_select");
  RL_CHECK(index.rank() <= 1, Index, "index_select(): Index is supposed to be a vector");
  const int64_t at = wrap_dim(dim, self.rank());
  out.set(self.dtype, self.sizes);
  if (self.rank() == 0) {
    RL_CHECK(index.numel() == 1, Index,
             "index_select(): Index to scalar can have only 1 value, got ", index.numel(),
             " value(s)");
    return;
  }
  Dims sizes = self.sizes;
  sizes[at] = index.numel();
  out.set(self.dtype, sizes);
}

void gather(const TensorMeta& self, int64_t dim, const TensorMeta& index, bool, TensorMeta& out) {
  require_index(index, "gather");
  wrap_dim(dim, self.rank());
  if (index.numel() != 0) require_fits(self, dim, index, "input");
  out.set(self.dtype, index.sizes);
}

void scatter(const TensorMeta& self, int64_t dim, const TensorMeta& index, TensorMeta& out) {
  require_index(index, "scatter");
  wrap_dim(dim, self.rank());
  if (index.numel() != 0) require_fits(self, dim, index, "self");
  out.set(self.dtype, self.sizes);
}
void scatter(const TensorMeta& self, int64_t dim, const TensorMeta& index, const TensorMeta& src,
             TensorMeta& out) {
  RL_CHECK(self.dtype == src.dtype, Runtime,
           "scatter(): Expected self.dtype to be equal to src.dtype");
  if (index.numel() != 0)
    for (int64_t d = 0; d < std::min(index.rank(), src.rank()); ++d)
      RL_CHECK(index.sizes[d] <= src.sizes[d], Runtime, "Expected index ", index.sizes,
               " to be no larger than src ", src.sizes, " in all dimensions");
  scatter(self, dim, index, out);
}
void scatter(const TensorMeta& self, int64_t dim, const TensorMeta& index, const TensorMeta& src,
             std::string_view, TensorMeta& out) {
  scatter(self, dim, index, src, out);
}
void scatter(const TensorMeta& self, int64_t dim, const TensorMeta& index, const TensorMeta& src,
             std::string_view, bool, TensorMeta& out) {
  scatter(self, dim, index, src, out);
}
void scatter(const TensorMeta& self, int64_t dim, const TensorMeta& index, Scalar,
             TensorMeta& out) {
  scatter(self, dim, index, out);
}
void scatter(const TensorMeta& self, int64_t dim, const TensorMeta& index, Scalar, std::string_view,
             TensorMeta& out) {
  scatter(self, dim, index, out);
}

void index_add(const TensorMeta& self, int64_t dim, const TensorMeta& index,
               const TensorMeta& source, Scalar, TensorMeta& out) {
  check_row_index(self, dim, index, source, "index_add", out);
}
void index_copy(const TensorMeta& self, int64_t dim, const TensorMeta& index,
                const TensorMeta& source, TensorMeta& out) {
  check_row_index(self, dim, index, source, "index_copy", out);
}
void index_reduce(const TensorMeta& self, int64_t dim, const TensorMeta& index,
                  const TensorMeta& source, std::string_view, bool, TensorMeta& out) {
  check_row_index(self, dim, index, source, "index_reduce", out);
}

void index_fill(const TensorMeta& self, int64_t dim, const TensorMeta& index, Scalar,
                TensorMeta& out) {
  wrap_dim(dim, self.rank());
  require_index(index, "index_fill_");
  RL_CHECK(index.rank() <= 1, Index, "Index has to be a vector/scalar");
  out.set(self.dtype, self.sizes);
}
void index_fill(const TensorMeta& self, int64_t dim, const TensorMeta& index,
                const TensorMeta& value, TensorMeta& out) {
  RL_CHECK(value.rank() == 0, Runtime,
           "index_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
           value.rank(), " dimension(s).");
  index_fill(self, dim, index, Scalar(0), out);
}

void take(const TensorMeta& self, const TensorMeta& index, TensorMeta& out) {
  RL_CHECK(index.dtype == DType::Int64, Index, "take(): Expected a long tensor for index, but got ",
           dtype_name(index.dtype));
  out.set(self.dtype, index.sizes);
}

void put(const TensorMeta& self, const TensorMeta& index, const TensorMeta& source, bool,
         TensorMeta& out) {
  RL_CHECK(index.dtype == DType::Int64, Index, "put_(): Expected a long tensor for index, but got ",
           dtype_name(index.dtype));
  RL_CHECK(self.dtype == source.dtype, Runtime,
           "put_(): self and source expected to have the same dtype");
  RL_CHECK(index.numel() == source.numel(), Index,
           "put_(): Expected source and index to have the same number of elements, but got "
           "source.numel() = ",
           source.numel(), ", index.numel() = ", index.numel());
  out.set(self.dtype, self.sizes);
}

void take_along_dim(const TensorMeta& self, const TensorMeta& indices, std::optional<int64_t> dim,
                    TensorMeta& out) {
  RL_CHECK(indices.dtype == DType::Int64, Runtime,
           "torch.take_along_dim(): dtype of indices should be Long but got ",
           dtype_name(indices.dtype));
  if (!dim) return out.set(self.dtype, Dims{indices.numel()});
  RL_CHECK(self.rank() == indices.rank(), Runtime,
           "torch.take_along_dim(): input and indices should have the same number of dimensions, "
           "but got ",
           self.rank(), " dimensions for input, and ", indices.rank(), " dimensions for indices");
  const int64_t at = wrap_dim(*dim, self.rank());
  Dims others = self.sizes;
  if (!others.empty()) others[at] = indices.sizes[at];
  out.set(self.dtype, broadcast(others, indices.sizes));
  if (!others.empty()) RL_CHECK(out.sizes[at] == indices.sizes[at], Runtime, "indices do not fit");
}

void masked_scatter(const TensorMeta& self, const TensorMeta& mask, const TensorMeta& source,
                    TensorMeta& out) {
  RL_CHECK(mask.dtype == DType::Bool, Runtime,
           "masked_scatter_ only supports boolean masks, but got mask with dtype ",
           dtype_name(mask.dtype));
  RL_CHECK(self.dtype == source.dtype, Runtime,
           "masked_scatter: expected self and source to have same dtypes but got ",
           dtype_name(self.dtype), " and ", dtype_name(source.dtype));
  out.set(self.dtype, broadcast(self.sizes, mask.sizes));
}

void nonzero_static(const TensorMeta& self, int64_t size, int64_t, TensorMeta& out) {
  RL_CHECK(size >= 0, Runtime, "nonzero_static: 'size' must be an non-negative integer");
  out.set(DType::Int64, Dims{size, self.rank()});
}

void one_hot(const TensorMeta& self, int64_t num_classes, TensorMeta& out) {
  RL_CHECK(self.dtype == DType::Int64, Runtime,
           "one_hot is only applicable to index tensor of type "
           "LongTensor.");
  if (num_classes == -1) {
    RL_CHECK(self.numel() > 0, Runtime, "Can not infer total number of classes from empty tensor.");
    return set_data_dependent(out);
  }
  RL_CHECK(num_classes > 0, Runtime, "num_classes should be positive");
  Dims sizes = self.sizes;
  sizes.push_back(num_classes);
  out.set(DType::Int64, sizes);
}

}  // namespace rushlight::shape
