// Checks that give a token: it is the one they are given.
#include "ir/shape/generated.h"

namespace rushlight::shape {

void dep_token_scalar(Scalar, std::string_view, const TensorMeta& dep_token, TensorMeta& out) {
  out.set(dep_token.dtype, dep_token.sizes);
}

void dep_token_async(const TensorMeta&, std::string_view, const TensorMeta& dep_token,
                     TensorMeta& out) {
  out.set(dep_token.dtype, dep_token.sizes);
}

void dep_token_range(Scalar, std::optional<int64_t>, std::optional<int64_t>,
                     const TensorMeta& dep_token, TensorMeta& out) {
  out.set(dep_token.dtype, dep_token.sizes);
}

}  // namespace rushlight::shape
