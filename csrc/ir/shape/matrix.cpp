#include "ir/shape/matrix.h"

namespace rushlight::shape {

void check_inexact(std::string_view name, const TensorMeta& a) {
  RL_CHECK(is_floating(a.dtype) || is_complex(a.dtype), Runtime, name,
           ": Expected a floating point or complex tensor as input. Got ", dtype_name(a.dtype));
}

void check_full_precision(std::string_view name, const TensorMeta& a) {
  check_inexact(name, a);
  RL_CHECK(a.dtype != DType::Float16 && a.dtype != DType::BFloat16, NotImplemented, name,
           ": Low precision dtypes not supported. Got ", dtype_name(a.dtype));
}

void check_matrix(std::string_view name, const TensorMeta& a) {
  RL_CHECK(a.rank() >= 2, Runtime, name, ": The input tensor A must have at least 2 dimensions.");
}

void check_square(std::string_view name, const TensorMeta& a) {
  check_matrix(name, a);
  RL_CHECK(a.size(-1) == a.size(-2), Runtime, name,
           ": A must be batches of square matrices, but they are ", a.size(-2), " by ", a.size(-1),
           " matrices");
}

}  // namespace rushlight::shape
