// einsum, tensordot, outer, kron, bilinear: contractions of labelled dimensions.
#include <numeric>

#include "kernels/contraction.h"
#include "kernels/kernel.h"

namespace rushlight::kernels::RL_CPU {
namespace {

Labels range(int64_t first, int64_t count) {
  Labels labels(static_cast<size_t>(count));
  std::iota(labels.begin(), labels.end(), static_cast<int>(first));
  return labels;
}

/// Labels 0..rank-1 without those in `skipped`.
Labels without(int64_t rank, IntList skipped) {
  Labels labels = range(0, rank);
  for (int64_t dim : skipped) std::erase(labels, static_cast<int>(wrap_dim(dim, rank)));
  return labels;
}

}  // namespace

void einsum(std::string_view equation, TensorList tensors, std::optional<IntList>, Tensor& out) {
  const Einsum e = parse_einsum(equation, tensors);
  std::vector<Labelled> operands;
  for (size_t i = 0; i < tensors.size(); ++i) operands.push_back({*tensors[i], e.operands[i]});
  contract(std::move(operands), e.output, out);
}

void tensordot(const Tensor& self, const Tensor& other, IntList dims_self, IntList dims_other,
               Tensor& out) {
  const Labels a = range(0, self.rank());
  Labels b = range(self.rank(), other.rank()), output;
  for (size_t i = 0; i < dims_self.size(); ++i)
    b[static_cast<size_t>(wrap_dim(dims_other[i], other.rank()))] =
        static_cast<int>(wrap_dim(dims_self[i], self.rank()));
  for (int label : a)
    if (std::find(b.begin(), b.end(), label) == b.end()) output.push_back(label);
  for (int label : b)
    if (label >= self.rank()) output.push_back(label);
  contract({{self, a}, {other, b}}, output, out);
}

void outer(const Tensor& self, const Tensor& vec2, Tensor& out) {
  contract({{self, {0}}, {vec2, {1}}}, {0, 1}, out);
}

void kron(const Tensor& self, const Tensor& other, Tensor& out) {
  // Dimension d of the result is the pair (self's dimension, other's dimension).
  const auto rank = static_cast<int64_t>(out.sizes.size());
  Labels a, b, output;
  Dims sizes;
  const int64_t a_lead = rank - self.rank(), b_lead = rank - other.rank();
  for (int64_t d = 0; d < rank; ++d) {
    for (auto [lead, labels, tensor] : {std::tuple{a_lead, &a, &self}, {b_lead, &b, &other}}) {
      if (d < lead) continue;
      const int label = static_cast<int>(2 * d + (tensor == &other));
      labels->push_back(label);
      output.push_back(label);
      sizes.push_back(tensor->sizes[d - lead]);
    }
  }
  Tensor pairs = as_view(out, sizes, contiguous_strides(sizes));
  contract({{self, a}, {other, b}}, output, pairs);
}

void bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const Tensor* bias,
              Tensor& out) {
  const Tensor x = merge_dims(input1, 0, input1.rank() - 1);
  const Tensor y = merge_dims(input2, 0, input2.rank() - 1);
  const int64_t rows = x.sizes[0], outs = weight.sizes[0], features = y.sizes[1];
  Tensor half = Tensor::empty(Dims{rows, outs, features}, out.dtype);
  contract({{x, {0, 2}}, {weight, {1, 2, 3}}}, {0, 1, 3}, half);
  Tensor sums = as_view(out, Dims{rows, outs, 1}, Dims{outs, 1, 1});
  ProductOptions options;
  Tensor column;
  if (bias) {
    column = as_view(*bias, Dims{outs, 1}, Dims{bias->strides[0], 1});
    options.add = &column;
  }
  product(half, as_view(y, Dims{rows, features, 1}, Dims{y.strides[0], y.strides[1], 1}), sums,
          options);
}

void trilinear(const Tensor& i1, const Tensor& i2, const Tensor& i3, IntList expand1,
               IntList expand2, IntList expand3, IntList sumdim, int64_t, Tensor& out) {
  const auto rank = static_cast<int64_t>(i1.sizes.size() + expand1.size());
  contract(
      {{i1, without(rank, expand1)}, {i2, without(rank, expand2)}, {i3, without(rank, expand3)}},
      without(rank, sumdim), out);
}

}  // namespace rushlight::kernels::RL_CPU
