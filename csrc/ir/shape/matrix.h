// What the shape rules of linear algebra ask of a matrix, in PyTorch's words.
#pragma once

#include <string_view>

#include "ir/shape/rules.h"

namespace rushlight::shape {

/// Raises unless `a` is of a floating-point or complex type.
void check_inexact(std::string_view name, const TensorMeta& a);
/// The same, and refuses the half types, which LAPACK has no routines for.
void check_full_precision(std::string_view name, const TensorMeta& a);
/// Raises unless `a` has at least two dimensions.
void check_matrix(std::string_view name, const TensorMeta& a);
/// The same, and the last two are equal.
void check_square(std::string_view name, const TensorMeta& a);

}  // namespace rushlight::shape
