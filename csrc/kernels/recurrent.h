// One direction of one recurrent layer over all time steps.
#pragma once

#include "kernels/kernel.h"

namespace rushlight::kernels::RL_CPU {

enum class RnnCell : uint8_t { LSTM, GRU, Tanh, ReLU };

/// Rows of gates per hidden unit.
constexpr int64_t gates_of(RnnCell cell) {
  return cell == RnnCell::LSTM ? 4 : cell == RnnCell::GRU ? 3 : 1;
}

/// Weights as PyTorch lays them out, contiguous: gates i f g o (LSTM) or r z n (GRU).
template <class T>
struct RnnWeights {
  const T* input;                 // [gates * hidden, inputs]
  const T* hidden;                // [gates * hidden, state]
  const T* input_bias = nullptr;  // [gates * hidden]
  const T* hidden_bias = nullptr;
  const T* projection = nullptr;  // [state, hidden]: LSTM with proj_size
};

template <class T>
struct RnnLayer {
  RnnCell cell;
  int64_t steps, batch, inputs, hidden, state;  // state: width of h, hidden unless projected
  bool reverse = false;
  RnnWeights<T> weights;
  const T* x;   // [steps, batch, inputs]
  const T* h0;  // [batch, state]
  T* c;         // [batch, hidden], LSTM: initial cell in, final cell out
  T* out;       // row of step t and sample b at (t * batch + b) * out_row
  int64_t out_row;

  void run() const;
};

}  // namespace rushlight::kernels::RL_CPU
