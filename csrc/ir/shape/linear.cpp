// Shape rules of matrix and vector products.
#include "ir/shape/linear.h"

#include "ir/shape/generated.h"

namespace rushlight::shape {

void check_product_dtypes(const TensorMeta& a, const TensorMeta& b, std::string_view op) {
  RL_CHECK(a.dtype == b.dtype, Runtime, op,
           ": expected both operands to have the same dtype, but got ", dtype_name(a.dtype),
           " and ", dtype_name(b.dtype));
  RL_CHECK(a.dtype != DType::Bool, NotImplemented, op, " is not implemented for bool");
}

void check_expands(const TensorMeta& self, IntList sizes) {
  RL_CHECK(self.sizes.size() <= sizes.size(), Runtime, "the number of sizes provided (",
           sizes.size(), ") must be greater or equal to the number of dimensions in the tensor (",
           self.rank(), ")");
  const size_t lead = sizes.size() - self.sizes.size();
  for (size_t i = self.sizes.size(); i-- > 0;)
    RL_CHECK(self.sizes[i] == 1 || self.sizes[i] == sizes[lead + i], Runtime,
             "The expanded size of the tensor (", sizes[lead + i],
             ") must match the existing size (", self.sizes[i], ") at non-singleton dimension ",
             lead + i, ".  Target sizes: ", Dims(sizes), ".  Tensor sizes: ", self.sizes);
}

namespace {

void check_inner(int64_t m, int64_t k, int64_t k2, int64_t n) {
  RL_CHECK(k == k2, Runtime, "mat1 and mat2 shapes cannot be multiplied (", m, "x", k, " and ", k2,
           "x", n, ")");
}

void check_two_dims(const TensorMeta& t, std::string_view name) {
  RL_CHECK(t.rank() == 2, Runtime, name, " must be a matrix, got ", t.rank(), "-D tensor");
}

void check_vectors(const TensorMeta& a, const TensorMeta& b) {
  RL_CHECK(a.rank() == 1 && b.rank() == 1, Runtime, "1D tensors expected, but got ", a.rank(),
           "D and ", b.rank(), "D tensors");
  RL_CHECK(a.sizes[0] == b.sizes[0], Runtime, "inconsistent tensor size, expected tensor ", a.sizes,
           " and src ", b.sizes, " to have the same number of elements, but got ", a.sizes[0],
           " and ", b.sizes[0], " elements respectively");
}

void check_batches(const TensorMeta& batch1, const TensorMeta& batch2) {
  RL_CHECK(batch1.rank() == 3, Runtime, "batch1 must be a 3D tensor, got ", batch1.rank(), "-D");
  RL_CHECK(batch2.rank() == 3, Runtime, "batch2 must be a 3D tensor, got ", batch2.rank(), "-D");
  RL_CHECK(batch1.sizes[0] == batch2.sizes[0] && batch1.sizes[2] == batch2.sizes[1], Runtime,
           "Expected size for first two dimensions of batch2 tensor to be: [", batch1.sizes[0],
           ", ", batch1.sizes[2], "] but got: [", batch2.sizes[0], ", ", batch2.sizes[1], "].");
}

}  // namespace

Dims matmul_sizes(const TensorMeta& a, const TensorMeta& b) {
  RL_CHECK(a.rank() >= 1 && b.rank() >= 1, Runtime,
           "both arguments to matmul need to be at least 1D, but they are ", a.rank(), "D and ",
           b.rank(), "D");
  if (a.rank() == 1 && b.rank() == 1) {
    check_vectors(a, b);
    return {};
  }
  const int64_t m = a.rank() == 1 ? 1 : a.size(-2), k = a.size(-1);
  const int64_t k2 = b.rank() == 1 ? b.size(0) : b.size(-2), n = b.rank() == 1 ? 1 : b.size(-1);
  const int64_t a_batch = std::max<int64_t>(a.rank() - 2, 0);
  const int64_t b_batch = std::max<int64_t>(b.rank() - 2, 0);
  if (b.rank() == 1) {
    RL_CHECK(k == k2, Runtime, "size mismatch, got input (", m, "), mat (", m, "x", k, "), vec (",
             k2, ")");
  } else if (a_batch && b_batch) {
    RL_CHECK(k == k2, Runtime, "Expected size for first two dimensions of batch2 tensor to be: [",
             b.size(0), ", ", k, "] but got: [", b.size(0), ", ", k2, "].");
  } else {
    int64_t rows = m;
    if (!b_batch)
      for (int64_t i = 0; i < a_batch; ++i) rows *= a.sizes[i];
    check_inner(rows, k, k2, n);
  }
  Dims out = broadcast(IntList(a.sizes.data(), a_batch), IntList(b.sizes.data(), b_batch));
  if (a.rank() > 1) out.push_back(m);
  if (b.rank() > 1) out.push_back(n);
  return out;
}

void linear(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias,
            TensorMeta& out) {
  RL_CHECK(input.rank() >= 1 && weight.rank() >= 1, Runtime,
           "both arguments to linear need to be at least 1D, but they are ", input.rank(), "D and ",
           weight.rank(), "D");
  RL_CHECK(weight.rank() <= 2, Runtime, "linear: expected a weight of 1 or 2 dimensions, but got ",
           weight.rank(), "D");
  check_product_dtypes(input, weight, "linear");
  const int64_t k = input.size(-1), rows = k ? input.numel() / k : 1;
  Dims sizes(IntList(input.sizes.data(), input.sizes.size() - 1));
  if (weight.rank() == 2) {
    check_inner(rows, k, weight.sizes[1], weight.sizes[0]);
    sizes.push_back(weight.sizes[0]);
  } else {
    check_inner(rows, k, weight.sizes[0], 1);
  }
  if (bias) {
    check_product_dtypes(input, *bias, "linear");
    check_expands(*bias, sizes);
  }
  out.set(out.dtype, sizes);
}

void mm(const TensorMeta& self, const TensorMeta& mat2, TensorMeta& out) {
  check_two_dims(self, "self");
  check_two_dims(mat2, "mat2");
  check_product_dtypes(self, mat2, "mm");
  check_inner(self.sizes[0], self.sizes[1], mat2.sizes[0], mat2.sizes[1]);
  out.set(out.dtype, Dims{self.sizes[0], mat2.sizes[1]});
}

void int_mm(const TensorMeta& self, const TensorMeta& mat2, TensorMeta& out) {
  check_two_dims(self, "self");
  check_two_dims(mat2, "mat2");
  for (const TensorMeta* t : {&self, &mat2})
    RL_CHECK(t->dtype == DType::Int8 || t->dtype == DType::UInt8, Runtime,
             "_int_mm: expected int8 or uint8 operands, but got ", dtype_name(t->dtype));
  RL_CHECK(self.sizes[1] == mat2.sizes[0], Runtime, "_int_mm: self.size(1) needs to match ",
           "mat2.size(0) but got ", self.sizes[1], " and ", mat2.sizes[0]);
  out.set(out.dtype, Dims{self.sizes[0], mat2.sizes[1]});
}

void addmm(const TensorMeta& self, const TensorMeta& mat1, const TensorMeta& mat2, Scalar, Scalar,
           TensorMeta& out) {
  check_two_dims(mat1, "mat1");
  check_two_dims(mat2, "mat2");
  check_product_dtypes(mat1, mat2, "addmm");
  check_product_dtypes(self, mat2, "addmm");
  check_inner(mat1.sizes[0], mat1.sizes[1], mat2.sizes[0], mat2.sizes[1]);
  const Dims sizes{mat1.sizes[0], mat2.sizes[1]};
  check_expands(self, sizes);
  out.set(out.dtype, sizes);
}

void bmm(const TensorMeta& self, const TensorMeta& mat2, TensorMeta& out) {
  check_batches(self, mat2);
  check_product_dtypes(self, mat2, "bmm");
  out.set(out.dtype, Dims{self.sizes[0], self.sizes[1], mat2.sizes[2]});
}

void baddbmm(const TensorMeta& self, const TensorMeta& batch1, const TensorMeta& batch2, Scalar,
             Scalar, TensorMeta& out) {
  check_batches(batch1, batch2);
  check_product_dtypes(batch1, batch2, "baddbmm");
  check_product_dtypes(self, batch2, "baddbmm");
  const Dims sizes{batch1.sizes[0], batch1.sizes[1], batch2.sizes[2]};
  check_expands(self, sizes);
  out.set(out.dtype, sizes);
}

void addbmm(const TensorMeta& self, const TensorMeta& batch1, const TensorMeta& batch2, Scalar,
            Scalar, TensorMeta& out) {
  check_batches(batch1, batch2);
  check_product_dtypes(batch1, batch2, "addbmm");
  check_product_dtypes(self, batch2, "addbmm");
  const Dims sizes{batch1.sizes[1], batch2.sizes[2]};
  check_expands(self, sizes);
  out.set(out.dtype, sizes);
}

void matmul(const TensorMeta& self, const TensorMeta& other, TensorMeta& out) {
  const Dims sizes = matmul_sizes(self, other);
  check_product_dtypes(self, other, "matmul");
  out.set(out.dtype, sizes);
}

void addmv(const TensorMeta& self, const TensorMeta& mat, const TensorMeta& vec, Scalar, Scalar,
           TensorMeta& out) {
  RL_CHECK(mat.rank() == 2 && vec.rank() == 1 && self.rank() <= 1, Runtime,
           "vector + matrix @ vector expected, got ", self.rank(), ", ", mat.rank(), ", ",
           vec.rank());
  RL_CHECK(mat.sizes[1] == vec.sizes[0] && (self.numel() == mat.sizes[0] || self.numel() == 1),
           Runtime, "size mismatch, got input (", self.rank() ? self.sizes[0] : 1, "), mat (",
           mat.sizes[0], "x", mat.sizes[1], "), vec (", vec.sizes[0], ")");
  check_product_dtypes(mat, vec, "addmv");
  check_product_dtypes(self, vec, "addmv");
  out.set(out.dtype, Dims{mat.sizes[0]});
}

void mv(const TensorMeta& self, const TensorMeta& vec, TensorMeta& out) {
  RL_CHECK(self.rank() == 2 && vec.rank() == 1, Runtime,
           "vector + matrix @ vector expected, got 1, ", self.rank(), ", ", vec.rank());
  RL_CHECK(self.sizes[1] == vec.sizes[0], Runtime, "size mismatch, got input (", self.sizes[0],
           "), mat (", self.sizes[0], "x", self.sizes[1], "), vec (", vec.sizes[0], ")");
  check_product_dtypes(self, vec, "mv");
  out.set(out.dtype, Dims{self.sizes[0]});
}

void dot(const TensorMeta& self, const TensorMeta& other, TensorMeta& out) {
  check_vectors(self, other);
  check_product_dtypes(self, other, "dot");
  out.set(out.dtype, {});
}

void outer(const TensorMeta& self, const TensorMeta& vec2, TensorMeta& out) {
  RL_CHECK(self.rank() == 1, Runtime, "outer: Expected 1-D argument self, but got ", self.rank(),
           "-D");
  RL_CHECK(vec2.rank() == 1, Runtime, "outer: Expected 1-D argument vec2, but got ", vec2.rank(),
           "-D");
  out.set(out.dtype, Dims{self.sizes[0], vec2.sizes[0]});
}

}  // namespace rushlight::shape
