// linear, mm, addmm, bmm, … : matrix and vector products of ATen.
#include "ir/shape/rules.h"
#include "kernels/kernel.h"
#include "kernels/product.h"

namespace rushlight::kernels::RL_CPU {
namespace {

/// `t` with a dimension of size 1 at `dim`.
Tensor unsqueezed(const Tensor& t, size_t dim) {
  Dims sizes = t.sizes, strides = t.strides;
  strides.insert(dim, dim < sizes.size() ? strides[dim] * sizes[dim] : 1);
  sizes.insert(dim, 1);
  return as_view(t, sizes, strides);
}
Tensor transposed(const Tensor& t) {
  Dims sizes = t.sizes, strides = t.strides;
  std::swap(sizes[t.rank() - 1], sizes[t.rank() - 2]);
  std::swap(strides[t.rank() - 1], strides[t.rank() - 2]);
  return as_view(t, sizes, strides);
}
/// The contiguous output under other sizes.
Tensor reshaped(const Tensor& out, IntList sizes) {
  return as_view(out, sizes, contiguous_strides(sizes));
}
Tensor row_matrix(const Tensor& v) { return unsqueezed(unsqueezed(v, 0), 0); }
Tensor column_matrix(const Tensor& v) { return unsqueezed(unsqueezed(v, 1), 0); }

void matrix_product(const Tensor& a, const Tensor& b, Tensor& out, ProductOptions options) {
  Tensor three = unsqueezed(out, 0);
  product(unsqueezed(a, 0), unsqueezed(b, 0), three, options);
}

/// `a` and `b` with equal batch dimensions in front of their matrices.
void batched_product(const Tensor& a, const Tensor& b, Tensor& out, const Epilogue* epilogue) {
  const int64_t batch_dims = a.rank() - 2;
  Tensor three = merge_dims(out, 0, batch_dims);
  product(merge_dims(a, 0, batch_dims), merge_dims(b, 0, batch_dims), three,
          {.epilogue = epilogue});
}

}  // namespace

void linear(const Tensor& input, const Tensor& weight, const Tensor* bias, Tensor& out,
            const Epilogue& epilogue) {
  const Tensor w = weight.rank() == 2 ? weight : unsqueezed(weight, 0);
  const Tensor rows = merge_dims(input, 0, input.rank() - 1);
  const int64_t m = rows.sizes[0], n = w.sizes[0];
  Tensor flat = reshaped(out, Dims{1, m, n});
  // A bias of any shape but a row has the output's rank: bring it to rows and columns as well.
  Tensor add;
  if (bias) {
    if (weight.rank() == 1)
      add = reshaped(expanded(*bias, out.sizes).contiguous(), Dims{m, 1});
    else if (bias->rank() > 1)
      add = reshaped(expanded(*bias, out.sizes).contiguous(), Dims{m, n});
    else
      add = *bias;
  }
  product(unsqueezed(rows, 0), unsqueezed(transposed(w), 0), flat,
          {.add = bias ? &add : nullptr, .epilogue = &epilogue});
}

void mm(const Tensor& self, const Tensor& mat2, Tensor& out, const Epilogue& epilogue) {
  matrix_product(self, mat2, out, {.epilogue = &epilogue});
}

void int_mm(const Tensor& self, const Tensor& mat2, Tensor& out) {
  matrix_product(self, mat2, out, {});
}

void addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha,
           Tensor& out, const Epilogue& epilogue) {
  matrix_product(mat1, mat2, out,
                 {.add = &self, .beta = beta, .alpha = alpha, .epilogue = &epilogue});
}

void bmm(const Tensor& self, const Tensor& mat2, Tensor& out, const Epilogue& epilogue) {
  product(self, mat2, out, {.epilogue = &epilogue});
}

void baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta,
             Scalar alpha, Tensor& out, const Epilogue& epilogue) {
  product(batch1, batch2, out, {.add = &self, .beta = beta, .alpha = alpha, .epilogue = &epilogue});
}

void addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta,
            Scalar alpha, Tensor& out) {
  // The sum over the batch is one product whose inner dimension runs over batch and columns.
  const int64_t batch = batch1.sizes[0], m = batch1.sizes[1], k = batch1.sizes[2];
  const Tensor rows =
      merge_dims(as_view(batch1, Dims{m, batch, k},
                         Dims{batch1.strides[1], batch1.strides[0], batch1.strides[2]}),
                 1, 3);
  matrix_product(rows, merge_dims(batch2, 0, 2), out, {.add = &self, .beta = beta, .alpha = alpha});
}

void matmul(const Tensor& self, const Tensor& other, Tensor& out, const Epilogue& epilogue) {
  Tensor a = self.rank() == 1 ? unsqueezed(self, 0) : self;
  Tensor b = other.rank() == 1 ? unsqueezed(other, 1) : other;
  const int64_t m = a.size(-2), k = a.size(-1), n = b.size(-1);
  if (b.rank() == 2) {
    // Every matrix of `a` meets the same `b`: one product with all their rows.
    const Tensor rows = merge_dims(a, 0, a.rank() - 1);
    Tensor flat = reshaped(out, Dims{1, rows.sizes[0], n});
    return product(unsqueezed(rows, 0), unsqueezed(b, 0), flat, {.epilogue = &epilogue});
  }
  Dims batch = broadcast(IntList(a.sizes.data(), a.sizes.size() - 2),
                         IntList(b.sizes.data(), b.sizes.size() - 2));
  Dims a_sizes = batch, b_sizes = batch, out_sizes = batch;
  for (auto [sizes, rows, columns] :
       {std::tuple{&a_sizes, m, k}, {&b_sizes, k, n}, {&out_sizes, m, n}}) {
    sizes->push_back(rows);
    sizes->push_back(columns);
  }
  Tensor shaped = reshaped(out, out_sizes);
  batched_product(expanded(a, a_sizes), expanded(b, b_sizes), shaped, &epilogue);
}

void mv(const Tensor& self, const Tensor& vec, Tensor& out, const Epilogue& epilogue) {
  Tensor column = column_matrix(out);
  product(unsqueezed(self, 0), column_matrix(vec), column, {.epilogue = &epilogue});
}

void addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha,
           Tensor& out, const Epilogue& epilogue) {
  Tensor column = column_matrix(out);
  const Tensor add = expanded(self, out.sizes);
  const Tensor add_column = column_matrix(add);
  product(unsqueezed(mat, 0), column_matrix(vec), column,
          {.add = &add_column, .beta = beta, .alpha = alpha, .epilogue = &epilogue});
}

void dot(const Tensor& self, const Tensor& other, Tensor& out) {
  Tensor one = reshaped(out, Dims{1, 1, 1});
  product(row_matrix(self), column_matrix(other), one);
}

void vdot(const Tensor& self, const Tensor& other, Tensor& out) {
  if (!is_complex(self.dtype)) return dot(self, other, out);
  Tensor conjugate = self.clone();
  auto conjugate_all = [&]<class T>(T) {
    for (int64_t i = 0; i < conjugate.numel(); ++i)
      conjugate.data<T>()[i] = std::conj(conjugate.data<T>()[i]);
  };
  self.dtype == DType::Complex64 ? conjugate_all(complex64{}) : conjugate_all(complex128{});
  dot(conjugate, other, out);
}

}  // namespace rushlight::kernels::RL_CPU
