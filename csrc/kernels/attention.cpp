// Scaled dot-product attention, blocked over queries and keys (Dao et al., "FlashAttention",
// arXiv:2205.14135): scores of one block live in the cache, and a running maximum and sum of each
// row rescale what earlier blocks of keys have added. No L x S matrix is ever stored.
#include <cmath>
#include <numeric>

#include "kernels/compute.h"
#include "kernels/gemm.h"
#include "kernels/kernel.h"
#include "kernels/portable/dropout.h"
#include "kernels/reduce_ops.h"
#include "kernels/softmax_row.h"

namespace rushlight::kernels::RL_CPU {
namespace {

constexpr int64_t kQueries = 64;
constexpr int64_t kKeys = 512;
constexpr int kScoreSlot = 4, kSumSlot = 5;

/// A stack of matrices: the last two dimensions of a tensor, the others broadcast to `batch`.
struct Stack {
  const Tensor* t;
  Dims strides;  // one per batch dimension, 0 where it is broadcast
  int64_t row, column;

  Stack(const Tensor& tensor, IntList batch, int64_t share_last = 1) : t(&tensor) {
    const size_t own = tensor.sizes.size() - 2;
    strides.assign(batch.size(), 0);
    for (size_t i = 0; i < own; ++i) {
      const size_t at = batch.size() - own + i;
      if (tensor.sizes[i] != 1) strides[at] = tensor.strides[i];
    }
    share = share_last;
    row = tensor.sizes[own] == 1 ? 0 : tensor.strides[own];
    column = tensor.sizes[own + 1] == 1 ? 0 : tensor.strides[own + 1];
  }
  /// Elements from the tensor's start to matrix `index`; `share` query heads read one matrix.
  int64_t offset(int64_t index, IntList batch) const {
    int64_t at = 0;
    for (size_t i = batch.size(); i-- > 0;) {
      const int64_t here = index % batch[i];
      at += (i + 1 == batch.size() ? here / share : here) * strides[i];
      index /= batch[i];
    }
    return at;
  }
  int64_t share = 1;
};

template <class T>
struct Attention {
  Dims batch;
  int64_t queries, keys, width, value_width;
  Stack q, k, v;
  const Tensor* mask;
  std::optional<Stack> masks;
  bool causal;
  T scale;
  T* out;          // contiguous [batch, out_row...]
  Dims out_batch;  // strides of the output's batch dimensions
  int64_t out_row;
  T* logsumexp = nullptr;  // [batch, queries], contiguous

  int64_t out_offset(int64_t index) const {
    int64_t at = 0;
    for (size_t i = batch.size(); i-- > 0;) {
      at += index % batch[i] * out_batch[i];
      index /= batch[i];
    }
    return at;
  }
};

template <class T>
void add_mask(const Attention<T>& a, int64_t offset, int64_t row, int64_t key, int64_t n,
              T* scores) {
  const Stack& s = *a.masks;
  const int64_t at = offset + row * s.row + key * s.column;
  if (a.mask->dtype == DType::Bool) {
    const auto* m = a.mask->template data<uint8_t>() + at;
    constexpr T kOut = -std::numeric_limits<T>::infinity();
    if (s.column == 1)
      for (int64_t j = 0; j < n; ++j) scores[j] = m[j] ? scores[j] : kOut;
    else
      for (int64_t j = 0; j < n; ++j) scores[j] = m[j * s.column] ? scores[j] : kOut;
    return;
  }
  const T* m = a.mask->template data<T>() + at;
  if (s.column == 1)
    for (int64_t j = 0; j < n; ++j) scores[j] += m[j];
  else
    for (int64_t j = 0; j < n; ++j) scores[j] += m[j * s.column];
}

// Queries [row, row + rows) of one matrix against all keys they may see.
template <class T>
void attend(const Attention<T>& a, int64_t index, int64_t row, int64_t rows) {
  constexpr T kNone = -std::numeric_limits<T>::infinity();
  const T* q = a.q.t->template data<T>() + a.q.offset(index, a.batch) + row * a.q.row;
  const T* k = a.k.t->template data<T>() + a.k.offset(index, a.batch);
  const T* v = a.v.t->template data<T>() + a.v.offset(index, a.batch);
  const int64_t mask_offset = a.masks ? a.masks->offset(index, a.batch) : 0;
  const int64_t visible = a.causal ? std::min(a.keys, row + rows) : a.keys;
  const int64_t block = std::min(visible, kKeys);
  T* const scores =
      static_cast<T*>(scratch(static_cast<size_t>(rows * block) * sizeof(T), kScoreSlot));
  T* const sums =
      static_cast<T*>(scratch(static_cast<size_t>(rows * a.value_width) * sizeof(T), kSumSlot));
  T largest[kQueries], total[kQueries];
  std::fill(largest, largest + rows, kNone);
  std::fill(total, total + rows, T(0));

  Gemm<T> product;
  product.m = rows;
  for (int64_t key = 0; key < visible; key += block) {
    const int64_t n = std::min(block, visible - key);
    product.n = n;
    product.k = a.width;
    product.a = q;
    product.a_row = a.q.row;
    product.a_col = a.q.column;
    product.b = k + key * a.k.row;
    product.b_row = a.k.column;
    product.b_col = a.k.row;
    product.c = scores;
    product.c_row = n;
    product.alpha = a.scale;
    product.accumulate = false;
    gemm(product);
    for (int64_t i = 0; i < rows; ++i) {
      T* s = scores + i * n;
      if (a.masks) add_mask(a, mask_offset, row + i, key, n, s);
      const int64_t seen = a.causal ? std::clamp<int64_t>(row + i + 1 - key, 0, n) : n;
      std::fill(s + seen, s + n, T(0));
      const T before = largest[i];
      const T now = MaxOp<T>::combine(before, reduction::row<MaxOp<T>>(s, seen, T(0)));
      if (now == kNone) {  // nothing to attend to so far
        std::fill(s, s + n, T(0));
        continue;
      }
      const T kept = before == kNone ? T(0) : std::exp(before - now);
      total[i] = total[i] * kept + exp_row(s, s, seen, now);
      largest[i] = now;
      if (key > 0 && kept != T(1)) {
        T* sum = sums + i * a.value_width;
        for (int64_t j = 0; j < a.value_width; ++j) sum[j] *= kept;
      }
    }
    product.n = a.value_width;
    product.k = n;
    product.a = scores;
    product.a_row = n;
    product.a_col = 1;
    product.b = v + key * a.v.row;
    product.b_row = a.v.row;
    product.b_col = a.v.column;
    product.c = sums;
    product.c_row = a.value_width;
    product.alpha = T(1);
    product.accumulate = key > 0;
    gemm(product);
  }
  T* out = a.out + a.out_offset(index) + row * a.out_row;
  for (int64_t i = 0; i < rows; ++i) {
    const T* sum = sums + i * a.value_width;
    const T share = total[i] == T(0) ? T(0) : T(1) / total[i];
    if (visible == 0 || total[i] == T(0))
      std::fill(out + i * a.out_row, out + i * a.out_row + a.value_width, T(0));
    else
      for (int64_t j = 0; j < a.value_width; ++j) out[i * a.out_row + j] = sum[j] * share;
    if (a.logsumexp) a.logsumexp[index * a.queries + row + i] = largest[i] + std::log(total[i]);
  }
}

// A tensor the products can read as it is: Ts, columns contiguous or broadcast.
template <class T>
Tensor readable(const Tensor& t) {
  if (t.dtype == dtype_of<T>::value && (t.strides.back() == 1 || t.sizes.back() == 1)) return t;
  return contiguous_as(t, dtype_of<T>::value);
}

struct Options {
  const Tensor* mask;
  bool causal;
  std::optional<double> scale;
};

template <class T>
void attention_as(const Tensor& query, const Tensor& key, const Tensor& value,
                  const Options& options, Tensor& out, Tensor* logsumexp) {
  const Tensor q = readable<T>(query), k = readable<T>(key), v = readable<T>(value);
  const size_t lead = out.sizes.size() - 2;
  const Dims batch(IntList(out.sizes.data(), lead));
  // enable_gqa: several query heads share one head of keys and values.
  auto share = [&](const Tensor& t) {
    const int64_t heads = lead > 0 && t.sizes.size() >= 3 ? t.sizes[t.sizes.size() - 3] : 1;
    return heads > 1 ? batch.back() / heads : int64_t{1};
  };
  Tensor mask;
  if (options.mask)
    mask =
        options.mask->dtype == DType::Bool ? *options.mask : contiguous_as(*options.mask, q.dtype);
  const bool direct = out.dtype == q.dtype && out.strides.back() == 1;
  Tensor result = direct ? out : Tensor::empty(out.sizes, q.dtype);
  const int64_t width = q.sizes.back();
  Attention<T> a{
      batch,
      q.sizes[q.sizes.size() - 2],
      k.sizes[k.sizes.size() - 2],
      width,
      v.sizes.back(),
      Stack(q, batch),
      Stack(k, batch, share(k)),
      Stack(v, batch, share(v)),
      &mask,
      std::nullopt,
      options.causal,
      static_cast<T>(options.scale ? *options.scale : 1 / std::sqrt(static_cast<double>(width))),
      result.data<T>(),
      Dims(IntList(result.strides.data(), lead)),
      result.strides[lead]};
  if (options.mask) a.masks.emplace(mask, batch);
  std::optional<Result<T>> lse;
  if (logsumexp) {
    lse.emplace(*logsumexp);
    a.logsumexp = lse->data();
  }
  const int64_t matrices = checked_numel(batch);
  const int64_t rows = std::min(kQueries, std::max<int64_t>(a.queries, 1));
  const int64_t blocks = (a.queries + rows - 1) / rows;
  const int64_t work = rows * std::max<int64_t>(a.keys * (a.width + a.value_width), 1);
  cpu::parallel_for(0, matrices * blocks, std::max<int64_t>(1, 4 * kGrain / work),
                    [&](int64_t first, int64_t last) {
                      for (int64_t job = first; job < last; ++job) {
                        const int64_t row = job % blocks * rows;
                        attend(a, job / blocks, row, std::min(rows, a.queries - row));
                      }
                    });
  if (!direct) copy_strided(result, out);
  if (lse) lse->store();
}

void attention(const Tensor& query, const Tensor& key, const Tensor& value, const Options& options,
               Tensor& out, Tensor* logsumexp) {
  if (out.numel() == 0) return;
  dispatch_float(query.dtype, [&](auto t) {
    attention_as<decltype(t)>(query, key, value, options, out, logsumexp);
  });
}

}  // namespace

void scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                  const Tensor* attn_mask, double dropout_p, bool is_causal,
                                  std::optional<double> scale, bool, Tensor& out) {
  if (dropout_p > 0)
    return portable::attention_with_dropout(query, key, value, attn_mask, dropout_p, is_causal,
                                            scale, out);
  attention(query, key, value, {attn_mask, is_causal, scale}, out, nullptr);
}
void scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                  double dropout_p, bool is_causal, const Tensor* attn_mask,
                                  std::optional<double> scale, Tensor& out, Tensor& logsumexp) {
  RL_CHECK(dropout_p == 0, NotImplemented,
           "_scaled_dot_product_flash_attention_for_cpu: dropout_p must be 0, got ", dropout_p);
  attention(query, key, value, {attn_mask, is_causal, scale}, out, &logsumexp);
}

}  // namespace rushlight::kernels::RL_CPU
