#include "cli/accuracy.h"

#include <algorithm>

#include "cli/inputs.h"

namespace rushlight::cli {
namespace {

std::vector<int64_t> as_integers(const Tensor& tensor) {
  const Tensor dense = converted(tensor, DType::Int64);
  return {dense.data<int64_t>(), dense.data<int64_t>() + dense.numel()};
}

// Positions of the largest scores along `axis`; the first of equal ones, and NaN before all, as
// NumPy's argmax has it.
std::vector<int64_t> argmax(const Tensor& scores, int64_t axis) {
  const Tensor dense = converted(scores, DType::Float64);
  const int64_t classes = dense.sizes[static_cast<size_t>(axis)];
  int64_t inner = 1;
  for (int64_t d = axis + 1; d < dense.rank(); ++d) inner *= dense.sizes[static_cast<size_t>(d)];
  const int64_t rows = dense.numel() / classes;
  std::vector<int64_t> out(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) {
    const double* row = dense.data<double>() + i / inner * inner * classes + i % inner;
    int64_t best = 0;
    for (int64_t k = 1; k < classes; ++k) {
      const double v = row[k * inner], top = row[best * inner];
      if (v > top || (v != v && top == top)) best = k;
    }
    out[static_cast<size_t>(i)] = best;
  }
  return out;
}

Dims without(const Dims& sizes, int64_t axis) {
  std::vector<int64_t> kept(sizes.begin(), sizes.end());
  kept.erase(kept.begin() + axis);
  return Dims(IntList(kept));
}

bool equal(const Dims& a, const Dims& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::optional<std::vector<int64_t>> classes_of(const Tensor& output, const Tensor& labels) {
  if (!output.defined() || !is_integral(labels.dtype) || !labels.numel()) return std::nullopt;
  if (equal(output.sizes, labels.sizes) && is_integral(output.dtype)) return as_integers(output);
  if (output.rank() != labels.rank() + 1 ||
      !(is_integral(output.dtype) || is_floating(output.dtype)))
    return std::nullopt;
  for (const int64_t axis : {std::min<int64_t>(1, output.rank() - 1), output.rank() - 1})
    if (output.sizes[static_cast<size_t>(axis)] && equal(without(output.sizes, axis), labels.sizes))
      return argmax(output, axis);
  return std::nullopt;
}

}  // namespace

int64_t count_right(const Tensor& output, const Tensor& labels) {
  const auto got = classes_of(output, labels);
  RL_CHECK(got, Value, "labels: ", describe(labels), " do not fit the first output, ",
           output.defined() ? describe(output) : "no array",
           ": expected integers, and scores with one more dimension, of classes");
  const std::vector<int64_t> wanted = as_integers(labels);
  int64_t right = 0;
  for (size_t i = 0; i < wanted.size(); ++i) right += wanted[i] == (*got)[i];
  return right;
}

}  // namespace rushlight::cli
