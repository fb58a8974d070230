#include "kernels/contraction.h"

#include <algorithm>

namespace rushlight::kernels::RL_CPU {
namespace {

bool has(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}
size_t place(const Labels& labels, int label) {
  return static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}
int64_t size_of(const Labelled& x, int label) { return x.tensor.sizes[place(x.labels, label)]; }

/// One dimension per label: a repeated label becomes the diagonal.
Labelled diagonal(const Labelled& x) {
  Labels labels;
  Dims sizes, strides;
  for (size_t d = 0; d < x.labels.size(); ++d) {
    if (has(labels, x.labels[d])) {
      strides[place(labels, x.labels[d])] += x.tensor.strides[d];
      continue;
    }
    labels.push_back(x.labels[d]);
    sizes.push_back(x.tensor.sizes[d]);
    strides.push_back(x.tensor.strides[d]);
  }
  return {as_view(x.tensor, sizes, strides), labels};
}

/// Dimensions in the order of `order`; labels that `x` lacks, and dimensions of size 1, are
/// repeated to `sizes`.
Tensor arranged(const Labelled& x, const Labels& order, IntList sizes) {
  Dims strides;
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t d = place(x.labels, order[i]);
    const bool repeats = d == x.labels.size() || (x.tensor.sizes[d] == 1 && sizes[i] != 1);
    strides.push_back(repeats ? 0 : x.tensor.strides[d]);
  }
  return as_view(x.tensor, sizes, strides);
}

/// Rank 3 from consecutive groups of dimensions.
Tensor grouped(const Tensor& t, size_t first, size_t second) {
  const auto a = static_cast<int64_t>(first), b = static_cast<int64_t>(second);
  Tensor tail = merge_dims(t, a + b, t.rank());
  tail = merge_dims(tail, a, a + b);
  return merge_dims(tail, 0, a);
}

Labelled multiply(const Labelled& x, const Labelled& y, const Labels& kept) {
  Labels batch, left, right, summed;
  for (int label : x.labels) {
    if (!has(y.labels, label))
      left.push_back(label);
    else
      (has(kept, label) ? batch : summed).push_back(label);
  }
  for (int label : y.labels)
    if (!has(x.labels, label)) right.push_back(label);
  // A label that only one operand has and nobody keeps is summed against ones, as it were: the
  // other operand repeats its values.
  for (Labels* own : {&left, &right})
    for (size_t i = own->size(); i-- > 0;)
      if (!has(kept, (*own)[i])) {
        summed.push_back((*own)[i]);
        own->erase(own->begin() + static_cast<std::ptrdiff_t>(i));
      }

  const auto size = [&](int label) {
    const int64_t a = has(x.labels, label) ? size_of(x, label) : 1;
    const int64_t b = has(y.labels, label) ? size_of(y, label) : 1;
    return a == 1 ? b : a;
  };
  const auto join = [&](std::initializer_list<const Labels*> parts, Labels& labels, Dims& sizes) {
    for (const Labels* part : parts)
      for (int label : *part) labels.push_back(label), sizes.push_back(size(label));
  };
  Labels x_order, y_order, out_order;
  Dims x_sizes, y_sizes, out_sizes;
  join({&batch, &left, &summed}, x_order, x_sizes);
  join({&batch, &summed, &right}, y_order, y_sizes);
  join({&batch, &left, &right}, out_order, out_sizes);
  Tensor out = Tensor::empty(out_sizes, x.tensor.dtype);
  Tensor three = grouped(out, batch.size(), left.size());
  if (out.numel() > 0)
    product(grouped(arranged(x, x_order, x_sizes), batch.size(), left.size()),
            grouped(arranged(y, y_order, y_sizes), batch.size(), summed.size()), three);
  return {out, out_order};
}

}  // namespace

void contract(std::vector<Labelled> operands, const Labels& output, Tensor& out) {
  // The product of truth values is not zero where both are true.
  const DType dtype = out.dtype == DType::Bool ? DType::UInt8 : out.dtype;
  for (Labelled& x : operands) {
    x = diagonal(x);
    x.tensor = converted(x.tensor, dtype);
  }
  const auto needs_sum = [&](const Labelled& x) {
    return std::any_of(x.labels.begin(), x.labels.end(), [&](int l) { return !has(output, l); });
  };
  if (operands.size() == 1 && needs_sum(operands[0])) {
    Tensor one = Tensor::empty({}, DType::UInt8);
    *one.data<uint8_t>() = 1;
    operands.push_back({converted(one, dtype), {}});
  }
  Labelled result = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    Labels kept = output;
    for (size_t later = i + 1; later < operands.size(); ++later)
      kept.insert(kept.end(), operands[later].labels.begin(), operands[later].labels.end());
    result = multiply(result, operands[i], kept);
  }
  copy_strided(arranged(result, output, out.sizes), out);
}

}  // namespace rushlight::kernels::RL_CPU
