// Activation functions. Those of float32 that need an exponential run on vectors.
#include "kernels/tile.h"

namespace rushlight::kernels::RL_CPU::tile {
namespace {

template <class T>
T logistic(T x) {
  return T(1) / (T(1) + std::exp(-x));
}
template <class T>
T clamped(T x, T low, T high) {
  return x < low ? low : x > high ? high : x;
}

}  // namespace

TileFn relu(DType t, std::string_view) { return tile1(t, Real{}, RL_UNARY(x < T(0) ? T(0) : x)); }

TileFn relu6(DType t, std::string_view) {
  return tile1(t, Real{}, RL_UNARY(clamped(x, T(0), T(6))));
}

TileFn hardtanh(DType t, std::string_view) {
  return tile1(t, Real{}, RL_TILE_MAKE(return [low = p.get<T>(0), high = p.get<T>(1)](T x) {
                 return clamped(x, low, high);
               };));
}

TileFn leaky_relu(DType t, std::string_view) {
  return tile1(t, Floats{},
               RL_TILE_MAKE(return [slope = p.get<T>(0)](T x) { return x > 0 ? x : x * slope; };));
}

TileFn sigmoid(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::sigmoid(x)));
  return tile1(t, FloatOrComplex{}, RL_UNARY(logistic(x)));
}

TileFn silu(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(x / (1.0f + simd::exp(-x))));
  return tile1(t, FloatOrComplex{}, RL_UNARY(x / (T(1) + std::exp(-x))));
}

// x * Phi(x) of the normal distribution, or its approximation by tanh
// (D. Hendrycks, K. Gimpel, "Gaussian Error Linear Units", arXiv:1606.08415).
TileFn gelu(DType t, std::string_view approximate) {
  if (approximate == "tanh") {
    if (t == DType::Float32)
      return vector1([](const TileParams&) {
        return [](simd::F32 x) {
          const simd::F32 inner = 0.7978845608028654f * (x + 0.044715f * x * x * x);
          return 0.5f * x * (1.0f + simd::tanh(inner));
        };
      });
    return tile1(
        t, Types<double>{},
        RL_UNARY(0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))));
  }
  if (t == DType::Float32)
    return vector1(RL_VECTOR(x * 0.5f * (1.0f + simd::erf(x * 0.70710678118654752440f))));
  return tile1(t, Types<double>{}, RL_UNARY(x * 0.5 * (1 + std::erf(x * M_SQRT1_2))));
}

TileFn mish(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(x * simd::tanh(simd::log1p(simd::exp(x)))));
  return tile1(t, Types<double>{}, RL_UNARY(x * std::tanh(std::log1p(std::exp(x)))));
}

TileFn softplus(DType t, std::string_view) {
  if (t == DType::Float32)
    return vector1([](const TileParams& p) {
      return [beta = p.get<float>(0), threshold = p.get<float>(1)](simd::F32 x) {
        const simd::F32 z = x * beta;
        return simd::select(z > threshold, x, simd::log1p(simd::exp(z)) / beta);
      };
    });
  return tile1(t, Types<double>{},
               RL_TILE_MAKE(return [beta = p.get<T>(0), threshold = p.get<T>(1)](T x) {
                 const T z = x * beta;
                 return z > threshold ? x : std::log1p(std::exp(z)) / beta;
               };));
}

TileFn log_sigmoid(DType t, std::string_view) {
  if (t == DType::Float32)
    return vector1(
        RL_VECTOR(simd::minimum(x, simd::F32{}) - simd::log1p(simd::exp(-simd::abs(x)))));
  return tile1(t, Types<double>{},
               RL_UNARY((x < 0 || x != x ? x : 0) - std::log1p(std::exp(-std::abs(x)))));
}

namespace {

// alpha * scale * (e^(input_scale x) - 1) below zero, scale * x above.
TileFn exponential_unit(DType t) {
  if (t == DType::Float32)
    return vector1([](const TileParams& p) {
      const auto alpha = p.get<float>(0), scale = p.get<float>(1), input_scale = p.get<float>(2);
      return [=](simd::F32 x) {
        const simd::F32 below = simd::expm1(x * input_scale) * (alpha * scale);
        return simd::select(x < 0.0f, below, x * scale);
      };
    });
  return tile1(
      t, Types<double>{},
      RL_TILE_MAKE(
          const T alpha = p.get<T>(0), scale = p.get<T>(1), input_scale = p.get<T>(2); return
          [=](T x) { return x < 0 ? std::expm1(x * input_scale) * (alpha * scale) : x * scale; };));
}

}  // namespace

TileFn elu(DType t, std::string_view) { return exponential_unit(t); }

TileFn celu(DType t, std::string_view) {
  return tile1(t, Floats{}, RL_TILE_MAKE(return [alpha = p.get<T>(0)](T x) {
                 return x < 0 ? alpha * std::expm1(x / alpha) : x;
               };));
}

// The constants keep mean 0 and variance 1 (G. Klambauer et al., arXiv:1706.02515).
TileFn selu(DType t, std::string_view) {
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  constexpr double kScale = 1.0507009873554804934193349852946;
  if (t == DType::Float32)
    return vector1(
        RL_VECTOR(simd::select(x < 0.0f, simd::expm1(x) * static_cast<float>(kAlpha * kScale),
                               x * static_cast<float>(kScale))));
  return tile1(t, Types<double>{},
               RL_UNARY(x < 0 ? std::expm1(x) * (kAlpha * kScale) : x * kScale));
}

TileFn hardsigmoid(DType t, std::string_view) {
  return tile1(t, Floats{}, RL_UNARY(clamped(x + T(3), T(0), T(6)) / T(6)));
}

TileFn hardswish(DType t, std::string_view) {
  return tile1(t, Floats{}, RL_UNARY(x * clamped(x + T(3), T(0), T(6)) / T(6)));
}

TileFn hardshrink(DType t, std::string_view) {
  return tile1(t, Floats{}, RL_TILE_MAKE(return [lambda = p.get<T>(0)](T x) {
                 return x >= -lambda && x <= lambda ? T(0) : x;
               };));
}

TileFn softshrink(DType t, std::string_view) {
  return tile1(t, Floats{}, RL_TILE_MAKE(return [lambda = p.get<T>(0)](T x) {
                 return x > lambda ? x - lambda : x < -lambda ? x + lambda : x != x ? x : T(0);
               };));
}

TileFn threshold(DType t, std::string_view) {
  return tile1(t, Real{}, RL_TILE_MAKE(return [limit = p.get<T>(0), value = p.get<T>(1)](T x) {
                 return x <= limit ? value : x;
               };));
}

// in: self, weight (broadcast)
TileFn prelu(DType t, std::string_view) { return tile2(t, Floats{}, RL_BINARY(x > 0 ? x : x * y)); }

// Without training the slope is the mean of the bounds.
TileFn rrelu(DType t, std::string_view) {
  return tile1(t, Floats{}, RL_TILE_MAKE(return [slope = (p.get<T>(0) + p.get<T>(1)) / 2](T x) {
                 return x >= 0 ? x : x * slope;
               };));
}

}  // namespace rushlight::kernels::RL_CPU::tile
