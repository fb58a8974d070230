#include "kernels/product.h"

namespace rushlight::kernels::RL_CPU {
namespace {

/// Multiply-adds of one matrix of a batch from which on threads share the matrix, not the batch.
constexpr int64_t kLargeMatrix = 4 * 1024 * 1024;

/// What the arithmetic of a dtype happens in; small integers wrap when they are stored.
DType product_dtype(DType t) {
  if (t == DType::UInt8 || t == DType::Int8 || t == DType::Int16) return DType::Int32;
  return compute_dtype(t);
}

template <class T>
void scale(Tensor& t, Scalar factor) {
  const T f = factor.to<T>();
  T* p = t.data<T>();
  cpu::parallel_for(0, t.numel(), kGrain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) p[i] *= f;
  });
}

/// out = beta * add, expanded.
void fill_with(const Tensor& add, Scalar beta, Tensor& out) {
  copy_strided(expanded(add, out.sizes), out);
  if (beta == Scalar(1) || beta == Scalar(1.0)) return;
  switch (out.dtype) {
    case DType::Int32:
      return scale<uint32_t>(out, Scalar(beta.to_int()));
    case DType::Int64:
      return scale<uint64_t>(out, Scalar(beta.to_int()));
    case DType::Float32:
      return scale<float>(out, beta);
    case DType::Float64:
      return scale<double>(out, beta);
    case DType::Complex64:
      return scale<complex64>(out, beta);
    default:
      return scale<complex128>(out, beta);
  }
}

bool is_zero(Scalar s) { return s.to<complex128>() == complex128(0); }

/// `add` as one row that every row of the output gets: its data times beta, or null if it is not.
template <class T>
const T* row_to_add(const Tensor& add, Scalar beta, const Tensor& out) {
  const Tensor row = expanded(add, out.sizes);
  const int64_t n = out.sizes[2];
  if ((row.strides[0] != 0 && out.sizes[0] != 1) || (row.strides[1] != 0 && out.sizes[1] != 1))
    return nullptr;
  const T factor = beta.to<T>();
  if (row.strides[2] == 1 && factor == T(1)) return row.data<T>();
  T* copy = static_cast<T*>(scratch(static_cast<size_t>(n) * sizeof(T), 2));
  for (int64_t j = 0; j < n; ++j) copy[j] = factor * row.data<T>()[j * row.strides[2]];
  return copy;
}

/// Calls `one(index)` for each matrix of the batch: in parallel, unless a single matrix is enough
/// work for all threads.
template <class F>
void for_each_matrix(int64_t batch, int64_t work, const F& one) {
  if (batch == 1 || (work >= kLargeMatrix && batch < 4 * cpu::num_threads())) {
    for (int64_t i = 0; i < batch; ++i) one(i);
    return;
  }
  const int64_t grain = std::max<int64_t>(1, kGrain * 2 / std::max<int64_t>(work, 1));
  cpu::parallel_for(0, batch, grain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) one(i);
  });
}

template <class T>
void real_product(const Tensor& a, const Tensor& b, Tensor& out, const ProductOptions& options) {
  Gemm<T> g;
  g.m = out.sizes[1], g.n = out.sizes[2], g.k = a.sizes[2];
  g.a_row = a.strides[1], g.a_col = a.strides[2];
  g.b_row = b.strides[1], g.b_col = b.strides[2];
  // A dimension of size 1 has no direction: name the strides so that the fast paths see them.
  if (g.k == 1) g.a_col = 1;
  if (g.n == 1 && g.b_row != 1) g.b_col = 1;
  g.c_row = g.n;
  g.alpha = options.alpha.to<T>();
  if (options.add && !is_zero(options.beta)) {
    g.column_bias = row_to_add<T>(*options.add, options.beta, out);
    if (!g.column_bias) {
      fill_with(*options.add, options.beta, out);
      g.accumulate = true;
    }
  }
  g.epilogue = options.epilogue;
  g.out = &out;
  for_each_matrix(out.sizes[0], g.m * g.n * g.k, [&](int64_t i) {
    Gemm<T> one = g;
    one.a = a.data<T>() + i * a.strides[0];
    one.b = b.data<T>() + i * b.strides[0];
    one.c = out.data<T>() + i * g.m * g.n;
    one.out_begin = i * g.m * g.n;
    // A matrix with one column times a vector: its transpose has the long side where threads and
    // vectors want it.
    if (g.n == 1 && g.m > 1 && (g.b_row == 1 || g.k == 1) && g.a_col == 1 && !g.column_bias) {
      one.m = 1, one.n = g.m;
      std::swap(one.a, one.b);
      one.a_row = g.k, one.a_col = 1;
      one.b_row = 1, one.b_col = g.a_row;
      one.c_row = g.m;
    }
    gemm(one);
  });
}

void other_product(const Tensor& a, const Tensor& b, Tensor& out, const ProductOptions& options) {
  const bool add = options.add && !is_zero(options.beta);
  if (add) fill_with(*options.add, options.beta, out);
  const int64_t m = out.sizes[1], n = out.sizes[2], k = a.sizes[2], item = item_size(out.dtype);
  for_each_matrix(out.sizes[0], m * n * k, [&](int64_t i) {
    gemm_other(out.dtype, m, n, k, a.raw() + i * a.strides[0] * item, a.strides[1], a.strides[2],
               b.raw() + i * b.strides[0] * item, b.strides[1], b.strides[2],
               out.raw() + i * m * n * item, options.alpha, add);
  });
  if (options.epilogue && !options.epilogue->empty()) options.epilogue->apply(out, 0, out.numel());
}

}  // namespace

void product(const Tensor& a, const Tensor& b, Tensor& out, const ProductOptions& options) {
  if (out.numel() == 0) return;
  const DType dtype = product_dtype(out.dtype);
  if (dtype != out.dtype || dtype != a.dtype || dtype != b.dtype) {
    Tensor wide = dtype == out.dtype ? out : Tensor::empty(out.sizes, dtype);
    ProductOptions inner = options;
    inner.epilogue = nullptr;
    Tensor add;
    if (options.add) {
      add = converted(*options.add, dtype);
      inner.add = &add;
    }
    product(converted(a, dtype), converted(b, dtype), wide, inner);
    if (dtype != out.dtype) copy_strided(wide, out);
    if (options.epilogue && !options.epilogue->empty())
      options.epilogue->apply(out, 0, out.numel());
    return;
  }
  if (dtype == DType::Float32)
    real_product<float>(a, b, out, options);
  else if (dtype == DType::Float64)
    real_product<double>(a, b, out, options);
  else
    other_product(a, b, out, options);
}

}  // namespace rushlight::kernels::RL_CPU
