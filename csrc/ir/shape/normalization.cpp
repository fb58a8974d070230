// Shape rules of normalisations.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

void require_float(const char* name, const TensorMeta& input) {
  RL_CHECK(is_floating(input.dtype), NotImplemented, name, " is not implemented for ",
           dtype_name(input.dtype));
}

void check_parameter(const char* name, const char* what, const TensorMeta* p, IntList sizes) {
  RL_CHECK(!p || p->sizes == Dims(sizes), Runtime, name, ": expected ", what, " of shape ",
           Dims(sizes), ", got ", p->sizes);
}

void check_channels(const char* name, const char* what, const TensorMeta* p, int64_t channels) {
  RL_CHECK(!p || (p->rank() == 1 && p->sizes[0] == channels), Runtime, name, ": expected ", what,
           " to have ", channels, " elements, got shape ", p->sizes);
}

// Dimensions before the normalised ones; checks that those agree.
size_t leading(const char* name, const TensorMeta& input, IntList shape) {
  RL_CHECK(!shape.empty(), Runtime, name,
           ": expected normalized_shape to be at least 1-dimensional, got []");
  const size_t rank = input.sizes.size();
  const bool fits = rank >= shape.size() &&
                    std::equal(shape.begin(), shape.end(), input.sizes.end() - shape.size());
  RL_CHECK(fits, Runtime, name, ": given normalized_shape=", Dims(shape),
           ", expected input with these last dimensions, got input of shape ", input.sizes);
  return rank - shape.size();
}

// The input's leading dimensions, then ones: the shape of per-row statistics.
void statistics(const TensorMeta& input, size_t lead, DType dtype, TensorMeta& out) {
  Dims sizes(input.sizes.size(), 1);
  std::copy(input.sizes.begin(), input.sizes.begin() + lead, sizes.begin());
  out.set(dtype, sizes);
}

// Half-precision inputs with float32 weights keep their statistics in float32.
DType statistics_dtype(const TensorMeta& input, const TensorMeta* weight) {
  return weight && weight->dtype == DType::Float32 ? DType::Float32 : input.dtype;
}

void channels_like(const char* name, const TensorMeta& input, const TensorMeta* weight,
                   const TensorMeta* bias, TensorMeta& out) {
  require_float(name, input);
  if (input.sizes == Dims{0}) return out.set(input.dtype, input.sizes);
  RL_CHECK(input.rank() >= 2, Runtime, name,
           ": expected at least 2 dimensions, got input of shape ", input.sizes);
  check_channels(name, "weight", weight, input.sizes[1]);
  check_channels(name, "bias", bias, input.sizes[1]);
  out.set(input.dtype, input.sizes);
}

void check_running(const char* name, const TensorMeta& input, const TensorMeta* mean,
                   const TensorMeta* var, bool training) {
  RL_CHECK(training || (mean && var), Runtime, name,
           ": expected running_mean and running_var to be defined when training=False");
  if (input.rank() < 2) return;
  check_channels(name, "running_mean", mean, input.sizes[1]);
  check_channels(name, "running_var", var, input.sizes[1]);
}

void saved(const TensorMeta& input, const TensorMeta* weight, bool training, TensorMeta& mean,
           TensorMeta& inverse) {
  const Dims sizes{training && input.rank() > 1 ? input.sizes[1] : 0};
  mean.set(statistics_dtype(input, weight), sizes);
  inverse.set(mean.dtype, sizes);
}

}  // namespace

void layer_norm(const TensorMeta& input, IntList shape, const TensorMeta* weight,
                const TensorMeta* bias, double, bool, TensorMeta& out) {
  require_float("layer_norm", input);
  leading("layer_norm", input, shape);
  check_parameter("layer_norm", "weight", weight, shape);
  check_parameter("layer_norm", "bias", bias, shape);
  out.set(input.dtype, input.sizes);
}
void layer_norm(const TensorMeta& input, IntList shape, const TensorMeta* weight,
                const TensorMeta* bias, double eps, TensorMeta& out, TensorMeta& mean,
                TensorMeta& rstd) {
  layer_norm(input, shape, weight, bias, eps, false, out);
  const size_t lead = input.sizes.size() - shape.size();
  statistics(input, lead, statistics_dtype(input, weight), mean);
  statistics(input, lead, mean.dtype, rstd);
}

void rms_norm(const TensorMeta& input, IntList shape, const TensorMeta* weight,
              std::optional<double>, TensorMeta& out) {
  require_float("rms_norm", input);
  leading("rms_norm", input, shape);
  check_parameter("rms_norm", "weight", weight, shape);
  out.set(weight ? promote_types(input.dtype, weight->dtype) : input.dtype, input.sizes);
}
void rms_norm(const TensorMeta& input, IntList shape, const TensorMeta* weight,
              std::optional<double> eps, TensorMeta& out, TensorMeta& rstd) {
  rms_norm(input, shape, weight, eps, out);
  const DType dtype = input.dtype == DType::Float64 ? DType::Float64 : DType::Float32;
  statistics(input, input.sizes.size() - shape.size(), dtype, rstd);
}

void group_norm(const TensorMeta& input, int64_t groups, const TensorMeta* weight,
                const TensorMeta* bias, double, bool, TensorMeta& out) {
  channels_like("group_norm", input, weight, bias, out);
  RL_CHECK(groups > 0 && input.sizes[1] % groups == 0, Runtime,
           "group_norm: expected number of channels in input to be divisible by num_groups, got "
           "input of shape ",
           input.sizes, " and num_groups=", groups);
}
void group_norm(const TensorMeta& input, const TensorMeta* weight, const TensorMeta* bias,
                int64_t n, int64_t c, int64_t inner, int64_t groups, double, TensorMeta& out,
                TensorMeta& mean, TensorMeta& rstd) {
  require_float("native_group_norm", input);
  RL_CHECK(groups > 0 && c % groups == 0 && n >= 0 && inner >= 0, Runtime,
           "native_group_norm: expected C to be divisible by group, got C=", c,
           " and group=", groups);
  RL_CHECK(input.numel() == n * c * inner, Runtime,
           "native_group_norm: expected an input of N * C * HxW = ", n * c * inner,
           " elements, got shape ", input.sizes);
  check_channels("native_group_norm", "weight", weight, c);
  check_channels("native_group_norm", "bias", bias, c);
  out.set(input.dtype, input.sizes);
  mean.set(statistics_dtype(input, weight), Dims{n, groups});
  rstd.set(mean.dtype, mean.sizes);
}
void instance_norm(const TensorMeta& input, const TensorMeta* weight, const TensorMeta* bias,
                   const TensorMeta* mean, const TensorMeta* var, bool use_input_stats, double,
                   double, bool, TensorMeta& out) {
  channels_like("instance_norm", input, weight, bias, out);
  check_running("instance_norm", input, mean, var, use_input_stats);
}

void batch_norm(const TensorMeta& input, const TensorMeta* weight, const TensorMeta* bias,
                const TensorMeta* mean, const TensorMeta* var, bool training, double, double, bool,
                TensorMeta& out) {
  channels_like("batch_norm", input, weight, bias, out);
  check_running("batch_norm", input, mean, var, training);
}
void batch_norm(const TensorMeta& input, const TensorMeta* weight, const TensorMeta* bias,
                const TensorMeta* mean, const TensorMeta* var, bool training, double momentum,
                double eps, TensorMeta& out, TensorMeta& save_mean, TensorMeta& save_inverse) {
  batch_norm(input, weight, bias, mean, var, training, momentum, eps, false, out);
  saved(input, weight, training, save_mean, save_inverse);
}
void batch_norm(const TensorMeta& input, const TensorMeta* weight, const TensorMeta* bias, bool,
                double, double, TensorMeta& out, TensorMeta& save_mean, TensorMeta& save_inverse) {
  channels_like("batch_norm", input, weight, bias, out);
  saved(input, weight, true, save_mean, save_inverse);
}
void batch_norm(const TensorMeta& input, const TensorMeta* weight, const TensorMeta* bias,
                const TensorMeta& mean, const TensorMeta& var, double momentum, double eps,
                TensorMeta& out, TensorMeta& save_mean, TensorMeta& save_inverse) {
  batch_norm(input, weight, bias, &mean, &var, false, momentum, eps, out, save_mean, save_inverse);
}
void batch_norm(const TensorMeta& input, const TensorMeta* weight, const TensorMeta* bias,
                const TensorMeta& mean, const TensorMeta& var, bool training, double momentum,
                double eps, TensorMeta& out, TensorMeta& save_mean, TensorMeta& save_inverse,
                TensorMeta& running_mean, TensorMeta& running_var) {
  batch_norm(input, weight, bias, &mean, &var, training, momentum, eps, out, save_mean,
             save_inverse);
  running_mean.set(mean.dtype, mean.sizes);
  running_var.set(var.dtype, var.sizes);
}

}  // namespace rushlight::shape
