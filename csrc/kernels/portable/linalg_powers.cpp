// Powers, exponentials and chains of products of matrices, and tensors solved as matrices.
#include <cmath>

#include "kernels/portable/call.h"
#include "kernels/portable/number.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

Tensor identity_like(const Tensor& a) {
  const Tensor eye = call("eye", a.size(-1), a.dtype);
  return call("expand", eye, IntList(a.sizes));
}

int64_t product(IntList sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}

// Where to split a chain of matrices so that all products together cost the fewest multiplications
// (Cormen et al.: "Introduction to Algorithms", section 14.2).
class ChainOrder {
 public:
  explicit ChainOrder(const std::vector<Tensor>& chain) : n_(chain.size()), split_(n_ * n_) {
    std::vector<double> cost(n_ * n_);
    const auto size = [&](size_t i) {
      return static_cast<double>(i < n_ ? chain[i].sizes[0] : chain[n_ - 1].sizes[1]);
    };
    for (size_t length = 2; length <= n_; ++length)
      for (size_t i = 0; i + length <= n_; ++i) {
        const size_t j = i + length - 1;
        cost[i * n_ + j] = INFINITY;
        for (size_t k = i; k < j; ++k) {
          const double c =
              cost[i * n_ + k] + cost[(k + 1) * n_ + j] + size(i) * size(k + 1) * size(j + 1);
          if (c < cost[i * n_ + j]) {
            cost[i * n_ + j] = c;
            split_[i * n_ + j] = k;
          }
        }
      }
  }
  Tensor multiply(const std::vector<Tensor>& chain, size_t i, size_t j) const {
    if (i == j) return chain[i];
    const size_t k = split_[i * n_ + j];
    return call("mm", multiply(chain, i, k), multiply(chain, k + 1, j));
  }

 private:
  size_t n_;
  std::vector<size_t> split_;
};

}  // namespace

void matrix_power(const Tensor& self, int64_t n, Tensor& out) {
  if (n == 0) return copy_strided(identity_like(self), out);
  Tensor base = n < 0 ? call("linalg_inv", self) : self, result;
  for (uint64_t k = n < 0 ? -static_cast<uint64_t>(n) : static_cast<uint64_t>(n); k > 0; k /= 2) {
    if (k % 2 == 1) result = result.defined() ? call("matmul", result, base) : base;
    if (k > 1) base = call("matmul", base, base);
  }
  give(result, out);
}

// Taylor's series of a matrix scaled below one half, squared as often as it was halved
// (Moler, Van Loan: "Nineteen Dubious Ways to Compute the Exponential of a Matrix", 2003).
void matrix_exp(const Tensor& self, Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor sums = call("sum.dim_IntList", call("abs", self), Dims{-2});
  const Tensor largest = call("to.dtype", call("max", sums), DType::Float64);
  const double norm = std::get<double>(item(largest));
  if (!std::isfinite(norm)) {
    call("fill_.Scalar", out, Scalar(std::nan("")));
    return;
  }
  const int halvings = norm > 0.5 ? static_cast<int>(std::ceil(std::log2(norm / 0.5))) : 0;
  const Tensor a = call("mul.Scalar", self, Scalar(std::ldexp(1.0, -halvings)));
  Tensor term = identity_like(self), sum = term;
  for (int k = 1; k <= 18; ++k) {
    term = call("mul.Scalar", call("matmul", term, a), Scalar(1.0 / k));
    sum = call("add.Tensor", sum, term);
  }
  for (int i = 0; i < halvings; ++i) sum = call("matmul", sum, sum);
  give(sum, out);
}

void multi_dot(TensorList tensors, Tensor& out) {
  std::vector<Tensor> chain;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = *tensors[i];
    chain.push_back(t.rank() == 1 ? call("unsqueeze", t, i == 0 ? 0 : 1) : t);
  }
  copy_strided(
      call("reshape", ChainOrder(chain).multiply(chain, 0, chain.size() - 1), IntList(out.sizes)),
      out);
}

void tensorinv(const Tensor& self, int64_t ind, Tensor& out) {
  const IntList sizes = self.sizes;
  const Dims square{product(sizes.first(static_cast<size_t>(ind))),
                    product(sizes.subspan(static_cast<size_t>(ind)))};
  copy_strided(call("reshape", call("linalg_inv", call("reshape", self, IntList(square))),
                    IntList(out.sizes)),
               out);
}

void tensorsolve(const Tensor& self, const Tensor& other, std::optional<IntList> dims,
                 Tensor& out) {
  Tensor a = self;
  if (dims) {
    Dims last;
    for (size_t i = 0; i < dims->size(); ++i)
      last.push_back(self.rank() - static_cast<int64_t>(dims->size() - i));
    a = call("movedim.intlist", self, *dims, IntList(last));
  }
  const Dims square{other.numel(), other.numel()};
  const Tensor x = call("linalg_solve", call("reshape", a, IntList(square)), call("ravel", other));
  copy_strided(call("reshape", x, IntList(out.sizes)), out);
}

void cross(const Tensor& self, const Tensor& other, int64_t dim, Tensor& out) {
  const Tensor a = expanded(self, out.sizes), b = expanded(other, out.sizes);
  const int64_t d = wrap_dim(dim, out.rank());
  const auto part = [&](const Tensor& t, int64_t i) { return narrowed(t, d, i % 3, 1); };
  for (int64_t i = 0; i < 3; ++i) {
    const Tensor first = call("mul.Tensor", part(a, i + 1), part(b, i + 2));
    const Tensor second = call("mul.Tensor", part(a, i + 2), part(b, i + 1));
    copy_strided(call("sub.Tensor", first, second), narrowed(out, d, i, 1));
  }
}
void cross(const Tensor& self, const Tensor& other, std::optional<int64_t> dim, Tensor& out) {
  int64_t d = dim.value_or(0);
  if (!dim)
    while (d + 1 < out.rank() && out.sizes[d] != 3) ++d;
  cross(self, other, d, out);
}

}  // namespace rushlight::kernels::portable
