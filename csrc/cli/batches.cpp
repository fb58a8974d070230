#include "cli/batches.h"

#include <algorithm>

#include "cli/errors.h"
#include "kernels/copy.h"

namespace rushlight::cli {
namespace {

Tensor slice(const Tensor& tensor, int64_t start, int64_t stop) {
  TensorMeta meta = tensor;
  meta.sizes[0] = stop - start;
  meta.view_offset = start * tensor.strides[0];
  return tensor.view(meta);
}

Tensor filled(const Tensor& tensor, int64_t size) {
  const int64_t given = tensor.sizes[0];
  Dims sizes = tensor.sizes;
  sizes[0] = size;
  Tensor out = Tensor::empty(sizes, tensor.dtype);
  kernels::copy_strided(tensor, slice(out, 0, given));
  for (int64_t i = given; i < size; ++i)
    kernels::copy_strided(slice(tensor, given - 1, given), slice(out, i, i + 1));
  return out;
}

std::string shown(int64_t bound) { return bound == INT64_MAX ? "inf" : std::to_string(bound); }

}  // namespace

std::vector<Batch> split(const std::vector<ModelValue>& inputs, const std::vector<Tensor>& values,
                         std::optional<int64_t> most) {
  size_t sample = 0;
  while (sample < inputs.size() && (inputs[sample].sizes.empty() || !values[sample].rank()))
    ++sample;
  if (sample == inputs.size()) {
    if (most) throw UsageError("--batch: the program takes no tensor with a dimension of samples");
    return {{values}};
  }
  const ModelSize& first = inputs[sample].sizes[0];
  const int64_t total = values[sample].sizes[0];
  if (most && (*most < first.min || *most > first.max))
    throw UsageError(detail::concat("--batch: the program takes ", shown(first.min), " to ",
                                    shown(first.max), " samples, not ", *most));
  const int64_t step = most.value_or(first.max);
  if (total <= step) return {{values, total}};  // too few samples are the engine's to judge
  RL_CHECK(step > 0, Value, "the program takes no samples, but ", total, " were given");

  const bool fixed = first.min == first.max;
  const int64_t calls = (total + step - 1) / step;
  std::vector<Batch> batches;
  for (int64_t k = 0; k < calls; ++k) {
    // A fixed number of samples each, or the samples spread evenly.
    const int64_t start = fixed ? k * step : total / calls * k + total % calls * k / calls;
    const int64_t next =
        fixed ? start + step : total / calls * (k + 1) + total % calls * (k + 1) / calls;
    const int64_t stop = std::min(next, total);
    Batch batch{values, fixed ? step : stop - start, fixed ? next - stop : 0};
    for (size_t i = 0; i < values.size(); ++i) {
      const auto& sizes = inputs[i].sizes;
      if (sizes.empty() || sizes[0].text != first.text || !values[i].rank() ||
          values[i].sizes[0] != total)
        continue;
      batch.values[i] = slice(values[i], start, stop);
      if (batch.padding) batch.values[i] = filled(batch.values[i], step);
    }
    batches.push_back(std::move(batch));
  }
  return batches;
}

std::optional<Tensor> join(std::span<const Batch> batches, std::span<const Tensor> parts) {
  if (parts.size() == 1) return parts[0];
  int64_t total = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool same =
        parts[i].defined() && parts[i].rank() == parts[0].rank() && parts[i].rank() &&
        parts[i].sizes[0] == batches[i].size &&
        std::equal(parts[i].sizes.begin() + 1, parts[i].sizes.end(), parts[0].sizes.begin() + 1);
    if (!same) return std::nullopt;
    total += batches[i].size - batches[i].padding;
  }
  Dims sizes = parts[0].sizes;
  sizes[0] = total;
  Tensor out = Tensor::empty(sizes, parts[0].dtype);
  int64_t start = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const int64_t kept = batches[i].size - batches[i].padding;
    kernels::copy_strided(slice(parts[i], 0, kept), slice(out, start, start + kept));
    start += kept;
  }
  return out;
}

}  // namespace rushlight::cli
