// Affine quantisation: q = clamp(round(x / scale) + zero_point), x = (q - zero_point) * scale, with
// one scale for a tensor, for each index of an axis, or for each group of a row.
//
// Jacob et al.: "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
// Inference", CVPR 2018.
#include <cmath>

#include "kernels/compute.h"
#include "kernels/portable/call.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

// Element i of a contiguous tensor belongs to parameter (i / run) % count.
struct Layout {
  int64_t run, count;
  int64_t of(int64_t i) const { return i / run % count; }
};

Layout along_axis(const Tensor& t, int64_t axis) {
  const Split split(t.sizes, wrap_dim(axis, t.rank()));
  return {split.inner, split.size};
}

struct Range {
  double low, high;
};

// Scales and zero points as doubles; no zero points: 0.
struct Parameters {
  std::vector<double> scale, zero;
  Parameters(const Tensor& scales, const Tensor* zeros) {
    const Tensor s = contiguous_as(scales, DType::Float64);
    scale.assign(s.data<double>(), s.data<double>() + s.numel());
    zero.assign(scale.size(), 0.0);
    if (!zeros) return;
    const Tensor z = contiguous_as(*zeros, DType::Float64);
    RL_CHECK(z.numel() == s.numel(), Runtime, "quantize: ", s.numel(), " scales but ", z.numel(),
             " zero points");
    zero.assign(z.data<double>(), z.data<double>() + z.numel());
  }
  Parameters(double s, double z) : scale{s}, zero{z} {}
};

void check_layout(const Parameters& p, const Layout& layout) {
  RL_CHECK(static_cast<int64_t>(p.scale.size()) == layout.count, Runtime, "quantize: expected ",
           layout.count, " scales, got ", p.scale.size());
}

// Calls body(parameter, first, last) for runs of elements with one parameter.
template <class F>
void for_each_run(int64_t n, const Layout& layout, F&& body) {
  cpu::parallel_for(0, n, kGrain, [&](int64_t first, int64_t last) {
    while (first < last) {
      const int64_t end =
          layout.count == 1 ? last : std::min(last, (first / layout.run + 1) * layout.run);
      body(static_cast<size_t>(layout.of(first)), first, end);
      first = end;
    }
  });
}

// The arithmetic is float32, as PyTorch's: rounding half to even.
void quantize(const Tensor& input, const Parameters& p, const Layout& layout, Range range,
              Tensor& out) {
  check_layout(p, layout);
  const Tensor x = contiguous_as(input, DType::Float32);
  Tensor q = out.dtype == DType::Float32 ? out : Tensor::empty(out.sizes, DType::Float32);
  const auto low = static_cast<float>(range.low), high = static_cast<float>(range.high);
  for_each_run(x.numel(), layout, [&](size_t k, int64_t first, int64_t last) {
    const float inverse = 1.0f / static_cast<float>(p.scale[k]);
    const auto zero = static_cast<float>(p.zero[k]);
    for (int64_t i = first; i < last; ++i) {
      const float v = std::nearbyint(x.data<float>()[i] * inverse) + zero;
      q.data<float>()[i] = std::min(std::max(v, low), high);
    }
  });
  if (q.raw() != out.raw()) copy_strided(q, out);
}

void dequantize(const Tensor& input, const Parameters& p, const Layout& layout, Tensor& out) {
  check_layout(p, layout);
  const Tensor q = contiguous_as(input, DType::Float32);
  Tensor x = out.dtype == DType::Float32 ? out : Tensor::empty(out.sizes, DType::Float32);
  for_each_run(q.numel(), layout, [&](size_t k, int64_t first, int64_t last) {
    const auto zero = static_cast<float>(p.zero[k]), scale = static_cast<float>(p.scale[k]);
    for (int64_t i = first; i < last; ++i) x.data<float>()[i] = (q.data<float>()[i] - zero) * scale;
  });
  if (x.raw() != out.raw()) copy_strided(x, out);
}

constexpr Layout kWhole{1, 1};

double value_of(const Tensor& t) { return *contiguous_as(t, DType::Float64).data<double>(); }

// In range or clamped, and the mask that gradients go through.
void fake_quantize(const Tensor& input, const Parameters& p, const Layout& layout, Range range,
                   Tensor& out, Tensor* mask) {
  check_layout(p, layout);
  dispatch_float(input.dtype, [&](auto t) {
    using T = decltype(t);
    const Tensor x = contiguous_as(input, dtype_of<T>::value);
    Result<T> y(out);
    for_each_run(x.numel(), layout, [&](size_t k, int64_t first, int64_t last) {
      const T scale = static_cast<T>(p.scale[k]), zero = static_cast<T>(p.zero[k]);
      const T inverse = T(1) / scale;
      const T low = static_cast<T>(range.low), high = static_cast<T>(range.high);
      for (int64_t i = first; i < last; ++i) {
        const T q = std::nearbyint(zero + x.template data<T>()[i] * inverse);
        y.data()[i] = (std::min(std::max(q, low), high) - zero) * scale;
        if (mask) mask->data<bool>()[i] = q >= low && q <= high;
      }
    });
    y.store();
  });
}

// Scale and zero point for the values between `low` and `high`, which then include zero.
void choose(double low, double high, int64_t quant_min, int64_t quant_max, double eps,
            bool symmetric, DType dtype, double& scale, int64_t& zero) {
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
  const auto levels = static_cast<float>(quant_max - quant_min);
  if (symmetric) {
    const auto size = static_cast<float>(std::max(-low, high));
    scale = std::max(size / (levels / 2), static_cast<float>(eps));
    zero = dtype == DType::UInt8 ? 128 : 0;
    return;
  }
  const float step = std::max((static_cast<float>(high) - static_cast<float>(low)) / levels,
                              static_cast<float>(eps));
  scale = step;
  zero = quant_min - static_cast<int64_t>(std::nearbyint(static_cast<float>(low) / step));
  zero = std::clamp(zero, quant_min, quant_max);
}

void choose_for(const Tensor& input, int64_t quant_min, int64_t quant_max, double eps,
                bool symmetric, DType dtype, Tensor& scale, Tensor& zero) {
  RL_CHECK(quant_min < quant_max, Runtime, "choose_qparams: expected quant_min < quant_max, got ",
           quant_min, " and ", quant_max);
  RL_CHECK(input.numel() > 0, Runtime, "choose_qparams: the input has no elements");
  const std::vector<Tensor> ends = call_all("aminmax", input);
  choose(value_of(ends[0]), value_of(ends[1]), quant_min, quant_max, eps, symmetric, dtype,
         *scale.data<double>(), *zero.data<int64_t>());
}

Range range_of(int64_t low, int64_t high) {
  return {static_cast<double>(low), static_cast<double>(high)};
}

}  // namespace

void quantize_per_tensor(const Tensor& input, double scale, int64_t zero_point, int64_t low,
                         int64_t high, DType, Tensor& out) {
  quantize(input, {scale, static_cast<double>(zero_point)}, kWhole, range_of(low, high), out);
}
void quantize_per_tensor(const Tensor& input, const Tensor& scale, const Tensor& zero_point,
                         int64_t low, int64_t high, DType, Tensor& out) {
  quantize(input, {value_of(scale), value_of(zero_point)}, kWhole, range_of(low, high), out);
}
void quantize_per_tensor(const Tensor& input, const Tensor& scale, const Tensor& zero_point,
                         const Tensor& low, const Tensor& high, DType, Tensor& out) {
  quantize(input, {value_of(scale), value_of(zero_point)}, kWhole, {value_of(low), value_of(high)},
           out);
}
void dequantize_per_tensor(const Tensor& input, double scale, int64_t zero_point, int64_t, int64_t,
                           DType, std::optional<DType>, Tensor& out) {
  dequantize(input, {scale, static_cast<double>(zero_point)}, kWhole, out);
}
void dequantize_per_tensor(const Tensor& input, const Tensor& scale, const Tensor& zero_point,
                           int64_t, int64_t, DType, std::optional<DType>, Tensor& out) {
  dequantize(input, {value_of(scale), value_of(zero_point)}, kWhole, out);
}
void dequantize_per_tensor(const Tensor& input, const Tensor& scale, const Tensor& zero_point,
                           const Tensor&, const Tensor&, DType, std::optional<DType>, Tensor& out) {
  dequantize(input, {value_of(scale), value_of(zero_point)}, kWhole, out);
}

void quantize_per_channel(const Tensor& input, const Tensor& scales, const Tensor& zero_points,
                          int64_t axis, int64_t low, int64_t high, DType, Tensor& out) {
  quantize(input, {scales, &zero_points}, along_axis(input, axis), range_of(low, high), out);
}
void dequantize_per_channel(const Tensor& input, const Tensor& scales, const Tensor* zero_points,
                            int64_t axis, int64_t, int64_t, DType, std::optional<DType>,
                            Tensor& out) {
  dequantize(input, {scales, zero_points}, along_axis(input, axis), out);
}

// One scale for every vector along the last dimension.
void quantize_per_token(const Tensor& input, const Tensor& scales, const Tensor& zero_points,
                        int64_t low, int64_t high, DType, Tensor& out) {
  const int64_t n = std::max<int64_t>(input.size(-1), 1);
  quantize(input, {scales, &zero_points}, {n, std::max<int64_t>(input.numel() / n, 1)},
           range_of(low, high), out);
}
void dequantize_per_token(const Tensor& input, const Tensor& scales, const Tensor& zero_points,
                          int64_t, int64_t, DType, DType, Tensor& out) {
  const int64_t n = std::max<int64_t>(input.size(-1), 1);
  dequantize(input, {scales, &zero_points}, {n, std::max<int64_t>(input.numel() / n, 1)}, out);
}
void quantize_per_channel_group(const Tensor& input, const Tensor& scales,
                                const Tensor& zero_points, int64_t low, int64_t high, DType,
                                int64_t group, Tensor& out) {
  quantize(input, {scales, &zero_points}, {group, input.numel() / group}, range_of(low, high), out);
}
void dequantize_per_channel_group(const Tensor& input, const Tensor& scales,
                                  const Tensor* zero_points, int64_t, int64_t, DType, int64_t group,
                                  DType, Tensor& out) {
  dequantize(input, {scales, zero_points}, {group, input.numel() / group}, out);
}

void choose_qparams(const Tensor& input, int64_t low, int64_t high, double eps, DType dtype,
                    Tensor& scale, Tensor& zero) {
  choose_for(input, low, high, eps, false, dtype, scale, zero);
}
void choose_qparams_symmetric(const Tensor& input, int64_t low, int64_t high, double eps,
                              DType dtype, Tensor& scale, Tensor& zero) {
  choose_for(input, low, high, eps, true, dtype, scale, zero);
}
// Symmetric int8 for every token: the largest value becomes 127.
void choose_qparams_per_token(const Tensor& input, DType dtype, Tensor& scale, Tensor& zero) {
  RL_CHECK(dtype == DType::Int8, Runtime,
           "unsupported dtype in choose_qparams_per_token: ", dtype_name(dtype));
  Tensor size = call("amax", call("abs", input), Dims{-1}, true);
  size = contiguous_as(size, DType::Float32);
  for (int64_t i = 0; i < size.numel(); ++i)
    size.data<float>()[i] = std::max(size.data<float>()[i], 1e-5f) / 127;
  copy_strided(size, scale);
  call("fill_.Scalar", zero, Scalar(0));
}
// XNNPACK's choice for int8: the end of the range whose error is smaller stays exact.
void choose_qparams_per_token_asymmetric(const Tensor& input, DType, Tensor& scale, Tensor& zero) {
  const Tensor lows = contiguous_as(call("amin", input, Dims{-1}, true), DType::Float32);
  const Tensor highs = contiguous_as(call("amax", input, Dims{-1}, true), DType::Float32);
  Result<float> scales(scale), zeros(zero);
  for (int64_t i = 0; i < lows.numel(); ++i) {
    const float low = std::min(lows.data<float>()[i], 0.0f);
    const float high = std::max(highs.data<float>()[i], 0.0f);
    const float step = std::max((high - low) / 255.0f, 0x1p-23f);
    const float a = low / step, b = high / step;
    const float exact = (-128 + a) + (127 + b) > 0 ? -128 - a : 127 - b;
    scales.data()[i] = step;
    zeros.data()[i] = std::nearbyint(std::clamp(exact, -128.0f, 127.0f));
  }
  scales.store();
  zeros.store();
}

void fake_quant_per_channel(const Tensor& input, const Tensor& scales, const Tensor& zero_points,
                            int64_t axis, int64_t low, int64_t high, Tensor& out) {
  fake_quantize(input, {scales, &zero_points}, along_axis(input, axis), range_of(low, high), out,
                nullptr);
}
void fake_quantize(const Tensor& input, const Tensor& scales, const Tensor& zero_points,
                   int64_t axis, int64_t low, int64_t high, Tensor& out, Tensor& mask) {
  fake_quantize(input, {scales, &zero_points}, along_axis(input, axis), range_of(low, high), out,
                &mask);
}
void fake_quantize(const Tensor& input, double scale, int64_t zero_point, int64_t low, int64_t high,
                   Tensor& out) {
  fake_quantize(input, {scale, static_cast<double>(zero_point)}, kWhole, range_of(low, high), out,
                nullptr);
}
void fake_quantize(const Tensor& input, double scale, int64_t zero_point, int64_t low, int64_t high,
                   Tensor& out, Tensor& mask) {
  fake_quantize(input, {scale, static_cast<double>(zero_point)}, kWhole, range_of(low, high), out,
                &mask);
}
void fake_quantize(const Tensor& input, const Tensor& scale, const Tensor& zero_point, int64_t low,
                   int64_t high, Tensor& out) {
  fake_quantize(input, {value_of(scale), value_of(zero_point)}, kWhole, range_of(low, high), out,
                nullptr);
}
void fake_quantize(const Tensor& input, const Tensor& scale, const Tensor& zero_point,
                   const Tensor& enabled, int64_t low, int64_t high, Tensor& out, Tensor& mask) {
  if (value_of(enabled) != 0)
    return fake_quantize(input, {value_of(scale), value_of(zero_point)}, kWhole,
                         range_of(low, high), out, &mask);
  copy_strided(input, out);
  call("fill_.Scalar", mask, Scalar(true));
}

}  // namespace rushlight::kernels::portable
