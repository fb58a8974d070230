// Shape rules of reductions. Those without a neutral element refuse to reduce nothing.
#include "ir/shape/generated.h"
#include "ir/shape/reduce_dims.h"

namespace rushlight::shape {
namespace {

using OptionalDims = std::optional<IntList>;

void reduce(const TensorMeta& self, const DimMask& mask, bool keepdim, TensorMeta& out) {
  out.set(out.dtype, reduced_sizes(self.sizes, mask, keepdim));
}

DimMask all_dims(const TensorMeta& self) { return reduced_dims(std::nullopt, self.rank()); }

void require_inexact(const char* name, DType dtype) {
  RL_CHECK(is_floating(dtype) || is_complex(dtype), Runtime, name,
           ": expected a floating point or complex dtype, got ", dtype_name(dtype));
}

void require_real(const char* name, const TensorMeta& self) {
  RL_CHECK(!is_complex(self.dtype), NotImplemented, name, " is not implemented for ",
           dtype_name(self.dtype));
}

// PyTorch's IndexError for an empty reduced dimension, RuntimeError when everything is reduced.
void require_elements(const char* name, const TensorMeta& self, const DimMask& mask, bool listed) {
  if (self.numel() > 0) return;
  RL_CHECK(listed, Runtime, name,
           "(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
           "reduction dim with the 'dim' argument.");
  for (size_t d = 0; d < self.sizes.size(); ++d)
    RL_CHECK(!mask[d] || self.sizes[d] > 0, Index, name, "(): Expected reduction dim ", d,
             " to have non-zero size.");
}

void extremum(const char* name, const TensorMeta& self, const DimMask& mask, bool listed,
              bool keepdim, TensorMeta& out) {
  require_elements(name, self, mask, listed);
  require_real(name, self);
  reduce(self, mask, keepdim, out);
}

void arg(const char* name, const TensorMeta& self, std::optional<int64_t> dim, bool keepdim,
         TensorMeta& out) {
  RL_CHECK(!is_complex(self.dtype) && self.dtype != DType::Bool, Runtime, name,
           "(): does not support ", dtype_name(self.dtype), " input");
  RL_CHECK(dim || self.numel() > 0, Index, name,
           "(): Expected reduction dim to be specified for input.numel() == 0.");
  const DimMask mask = reduced_dim(dim, self.rank());
  require_elements(name, self, mask, true);
  reduce(self, mask, keepdim, out);
}

void var(const TensorMeta& self, OptionalDims dim, bool keepdim, TensorMeta& out) {
  RL_CHECK(is_floating(self.dtype) || is_complex(self.dtype), Runtime,
           "std and var only support floating point and complex dtypes, got ",
           dtype_name(self.dtype));
  reduce(self, reduced_dims(dim, self.rank()), keepdim, out);
}

void vector_norm(const char* name, const TensorMeta& self, double p, OptionalDims dim, bool keepdim,
                 TensorMeta& out) {
  require_inexact(name, self.dtype);
  require_inexact(name, out.dtype);
  RL_CHECK(is_complex(self.dtype) == is_complex(out.dtype), Runtime, name,
           ": dtype should be complex for complex inputs, and real for real ones, got ",
           dtype_name(out.dtype), " for ", dtype_name(self.dtype));
  RL_CHECK(promote_types(real_type(self.dtype), out.dtype) == out.dtype, Runtime, name,
           ": the dtype of the input (", dtype_name(self.dtype),
           ") should be convertible without narrowing to the specified dtype (",
           dtype_name(out.dtype), ")");
  out.dtype = real_type(out.dtype);
  const DimMask mask = reduced_dims(dim, self.rank());
  if (p < 0 || p == std::numeric_limits<double>::infinity())
    for (size_t d = 0; d < self.sizes.size(); ++d)
      RL_CHECK(!mask[d] || self.sizes[d] > 0, Runtime, name, " cannot compute the ", p,
               " norm over dimension ", d,
               ", which is empty, because the operation does not have an identity");
  reduce(self, mask, keepdim, out);
}

double order(const std::optional<Scalar>& p) { return p ? p->to_double() : 2; }

}  // namespace

void sum(const TensorMeta& self, std::optional<DType>, TensorMeta& out) {
  reduce(self, all_dims(self), false, out);
}
void sum(const TensorMeta& self, OptionalDims dim, bool keepdim, std::optional<DType>,
         TensorMeta& out) {
  reduce(self, reduced_dims(dim, self.rank()), keepdim, out);
}
void prod(const TensorMeta& self, int64_t dim, bool keepdim, std::optional<DType>,
          TensorMeta& out) {
  reduce(self, reduced_dim(dim, self.rank()), keepdim, out);
}
void mean(const TensorMeta& self, std::optional<DType> dtype, TensorMeta& out) {
  require_inexact("mean()", out.dtype);
  sum(self, dtype, out);
}
void mean(const TensorMeta& self, OptionalDims dim, bool keepdim, std::optional<DType> dtype,
          TensorMeta& out) {
  require_inexact("mean()", out.dtype);
  sum(self, dim, keepdim, dtype, out);
}
void nansum(const TensorMeta& self, OptionalDims dim, bool keepdim, std::optional<DType> dtype,
            TensorMeta& out) {
  sum(self, dim, keepdim, dtype, out);
  RL_CHECK(!is_complex(self.dtype), Runtime, "nansum on CPU does not support complex inputs");
}
void nanmean(const TensorMeta& self, OptionalDims dim, bool keepdim, std::optional<DType> dtype,
             TensorMeta& out) {
  require_inexact("nanmean()", self.dtype);
  nansum(self, dim, keepdim, dtype, out);
}

void count_nonzero(const TensorMeta& self, std::optional<int64_t> dim, TensorMeta& out) {
  reduce(self, reduced_dim(dim, self.rank()), false, out);
}
void count_nonzero(const TensorMeta& self, IntList dim, TensorMeta& out) {
  reduce(self, reduced_dims(dim, self.rank()), false, out);
}

void amax(const TensorMeta& self, IntList dim, bool keepdim, TensorMeta& out) {
  extremum("amax", self, reduced_dims(dim, self.rank()), !dim.empty(), keepdim, out);
}
void amin(const TensorMeta& self, IntList dim, bool keepdim, TensorMeta& out) {
  extremum("amin", self, reduced_dims(dim, self.rank()), !dim.empty(), keepdim, out);
}
void max(const TensorMeta& self, TensorMeta& out) {
  extremum("max", self, all_dims(self), false, false, out);
}
void min(const TensorMeta& self, TensorMeta& out) {
  extremum("min", self, all_dims(self), false, false, out);
}
void max(const TensorMeta& self, int64_t dim, bool keepdim, TensorMeta& values,
         TensorMeta& indices) {
  extremum("max", self, reduced_dim(dim, self.rank()), true, keepdim, values);
  indices.set(indices.dtype, values.sizes);
}
void min(const TensorMeta& self, int64_t dim, bool keepdim, TensorMeta& values,
         TensorMeta& indices) {
  extremum("min", self, reduced_dim(dim, self.rank()), true, keepdim, values);
  indices.set(indices.dtype, values.sizes);
}
void argmax(const TensorMeta& self, std::optional<int64_t> dim, bool keepdim, TensorMeta& out) {
  arg("argmax", self, dim, keepdim, out);
}
void argmin(const TensorMeta& self, std::optional<int64_t> dim, bool keepdim, TensorMeta& out) {
  arg("argmin", self, dim, keepdim, out);
}
void aminmax(const TensorMeta& self, std::optional<int64_t> dim, bool keepdim, TensorMeta& min,
             TensorMeta& max) {
  extremum("aminmax", self, reduced_dim(dim, self.rank()), dim.has_value(), keepdim, min);
  max.set(max.dtype, min.sizes);
}

void truth(const TensorMeta& self, TensorMeta& out) { reduce(self, all_dims(self), false, out); }
void truth(const TensorMeta& self, int64_t dim, bool keepdim, TensorMeta& out) {
  reduce(self, reduced_dim(dim, self.rank()), keepdim, out);
}
void truth(const TensorMeta& self, OptionalDims dim, bool keepdim, TensorMeta& out) {
  reduce(self, truth_dims(dim, self.rank()), keepdim, out);
}

void var(const TensorMeta& self, bool, TensorMeta& out) { var(self, std::nullopt, false, out); }
void var(const TensorMeta& self, OptionalDims dim, bool, bool keepdim, TensorMeta& out) {
  var(self, dim, keepdim, out);
}
void var(const TensorMeta& self, OptionalDims dim, std::optional<Scalar>, bool keepdim,
         TensorMeta& out) {
  var(self, dim, keepdim, out);
}
void var_mean(const TensorMeta& self, bool, TensorMeta& out, TensorMeta& mean) {
  var(self, std::nullopt, false, out);
  mean.set(mean.dtype, out.sizes);
}
void var_mean(const TensorMeta& self, OptionalDims dim, bool, bool keepdim, TensorMeta& out,
              TensorMeta& mean) {
  var(self, dim, keepdim, out);
  mean.set(mean.dtype, out.sizes);
}
void var_mean(const TensorMeta& self, OptionalDims dim, std::optional<Scalar>, bool keepdim,
              TensorMeta& out, TensorMeta& mean) {
  var(self, dim, keepdim, out);
  mean.set(mean.dtype, out.sizes);
}

void logsumexp(const TensorMeta& self, IntList dim, bool keepdim, TensorMeta& out) {
  reduce(self, reduced_dims(dim, self.rank()), keepdim, out);
}

void linalg_vector_norm(const TensorMeta& self, Scalar ord, OptionalDims dim, bool keepdim,
                        std::optional<DType>, TensorMeta& out) {
  vector_norm("linalg.vector_norm", self, ord.to_double(), dim, keepdim, out);
}
void norm(const TensorMeta& self, Scalar p, TensorMeta& out) {
  vector_norm("norm()", self, p.to_double(), std::nullopt, false, out);
}
void norm(const TensorMeta& self, std::optional<Scalar> p, IntList dim, bool keepdim,
          TensorMeta& out) {
  vector_norm("norm()", self, order(p), dim, keepdim, out);
}
void norm(const TensorMeta& self, std::optional<Scalar> p, IntList dim, bool keepdim, DType,
          TensorMeta& out) {
  vector_norm("norm()", self, order(p), dim, keepdim, out);
}
void norm(const TensorMeta& self, std::optional<Scalar> p, DType, TensorMeta& out) {
  vector_norm("norm()", self, order(p), std::nullopt, false, out);
}

}  // namespace rushlight::shape
