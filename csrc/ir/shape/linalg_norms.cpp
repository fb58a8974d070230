// Shape rules of matrix norms, pseudo-inverses, and products of matrices.
#include <algorithm>

#include "ir/shape/generated.h"
#include "ir/shape/matrix.h"

namespace rushlight::shape {
namespace {

using Type = std::optional<DType>;

DType norm_dtype(std::string_view name, const TensorMeta& a, Type dtype) {
  if (!dtype) return real_type(a.dtype);
  RL_CHECK(is_floating(*dtype) || is_complex(*dtype), Runtime, name,
           ": dtype should be floating point or complex, but got ", dtype_name(*dtype));
  RL_CHECK(is_complex(a.dtype) == is_complex(*dtype), Runtime, name, ": dtype should be ",
           is_complex(a.dtype) ? "complex for complex" : "real for real", " inputs, but got ",
           dtype_name(*dtype));
  RL_CHECK(promote_types(a.dtype, *dtype) == *dtype, Runtime, name, ": the dtype of the input (",
           dtype_name(a.dtype),
           ") should be convertible without narrowing to the specified dtype (", dtype_name(*dtype),
           ")");
  return real_type(*dtype);
}

void reduce_two(std::string_view name, const TensorMeta& self, IntList dim, bool keepdim,
                Type dtype, TensorMeta& out) {
  check_inexact(name, self);
  check_matrix(name, self);
  RL_CHECK(dim.size() == 2, Runtime, name, ": dim must be a 2-tuple. Got ", Dims(dim));
  const int64_t a = wrap_dim(dim[0], self.rank()), b = wrap_dim(dim[1], self.rank());
  RL_CHECK(a != b, Runtime, name, ": dims must be different. Got (", dim[0], ", ", dim[1], ")");
  Dims sizes;
  for (int64_t d = 0; d < self.rank(); ++d) {
    if (d != a && d != b)
      sizes.push_back(self.sizes[d]);
    else if (keepdim)
      sizes.push_back(1);
  }
  out.set(norm_dtype(name, self, dtype), sizes);
}

void batch_only(const TensorMeta& a, DType dtype, TensorMeta& out) {
  out.set(dtype, IntList(a.sizes).first(a.sizes.size() - 2));
}

constexpr int64_t kLastTwo[] = {-2, -1};

void pinv_sizes(const TensorMeta& a, bool hermitian, TensorMeta& out) {
  check_full_precision("linalg.pinv", a);
  check_matrix("linalg.pinv", a);
  if (hermitian) check_square("linalg.pinv", a);
  Dims sizes = a.sizes;
  std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  out.set(a.dtype, sizes);
}
void rank_sizes(const TensorMeta& a, bool hermitian, TensorMeta& out) {
  check_full_precision("linalg.matrix_rank", a);
  check_matrix("linalg.matrix_rank", a);
  if (hermitian) check_square("linalg.matrix_rank", a);
  batch_only(a, DType::Int64, out);
}

}  // namespace

void matrix_norm(const TensorMeta& self, Scalar ord, IntList dim, bool keepdim, Type dtype,
                 TensorMeta& out) {
  const double size = std::abs(ord.to_double());
  RL_CHECK(size == 1 || size == 2 || std::isinf(size), Runtime, "linalg.matrix_norm: Order ",
           ord.to_double(), " not supported.");
  if (size == 2) check_full_precision("linalg.matrix_norm", self);
  reduce_two("linalg.matrix_norm", self, dim, keepdim, dtype, out);
}
void matrix_norm(const TensorMeta& self, std::string_view ord, IntList dim, bool keepdim,
                 Type dtype, TensorMeta& out) {
  RL_CHECK(ord == "fro" || ord == "nuc", Runtime, "linalg.matrix_norm: Order ", ord,
           " not supported.");
  if (ord == "nuc") check_full_precision("linalg.matrix_norm", self);
  reduce_two("linalg.matrix_norm", self, dim, keepdim, dtype, out);
}

void linalg_norm(const TensorMeta& self, std::optional<Scalar> ord, std::optional<IntList> dim,
                 bool keepdim, Type dtype, TensorMeta& out) {
  check_inexact("linalg.norm", self);
  const auto rank = static_cast<size_t>(self.rank());
  if (dim)
    RL_CHECK(dim->size() == 1 || dim->size() == 2, Runtime,
             "linalg.norm: If dim is specified, it must be of length 1 or 2. Got ", Dims(*dim));
  else if (ord)
    RL_CHECK(rank == 1 || rank == 2, Runtime,
             "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got ",
             rank, "D.");
  if (ord && (dim ? dim->size() : rank) == 2)
    return matrix_norm(self, *ord, dim.value_or(IntList(kLastTwo)), keepdim, dtype, out);
  linalg_vector_norm(self, ord.value_or(Scalar(2)), dim, keepdim, dtype, out);
  out.dtype = norm_dtype("linalg.norm", self, dtype);
}
void linalg_norm(const TensorMeta& self, std::string_view ord, std::optional<IntList> dim,
                 bool keepdim, Type dtype, TensorMeta& out) {
  RL_CHECK(dim || self.rank() == 2, Runtime,
           "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got ",
           self.rank(), "D.");
  matrix_norm(self, ord, dim.value_or(IntList(kLastTwo)), keepdim, dtype, out);
}

void linalg_cond(const TensorMeta& self, std::optional<Scalar> p, TensorMeta& out) {
  check_full_precision("linalg.cond", self);
  check_matrix("linalg.cond", self);
  const double size = p ? std::abs(p->to_double()) : 2;
  RL_CHECK(size == 1 || size == 2 || std::isinf(size), Runtime,
           "linalg.cond got an invalid norm type: ", size);
  if (size != 2) check_square("linalg.cond", self);
  batch_only(self, real_type(self.dtype), out);
}
void linalg_cond(const TensorMeta& self, std::string_view p, TensorMeta& out) {
  check_full_precision("linalg.cond", self);
  RL_CHECK(p == "fro" || p == "nuc", Runtime, "linalg.cond got an invalid norm type: ", p);
  check_square("linalg.cond", self);
  batch_only(self, real_type(self.dtype), out);
}

void pinv(const TensorMeta& a, const TensorMeta*, const TensorMeta*, bool hermitian,
          TensorMeta& out) {
  pinv_sizes(a, hermitian, out);
}
void pinv(const TensorMeta& a, std::optional<double>, std::optional<double>, bool hermitian,
          TensorMeta& out) {
  pinv_sizes(a, hermitian, out);
}
void pinv(const TensorMeta& a, double, bool hermitian, TensorMeta& out) {
  pinv_sizes(a, hermitian, out);
}
void pinv(const TensorMeta& a, double, TensorMeta& out) { pinv_sizes(a, false, out); }
void pinv(const TensorMeta& a, const TensorMeta&, bool hermitian, TensorMeta& out) {
  pinv_sizes(a, hermitian, out);
}

void matrix_rank(const TensorMeta& a, const TensorMeta*, const TensorMeta*, bool hermitian,
                 TensorMeta& out) {
  rank_sizes(a, hermitian, out);
}
void matrix_rank(const TensorMeta& a, std::optional<double>, std::optional<double>, bool hermitian,
                 TensorMeta& out) {
  rank_sizes(a, hermitian, out);
}
void matrix_rank(const TensorMeta& a, double, bool hermitian, TensorMeta& out) {
  rank_sizes(a, hermitian, out);
}
void matrix_rank(const TensorMeta& a, const TensorMeta&, bool hermitian, TensorMeta& out) {
  rank_sizes(a, hermitian, out);
}

void matrix_power(const TensorMeta& self, int64_t n, TensorMeta& out) {
  check_square("linalg.matrix_power", self);
  if (n < 0) check_full_precision("linalg.matrix_power", self);
  out.set(self.dtype, self.sizes);
}
void matrix_exp(const TensorMeta& self, TensorMeta& out) {
  check_inexact("linalg.matrix_exp", self);
  check_square("linalg.matrix_exp", self);
  out.set(self.dtype, self.sizes);
}

void multi_dot(TensorList tensors, TensorMeta& out) {
  const size_t n = tensors.size();
  RL_CHECK(n >= 2, Runtime, "multi_dot(): expected at least 2 tensors but got ", n);
  Dims sizes;
  int64_t inner = -1;
  for (size_t i = 0; i < n; ++i) {
    const TensorMeta& t = *tensors[i];
    const bool end = i == 0 || i + 1 == n;
    RL_CHECK(t.rank() == 2 || (end && t.rank() == 1), Runtime, "multi_dot(): tensor ", i,
             " must be ", end ? "1D or 2D" : "2D", " but got ", t.rank(), "D");
    RL_CHECK(t.dtype == tensors[0]->dtype, Runtime,
             "multi_dot(): all tensors must have be the same dtype but tensor 0 is ",
             dtype_name(tensors[0]->dtype), " and tensor ", i, " ", dtype_name(t.dtype));
    const int64_t rows = i == 0 && t.rank() == 1 ? 1 : t.sizes[0];
    RL_CHECK(i == 0 || rows == inner, Runtime, "multi_dot(): tensors ", i - 1, " and ", i,
             " with shapes ", tensors[i == 0 ? 0 : i - 1]->sizes, " and ", t.sizes,
             " cannot be multiplied");
    inner = i == 0 && t.rank() == 1 ? t.sizes[0] : t.rank() == 1 ? 1 : t.sizes[1];
  }
  if (tensors[0]->rank() == 2) sizes.push_back(tensors[0]->sizes[0]);
  if (tensors[n - 1]->rank() == 2) sizes.push_back(tensors[n - 1]->sizes[1]);
  out.set(tensors[0]->dtype, sizes);
}

void tensorinv(const TensorMeta& self, int64_t ind, TensorMeta& out) {
  check_full_precision("linalg.tensorinv", self);
  RL_CHECK(ind > 0, Runtime, "Expected a strictly positive integer for 'ind'");
  RL_CHECK(ind <= self.rank(), Runtime, "linalg.tensorinv: ind=", ind, " exceeds the rank of ",
           self.sizes);
  const IntList sizes = self.sizes;
  const IntList head = sizes.first(static_cast<size_t>(ind)), tail = sizes.subspan(head.size());
  RL_CHECK(checked_numel(head) == checked_numel(tail), Runtime,
           "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
           "prod(self.shape[:ind]), but got ",
           checked_numel(tail), " != ", checked_numel(head));
  Dims result(tail);
  for (int64_t s : head) result.push_back(s);
  out.set(self.dtype, result);
}

void tensorsolve(const TensorMeta& self, const TensorMeta& other, std::optional<IntList> dims,
                 TensorMeta& out) {
  check_full_precision("linalg.tensorsolve", self);
  Dims sizes = self.sizes;
  if (dims) {
    std::vector<bool> moved(sizes.size());
    for (int64_t d : *dims) moved[static_cast<size_t>(wrap_dim(d, self.rank()))] = true;
    Dims order;
    for (size_t d = 0; d < sizes.size(); ++d)
      if (!moved[d]) order.push_back(sizes[d]);
    for (int64_t d : *dims) order.push_back(self.size(d));
    sizes = order;
  }
  RL_CHECK(other.rank() <= self.rank(), Runtime, "linalg.tensorsolve: other of shape ", other.sizes,
           " does not fit self of shape ", self.sizes);
  const IntList result = IntList(sizes).subspan(static_cast<size_t>(other.rank()));
  RL_CHECK(checked_numel(result) == other.numel() && self.numel() == other.numel() * other.numel(),
           Runtime,
           "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
           "prod(self.shape[:other.ndim]), but got shape ",
           sizes);
  out.set(self.dtype, result);
}

void cross(const TensorMeta& self, const TensorMeta& other, int64_t dim, TensorMeta& out) {
  RL_CHECK(self.rank() == other.rank(), Runtime,
           "linalg.cross: inputs must have the same number of dimensions.");
  const Dims sizes = broadcast(self.sizes, other.sizes);
  RL_CHECK(self.size(dim) == 3 && other.size(dim) == 3, Runtime, "linalg.cross: inputs dimension ",
           dim, " must have length 3. Got ", self.size(dim), " and ", other.size(dim));
  out.set(out.dtype, sizes);
}
void cross(const TensorMeta& self, const TensorMeta& other, std::optional<int64_t> dim,
           TensorMeta& out) {
  if (dim) return cross(self, other, *dim, out);
  const Dims sizes = broadcast(self.sizes, other.sizes);
  int64_t d = 0;
  while (d < static_cast<int64_t>(sizes.size()) && sizes[d] != 3) ++d;
  RL_CHECK(d < static_cast<int64_t>(sizes.size()), Runtime, "no dimension of size 3 in input");
  cross(self, other, d, out);
}

}  // namespace rushlight::shape
