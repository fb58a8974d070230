// Shape rules of scaled dot-product attention.
#include <numeric>

#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

constexpr const char* kName = "scaled_dot_product_attention";

// The sizes before the last `drop`.
Dims leading(const TensorMeta& t, size_t drop) {
  return Dims(IntList(t.sizes.data(), t.sizes.size() - drop));
}

void check_operands(const TensorMeta& q, const TensorMeta& k, const TensorMeta& v) {
  RL_CHECK(is_floating(q.dtype), NotImplemented, kName, " is not implemented for ",
           dtype_name(q.dtype));
  RL_CHECK(q.dtype == k.dtype && q.dtype == v.dtype, Runtime, kName,
           ": expected query, key, and value to have the same dtype, got ", dtype_name(q.dtype),
           ", ", dtype_name(k.dtype), " and ", dtype_name(v.dtype));
  RL_CHECK(q.rank() >= 2 && k.rank() >= 2 && v.rank() >= 2, Runtime, kName,
           ": expected query, key, and value to be at least 2 dimensional, got shapes ", q.sizes,
           ", ", k.sizes, " and ", v.sizes);
  RL_CHECK(q.size(-1) == k.size(-1) && k.size(-2) == v.size(-2), Runtime, kName,
           ": sizes of query ", q.sizes, ", key ", k.sizes, " and value ", v.sizes,
           " do not fit each other");
}

// With enable_gqa a head of keys serves a group of neighbouring query heads.
Dims batch_sizes(const TensorMeta& q, const TensorMeta& k, const TensorMeta& v, bool gqa) {
  if (!gqa) return broadcast(broadcast(leading(q, 2), leading(k, 2)), leading(v, 2));
  RL_CHECK(q.rank() >= 3 && k.rank() >= 3 && v.rank() >= 3, Runtime, kName,
           ": enable_gqa needs a dimension of heads, got shapes ", q.sizes, ", ", k.sizes, " and ",
           v.sizes);
  const int64_t heads = q.size(-3);
  for (const TensorMeta* t : {&k, &v})
    RL_CHECK(t->size(-3) > 0 && heads % t->size(-3) == 0, Runtime, kName,
             ": number of heads in key and value must divide the number of heads in query, got ",
             t->size(-3), " and ", heads);
  Dims batch = broadcast(broadcast(leading(q, 3), leading(k, 3)), leading(v, 3));
  batch.push_back(heads);
  return batch;
}

void check_mask(const TensorMeta& mask, const TensorMeta& q, const Dims& scores) {
  RL_CHECK(mask.dtype == DType::Bool || mask.dtype == q.dtype || mask.dtype == DType::Float32,
           Runtime, kName, ": expected attn_mask dtype to be bool or float32 or to match query ",
           dtype_name(q.dtype), ", got ", dtype_name(mask.dtype));
  RL_CHECK(mask.rank() >= 2, Index, kName,
           ": expected attn_mask to be at least 2 dimensional, got shape ", mask.sizes);
  const bool fits = broadcast(scores, mask.sizes) == scores;
  RL_CHECK(fits, Runtime, kName, ": attn_mask of shape ", mask.sizes,
           " cannot be broadcast to scores of shape ", scores);
}

// Strides in the order of `like`'s: PyTorch's empty_like.
void like_strides(const TensorMeta& like, TensorMeta& out) {
  if (!like.is_non_overlapping_and_dense() || like.sizes != out.sizes) return;
  out.strides = like.strides;
}

void attention(const TensorMeta& q, const TensorMeta& k, const TensorMeta& v,
               const TensorMeta* mask, double dropout, bool gqa, TensorMeta& out) {
  check_operands(q, k, v);
  RL_CHECK(dropout >= 0 && dropout <= 1, Runtime, kName,
           ": dropout probability has to be between 0 and 1, but got ", dropout);
  Dims sizes = batch_sizes(q, k, v, gqa);
  sizes.push_back(q.size(-2));
  if (mask) {
    Dims scores = sizes;
    scores.push_back(k.size(-2));
    check_mask(*mask, q, scores);
  }
  sizes.push_back(v.size(-1));
  out.set(q.dtype, sizes);
  if (q.rank() == 4 && q.size(-1) == v.size(-1)) like_strides(q, out);
}

}  // namespace

void scaled_dot_product_attention(const TensorMeta& query, const TensorMeta& key,
                                  const TensorMeta& value, const TensorMeta* attn_mask,
                                  double dropout_p, bool, std::optional<double>, bool enable_gqa,
                                  TensorMeta& out) {
  attention(query, key, value, attn_mask, dropout_p, enable_gqa, out);
}
void scaled_dot_product_attention(const TensorMeta& query, const TensorMeta& key,
                                  const TensorMeta& value, double dropout_p, bool,
                                  const TensorMeta* attn_mask, std::optional<double>,
                                  TensorMeta& out, TensorMeta& logsumexp) {
  RL_CHECK(query.rank() == 4, Runtime, kName, ": expected 4D query, key and value, got shape ",
           query.sizes);
  const bool gqa = key.rank() == 4 && key.size(1) != query.size(1);
  attention(query, key, value, attn_mask, dropout_p, gqa, out);
  const DType dtype = query.dtype == DType::Float64 ? DType::Float64 : DType::Float32;
  const Dims& s = out.sizes;
  logsumexp.set(dtype, Dims{s[0], s[1], s[2]});
  logsumexp.strides = Dims{s[1] * s[2], 1, s[1]};
}

}  // namespace rushlight::shape
