// Shape rules of factorisations, solutions and spectra.
#include "ir/shape/generated.h"
#include "ir/shape/matrix.h"

namespace rushlight::shape {
namespace {

void check_factorable(std::string_view name, const TensorMeta& a) {
  check_matrix(name, a);
  check_full_precision(name, a);
}
void check_solvable(std::string_view name, const TensorMeta& a) {
  check_factorable(name, a);
  check_square(name, a);
}
void check_same_dtype(std::string_view name, const TensorMeta& a, const TensorMeta& b) {
  RL_CHECK(a.dtype == b.dtype, Runtime, name,
           ": Expected A and B to have the same dtype, but found A of type ", dtype_name(a.dtype),
           " and B of type ", dtype_name(b.dtype), " instead");
}

IntList batch(const TensorMeta& t, size_t keep = 2) {
  return IntList(t.sizes).first(t.sizes.size() - keep);
}
Dims joined(IntList lead, std::initializer_list<int64_t> last) {
  Dims sizes(lead);
  for (int64_t s : last) sizes.push_back(s);
  return sizes;
}

}  // namespace

void square_same(const TensorMeta& a, bool, TensorMeta& out) {
  check_solvable("linalg", a);
  out.set(a.dtype, a.sizes);
}
void square_same(const TensorMeta& a, TensorMeta& out) { square_same(a, false, out); }
void square_same(const TensorMeta& a, bool, TensorMeta& out, TensorMeta& info) {
  square_same(a, false, out);
  info.set(DType::Int32, batch(a));
}
void square_same(const TensorMeta& a, bool, bool, TensorMeta& out, TensorMeta& info) {
  square_same(a, false, out, info);
}

void cholesky_solve(const TensorMeta& self, const TensorMeta& input2, bool, TensorMeta& out) {
  check_factorable("cholesky_solve", self);
  check_solvable("cholesky_solve", input2);
  check_same_dtype("cholesky_solve", input2, self);
  RL_CHECK(self.size(-2) == input2.size(-1), Runtime,
           "Incompatible matrix sizes for cholesky_solve: each A matrix is ", input2.size(-1),
           " by ", input2.size(-1), " but each b matrix is ", self.size(-2), " by ", self.size(-1));
  out.set(self.dtype,
          joined(broadcast(batch(self), batch(input2)), {self.size(-2), self.size(-1)}));
}

void lu_factor(const TensorMeta& a, bool, TensorMeta& lu, TensorMeta& pivots) {
  check_factorable("torch.lu_factor", a);
  lu.set(a.dtype, a.sizes);
  pivots.set(DType::Int32, joined(batch(a), {std::min(a.size(-1), a.size(-2))}));
}
void lu_factor(const TensorMeta& a, bool pivot, bool, TensorMeta& lu, TensorMeta& pivots,
               TensorMeta& info) {
  lu_factor(a, pivot, lu, pivots);
  info.set(DType::Int32, batch(a));
}
void linalg_lu(const TensorMeta& a, bool, TensorMeta& p, TensorMeta& l, TensorMeta& u) {
  check_factorable("linalg.lu", a);
  const int64_t m = a.size(-2), n = a.size(-1), k = std::min(m, n);
  p.set(a.dtype, joined(batch(a), {m, m}));
  l.set(a.dtype, joined(batch(a), {m, k}));
  u.set(a.dtype, joined(batch(a), {k, n}));
}
void lu_unpack(const TensorMeta& lu, const TensorMeta& pivots, bool data, bool permutation,
               TensorMeta& p, TensorMeta& l, TensorMeta& u) {
  check_factorable("torch.lu_unpack", lu);
  RL_CHECK(
      !permutation || pivots.dtype == DType::Int32, Runtime,
      "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.");
  linalg_lu(lu, true, p, l, u);
  RL_CHECK(!permutation || pivots.sizes == joined(batch(lu), {l.size(-1)}), Runtime,
           "torch.lu_unpack: LU_pivots of shape ", pivots.sizes, " does not fit LU_data of shape ",
           lu.sizes);
  if (!data) l.set(lu.dtype, Dims{0}), u.set(lu.dtype, Dims{0});
  if (!permutation) p.set(lu.dtype, Dims{0});
}

void det(const TensorMeta& a, TensorMeta& result, TensorMeta& lu, TensorMeta& pivots) {
  check_solvable("linalg.det", a);
  result.set(a.dtype, batch(a));
  lu_factor(a, true, lu, pivots);
}
void slogdet(const TensorMeta& a, TensorMeta& sign, TensorMeta& log) {
  check_solvable("linalg.slogdet", a);
  sign.set(a.dtype, batch(a));
  log.set(real_type(a.dtype), batch(a));
}
void slogdet(const TensorMeta& a, TensorMeta& sign, TensorMeta& log, TensorMeta& lu,
             TensorMeta& pivots) {
  slogdet(a, sign, log);
  lu_factor(a, true, lu, pivots);
}

void solve(const TensorMeta& a, const TensorMeta& b, bool left, TensorMeta& result) {
  check_solvable("linalg.solve", a);
  check_same_dtype("linalg.solve", a, b);
  RL_CHECK(b.rank() >= 1, Runtime, "linalg.solve: B must have at least 1 dimension");
  const bool vector = b.rank() == 1 || (b.rank() == a.rank() - 1 && b.sizes == Dims(batch(a, 1)));
  RL_CHECK(left || !vector, Runtime,
           "linalg.solve: Vector broadcasting of the left hand side is not supported for "
           "left=False. In this case linalg.solve is equivalent to B / A.squeeze(-1)");
  const IntList lead = batch(b, vector ? 1 : 2);
  const int64_t n = a.size(-1), count = vector || left ? b.size(vector ? -1 : -2) : b.size(-1);
  RL_CHECK(count == n, Runtime, "linalg.solve: Incompatible shapes of A and B for the equation ",
           left ? "AX = B" : "XA = B", " (", a.size(-2), "x", n, " and ", b.sizes, ")");
  const Dims sizes = broadcast(batch(a), lead);
  result.set(a.dtype, vector ? joined(sizes, {n}) : joined(sizes, {b.size(-2), b.size(-1)}));
}
void solve(const TensorMeta& a, const TensorMeta& b, bool left, bool, TensorMeta& result,
           TensorMeta& info) {
  solve(a, b, left, result);
  info.set(DType::Int32, batch(a));
}
void solve(const TensorMeta& a, const TensorMeta& b, bool left, bool, TensorMeta& result,
           TensorMeta& lu, TensorMeta& pivots, TensorMeta& info) {
  solve(a, b, left, result);
  lu_factor(a, true, false, lu, pivots, info);
}

void lu_solve(const TensorMeta& lu, const TensorMeta& pivots, const TensorMeta& b, bool left, bool,
              TensorMeta& out) {
  check_solvable("linalg.lu_solve", lu);
  check_factorable("linalg.lu_solve", b);
  check_same_dtype("linalg.lu_solve", lu, b);
  RL_CHECK(pivots.dtype == DType::Int32, Runtime,
           "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32");
  RL_CHECK(
      pivots.sizes == Dims(batch(lu, 1)), Runtime,
      "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix");
  RL_CHECK(b.size(left ? -2 : -1) == lu.size(-1), Runtime,
           "linalg.lu_solve: Incompatible shapes of A and B: ", lu.sizes, " and ", b.sizes);
  out.set(lu.dtype, joined(broadcast(batch(lu), batch(b)), {b.size(-2), b.size(-1)}));
}
void lu_solve(const TensorMeta& b, const TensorMeta& lu, const TensorMeta& pivots,
              TensorMeta& out) {
  lu_solve(lu, pivots, b, true, false, out);
}

void solve_triangular(const TensorMeta& a, const TensorMeta& b, bool, bool left, bool,
                      TensorMeta& out) {
  check_solvable("linalg.solve_triangular", a);
  check_factorable("linalg.solve_triangular", b);
  check_same_dtype("linalg.solve_triangular", a, b);
  RL_CHECK(b.size(left ? -2 : -1) == a.size(-1), Runtime,
           "linalg.solve_triangular: Incompatible shapes of A and B: ", a.sizes, " and ", b.sizes);
  out.set(a.dtype, joined(broadcast(batch(a), batch(b)), {b.size(-2), b.size(-1)}));
}
void triangular_solve(const TensorMeta& self, const TensorMeta& a, bool upper, bool, bool unit,
                      TensorMeta& solution, TensorMeta& coefficient) {
  solve_triangular(a, self, upper, true, unit, solution);
  coefficient.set(a.dtype, joined(batch(solution), {a.size(-2), a.size(-1)}));
}

void eigh(const TensorMeta& a, std::string_view, bool compute_v, TensorMeta& values,
          TensorMeta& vectors) {
  check_solvable("linalg.eigh", a);
  values.set(real_type(a.dtype), batch(a, 1));
  vectors.set(a.dtype, compute_v ? a.sizes : Dims{0});
}
void eigh(const TensorMeta& a, std::string_view uplo, TensorMeta& values, TensorMeta& vectors) {
  eigh(a, uplo, true, values, vectors);
}
void eigh(const TensorMeta& a, std::string_view uplo, TensorMeta& values) {
  TensorMeta none;
  eigh(a, uplo, false, values, none);
}
void eig(const TensorMeta& a, TensorMeta& values) {
  check_solvable("linalg.eig", a);
  values.set(rules::to_complex(a.dtype), batch(a, 1));
}
void eig(const TensorMeta& a, TensorMeta& values, TensorMeta& vectors) {
  eig(a, values);
  vectors.set(values.dtype, a.sizes);
}

void svd(const TensorMeta& a, bool full, bool compute_uv, std::optional<std::string_view> driver,
         TensorMeta& u, TensorMeta& s, TensorMeta& vh) {
  check_factorable("linalg.svd", a);
  RL_CHECK(!driver, Runtime,
           "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
           "cuSOLVER backend.");
  const int64_t m = a.size(-2), n = a.size(-1), k = std::min(m, n);
  u.set(a.dtype, compute_uv ? joined(batch(a), {m, full ? m : k}) : Dims{0});
  s.set(real_type(a.dtype), joined(batch(a), {k}));
  vh.set(a.dtype, compute_uv ? joined(batch(a), {full ? n : k, n}) : Dims{0});
}
void svd(const TensorMeta& a, bool full, std::optional<std::string_view> driver, TensorMeta& u,
         TensorMeta& s, TensorMeta& vh) {
  svd(a, full, true, driver, u, s, vh);
}
void svd(const TensorMeta& a, std::optional<std::string_view> driver, TensorMeta& s) {
  TensorMeta u, vh;
  svd(a, false, false, driver, u, s, vh);
}
void svd_some(const TensorMeta& a, bool some, bool compute_uv, TensorMeta& u, TensorMeta& s,
              TensorMeta& v) {
  check_factorable("torch.svd", a);
  const int64_t m = a.size(-2), n = a.size(-1), k = std::min(m, n);
  const bool full = !some || !compute_uv;
  u.set(a.dtype, joined(batch(a), {m, full ? m : k}));
  s.set(real_type(a.dtype), joined(batch(a), {k}));
  v.set(a.dtype, joined(batch(a), {n, full ? n : k}));
}

void qr(const TensorMeta& a, std::string_view mode, TensorMeta& q, TensorMeta& r) {
  check_factorable("linalg.qr", a);
  RL_CHECK(mode == "reduced" || mode == "complete" || mode == "r", Runtime,
           "qr received unrecognized mode '", mode,
           "' but expected one of 'reduced' (default), 'r', or 'complete'");
  const int64_t m = a.size(-2), n = a.size(-1), k = std::min(m, n);
  const int64_t q_columns = mode == "complete" ? m : k;
  q.set(a.dtype, mode == "r" ? Dims{0} : joined(batch(a), {m, q_columns}));
  r.set(a.dtype, joined(batch(a), {q_columns, n}));
}
void geqrf(const TensorMeta& self, TensorMeta& a, TensorMeta& tau) {
  check_factorable("torch.geqrf", self);
  a.set(self.dtype, self.sizes);
  tau.set(self.dtype, joined(batch(self), {std::min(self.size(-1), self.size(-2))}));
}
void householder_product(const TensorMeta& input, const TensorMeta& tau, TensorMeta& out) {
  check_factorable("torch.linalg.householder_product", input);
  check_same_dtype("torch.linalg.householder_product", input, tau);
  RL_CHECK(input.size(-2) >= input.size(-1), Runtime,
           "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to "
           "input.shape[-1]");
  RL_CHECK(tau.rank() == input.rank() - 1 && input.size(-1) >= tau.size(-1) &&
               Dims(batch(tau, 1)) == Dims(batch(input)),
           Runtime, "torch.linalg.householder_product: tau of shape ", tau.sizes,
           " does not fit input of shape ", input.sizes);
  out.set(input.dtype, input.sizes);
}
void ormqr(const TensorMeta& self, const TensorMeta& tau, const TensorMeta& other, bool left, bool,
           TensorMeta& out) {
  check_factorable("torch.ormqr", self);
  check_factorable("torch.ormqr", other);
  RL_CHECK(self.dtype == other.dtype && self.dtype == tau.dtype, Runtime,
           "torch.ormqr: Expected input and other to have the same dtype");
  RL_CHECK(tau.rank() == self.rank() - 1 && tau.size(-1) <= self.size(-1) &&
               Dims(batch(tau, 1)) == Dims(batch(self)) && Dims(batch(other)) == Dims(batch(self)),
           Runtime, "torch.ormqr: tau of shape ", tau.sizes, " or other of shape ", other.sizes,
           " does not fit input of shape ", self.sizes);
  RL_CHECK(other.size(left ? -2 : -1) == self.size(-2), Runtime, "torch.ormqr: other.shape[",
           left ? -2 : -1, "] must be equal to input.shape[-2]");
  out.set(self.dtype, other.sizes);
}

}  // namespace rushlight::shape
