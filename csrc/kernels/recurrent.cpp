// LSTM, GRU and plain recurrent networks, and their cells.
#include "kernels/recurrent.h"

#include "kernels/compute.h"
#include "kernels/kernel.h"

namespace rushlight::kernels::RL_CPU {
namespace {

struct Network {
  RnnCell cell;
  TensorList params;
  bool has_biases;
  int64_t layers;
  bool bidirectional, batch_first;
};

Tensor transposed(const Tensor& t) {
  TensorMeta meta = t;
  std::swap(meta.sizes[0], meta.sizes[1]);
  std::swap(meta.strides[0], meta.strides[1]);
  return Tensor(meta, t.storage(), t.raw());
}

// The tensors of one direction of one layer, in the compute type.
template <class T>
struct LayerParameters {
  Tensor tensors[5];
  RnnWeights<T> weights{};

  LayerParameters(const Network& net, int64_t index) {
    const int64_t count =
        static_cast<int64_t>(net.params.size()) / (net.layers * (net.bidirectional ? 2 : 1));
    const T* data[5] = {};
    for (int64_t i = 0; i < count; ++i) {
      tensors[i] =
          contiguous_as(*net.params[static_cast<size_t>(index * count + i)], dtype_of<T>::value);
      data[i] = tensors[i].template data<T>();
    }
    weights.input = data[0];
    weights.hidden = data[1];
    if (net.has_biases) weights.input_bias = data[2], weights.hidden_bias = data[3];
    if (count == (net.has_biases ? 5 : 3)) weights.projection = data[count - 1];
  }
};

template <class T>
void copy_rows(const T* from, int64_t from_row, T* to, int64_t rows, int64_t n) {
  for (int64_t b = 0; b < rows; ++b) std::copy_n(from + b * from_row, n, to + b * n);
}

// hx: [layers * directions, batch, state]; cx and c_out only for an LSTM.
template <class T>
void network_as(const Network& net, const Tensor& input, const Tensor& hx, const Tensor* cx,
                Tensor& out, Tensor& h_out, Tensor* c_out) {
  const DType type = dtype_of<T>::value;
  Tensor x = contiguous_as(net.batch_first ? transposed(input) : input, type);
  const Tensor h = contiguous_as(hx, type);
  const int64_t directions = net.bidirectional ? 2 : 1, steps = x.sizes[0], batch = x.sizes[1];
  const int64_t state = h.sizes[2], hidden = cx ? cx->sizes[2] : state;
  Tensor out_view = net.batch_first ? transposed(out) : out;
  Result<T> result(out_view), h_result(h_out);
  std::optional<Result<T>> c_result;
  std::vector<T> no_cells;
  T* cells = nullptr;
  if (cx) {
    c_result.emplace(*c_out);
    cells = c_result->data();
    const Tensor c = contiguous_as(*cx, type);
    std::copy_n(c.data<T>(), c.numel(), cells);
  }
  const int64_t row = directions * state;
  for (int64_t l = 0; l < net.layers; ++l) {
    const bool last = l + 1 == net.layers;
    Tensor between;
    if (!last) between = Tensor::empty(Dims{steps, batch, row}, type);
    T* const y = last ? result.data() : between.data<T>();
    for (int64_t d = 0; d < directions; ++d) {
      const int64_t at = l * directions + d;
      const LayerParameters<T> p(net, at);
      const RnnLayer<T> layer{net.cell,
                              steps,
                              batch,
                              x.sizes[2],
                              hidden,
                              state,
                              d == 1,
                              p.weights,
                              x.data<T>(),
                              h.data<T>() + at * batch * state,
                              cells ? cells + at * batch * hidden : nullptr,
                              y + d * state,
                              row};
      layer.run();
      const T* final_rows = steps == 0 ? layer.h0 : layer.out + (d ? 0 : (steps - 1) * batch * row);
      copy_rows(final_rows, steps == 0 ? state : row, h_result.data() + at * batch * state, batch,
                state);
    }
    if (!last) x = between;
  }
  result.store();
  h_result.store();
  if (c_result) c_result->store();
}

void network(const Network& net, const Tensor& input, const Tensor& hx, const Tensor* cx,
             Tensor& out, Tensor& h_out, Tensor* c_out) {
  dispatch_float(input.dtype,
                 [&](auto t) { network_as<decltype(t)>(net, input, hx, cx, out, h_out, c_out); });
}

template <class T>
void cell_as(RnnCell kind, const Tensor& input, const Tensor& hx, const Tensor* cx,
             const Tensor& w_ih, const Tensor& w_hh, const Tensor* b_ih, const Tensor* b_hh,
             Tensor& h_out, Tensor* c_out) {
  const DType type = dtype_of<T>::value;
  const Tensor x = contiguous_as(input, type), h = contiguous_as(hx, type);
  const Tensor wi = contiguous_as(w_ih, type), wh = contiguous_as(w_hh, type);
  const Parameter<T> bi(b_ih), bh(b_hh);
  const int64_t batch = x.rank() == 1 ? 1 : x.sizes[0], hidden = h.sizes.back();
  Result<T> result(h_out);
  std::optional<Result<T>> c_result;
  if (cx) {
    c_result.emplace(*c_out);
    const Tensor c = contiguous_as(*cx, type);
    std::copy_n(c.data<T>(), c.numel(), c_result->data());
  }
  const RnnLayer<T> layer{kind,
                          1,
                          batch,
                          x.sizes.back(),
                          hidden,
                          hidden,
                          false,
                          {wi.data<T>(), wh.data<T>(), bi.data(), bh.data()},
                          x.data<T>(),
                          h.data<T>(),
                          c_result ? c_result->data() : nullptr,
                          result.data(),
                          hidden};
  layer.run();
  result.store();
  if (c_result) c_result->store();
}

void run_cell(RnnCell kind, const Tensor& input, const Tensor& hx, const Tensor* cx,
              const Tensor& w_ih, const Tensor& w_hh, const Tensor* b_ih, const Tensor* b_hh,
              Tensor& h_out, Tensor* c_out) {
  dispatch_float(input.dtype, [&](auto t) {
    cell_as<decltype(t)>(kind, input, hx, cx, w_ih, w_hh, b_ih, b_hh, h_out, c_out);
  });
}

}  // namespace

void lstm(const Tensor& input, TensorList hx, TensorList params, bool has_biases,
          int64_t num_layers, double, bool, bool bidirectional, bool batch_first, Tensor& out,
          Tensor& h, Tensor& c) {
  network({RnnCell::LSTM, params, has_biases, num_layers, bidirectional, batch_first}, input,
          *hx[0], hx[1], out, h, &c);
}

#define RL_RNN(name, cell)                                                                        \
  void name(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases,            \
            int64_t num_layers, double, bool, bool bidirectional, bool batch_first, Tensor& out,  \
            Tensor& h) {                                                                          \
    network({RnnCell::cell, params, has_biases, num_layers, bidirectional, batch_first}, input,   \
            hx, nullptr, out, h, nullptr);                                                        \
  }                                                                                               \
  void name##_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, \
                   const Tensor* b_ih, const Tensor* b_hh, Tensor& out) {                         \
    run_cell(RnnCell::cell, input, hx, nullptr, w_ih, w_hh, b_ih, b_hh, out, nullptr);            \
  }
RL_RNN(gru, GRU)
RL_RNN(rnn_tanh, Tanh)
RL_RNN(rnn_relu, ReLU)
#undef RL_RNN

void lstm_cell(const Tensor& input, TensorList hx, const Tensor& w_ih, const Tensor& w_hh,
               const Tensor* b_ih, const Tensor* b_hh, Tensor& h, Tensor& c) {
  run_cell(RnnCell::LSTM, input, *hx[0], hx[1], w_ih, w_hh, b_ih, b_hh, h, &c);
}

}  // namespace rushlight::kernels::RL_CPU
