#include "kernels/recurrent.h"

#include <memory>

#include "kernels/gemm.h"
#include "kernels/lanes_math.h"

namespace rushlight::kernels::RL_CPU {
namespace {

constexpr int kGatesSlot = 4, kStepSlot = 5;
constexpr int kPackSlot = 3;

// A register, or the first few elements of one at a row's end.
template <class T>
struct Part {
  using V = typename Lanes<T>::type;
  int64_t count;
  V load(const T* p) const {
    if (count == Lanes<T>::n) return Lanes<T>::load(p);
    alignas(64) T rest[Lanes<T>::n] = {};
    std::copy_n(p, count, rest);
    return Lanes<T>::load(rest);
  }
  void store(T* p, V v) const {
    if (count == Lanes<T>::n) return Lanes<T>::store(p, v);
    alignas(64) T rest[Lanes<T>::n];
    Lanes<T>::store(rest, v);
    std::copy_n(rest, count, p);
  }
};
template <class T, class F>
void for_parts(int64_t n, F&& body) {
  for (int64_t j = 0; j < n; j += Lanes<T>::n)
    body(j, Part<T>{std::min<int64_t>(Lanes<T>::n, n - j)});
}

// gates: i f g o. c and h are one sample's rows of `n`.
template <class T>
void lstm_row(const T* gates, T* c, T* h, int64_t n) {
  for_parts<T>(n, [&](int64_t j, auto part) {
    const auto i = lane_sigmoid<T>(part.load(gates + j));
    const auto f = lane_sigmoid<T>(part.load(gates + n + j));
    const auto g = lane_tanh(part.load(gates + 2 * n + j));
    const auto o = lane_sigmoid<T>(part.load(gates + 3 * n + j));
    const auto cell = f * part.load(c + j) + i * g;
    part.store(c + j, cell);
    part.store(h + j, o * lane_tanh(cell));
  });
}

// x and y: r z n, from the input and from the state.
template <class T>
void gru_row(const T* x, const T* y, const T* before, T* h, int64_t n) {
  for_parts<T>(n, [&](int64_t j, auto part) {
    const auto r = lane_sigmoid<T>(part.load(x + j) + part.load(y + j));
    const auto z = lane_sigmoid<T>(part.load(x + n + j) + part.load(y + n + j));
    const auto fresh = lane_tanh(part.load(x + 2 * n + j) + r * part.load(y + 2 * n + j));
    part.store(h + j, fresh + z * (part.load(before + j) - fresh));
  });
}

template <class T>
void simple_row(const T* gates, T* h, int64_t n, bool relu) {
  for_parts<T>(n, [&](int64_t j, auto part) {
    const auto v = part.load(gates + j);
    part.store(h + j, relu ? (v < T(0) ? v - v : v) : lane_tanh(v));
  });
}

template <class T>
T* slot(int64_t n, int which) {
  return static_cast<T*>(scratch(static_cast<size_t>(n) * sizeof(T), which));
}

// C = A W^T (+ C) for a weight [n, k] as PyTorch stores it.
template <class T>
Gemm<T> by_weight(const T* w, int64_t m, int64_t n, int64_t k) {
  Gemm<T> g;
  g.m = m;
  g.n = n;
  g.k = k;
  g.b = w;
  g.b_row = 1;
  g.b_col = k;
  g.a_row = k;
  g.c_row = n;
  return g;
}

}  // namespace

template <class T>
void RnnLayer<T>::run() const {
  const bool gru = cell == RnnCell::GRU, lstm = cell == RnnCell::LSTM;
  const int64_t width = gates_of(cell) * hidden;
  // All input projections at once; the state's bias joins them unless a gate (GRU's n) multiplies
  // the state's part on its own.
  T* const gates = slot<T>(steps * batch * width + width, kGatesSlot);
  T* const bias = gates + steps * batch * width;
  for (int64_t j = 0; j < width; ++j)
    bias[j] = (weights.input_bias ? weights.input_bias[j] : T(0)) +
              (weights.hidden_bias && !gru ? weights.hidden_bias[j] : T(0));
  Gemm<T> in = by_weight(weights.input, steps * batch, width, inputs);
  in.a = x;
  in.c = gates;
  in.column_bias = bias;
  gemm(in);

  // Where several samples share a step, the state's weights are packed once for all steps.
  Gemm<T> step = by_weight(weights.hidden, batch, width, state);
  if (batch > 2 && steps > 2) {
    T* const packed = slot<T>(packed_size<T>(state, width), kPackSlot);
    pack_b<T>(state, width, weights.hidden, 1, state, packed);
    step.b = packed;
    step.b_packed = true;
  }
  T* const state_gates = slot<T>(batch * width + batch * hidden, kStepSlot);
  T* const unprojected = state_gates + batch * width;
  const T* h = h0;
  int64_t h_row = state;
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t t = reverse ? steps - 1 - i : i;
    T* const now = gates + t * batch * width;
    T* const next = out + t * batch * out_row;
    step.a = h;
    step.a_row = h_row;
    step.c = gru ? state_gates : now;
    step.accumulate = !gru;
    step.column_bias = gru ? weights.hidden_bias : nullptr;
    gemm(step);
    const int64_t grain = std::max<int64_t>(1, kGrain / 16 / hidden);
    cpu::parallel_for(0, batch, grain, [&](int64_t first, int64_t last) {
      for (int64_t b = first; b < last; ++b) {
        T* const to = weights.projection ? unprojected + b * hidden : next + b * out_row;
        if (lstm)
          lstm_row(now + b * width, c + b * hidden, to, hidden);
        else if (gru)
          gru_row(now + b * width, state_gates + b * width, h + b * h_row, to, hidden);
        else
          simple_row(now + b * width, to, hidden, cell == RnnCell::ReLU);
      }
    });
    if (weights.projection) {
      Gemm<T> project = by_weight(weights.projection, batch, state, hidden);
      project.a = unprojected;
      project.c = next;
      project.c_row = out_row;
      gemm(project);
    }
    h = next;
    h_row = out_row;
  }
}

template struct RnnLayer<float>;
template struct RnnLayer<double>;

}  // namespace rushlight::kernels::RL_CPU
