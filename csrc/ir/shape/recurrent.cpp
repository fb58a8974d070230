// Shape rules of recurrent networks and their cells.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

void network(const char* name, int64_t gates, const TensorMeta& input, const TensorMeta& hx,
             const TensorMeta* cx, TensorList params, bool has_biases, int64_t layers,
             double dropout, bool train, bool bidirectional, bool batch_first, TensorMeta& out,
             TensorMeta& h) {
  RL_CHECK(is_floating(input.dtype), NotImplemented, name, " is not implemented for ",
           dtype_name(input.dtype));
  RL_CHECK(!(train && dropout > 0 && layers > 1), NotImplemented, name,
           ": dropout between layers is a training feature, got dropout=", dropout,
           " with train=True");
  RL_CHECK(input.rank() == 3 && hx.rank() == 3, Runtime, name,
           ": expected 3D input and hidden state, got shapes ", input.sizes, " and ", hx.sizes);
  const int64_t directions = bidirectional ? 2 : 1, rows = layers * directions;
  const int64_t batch = input.sizes[batch_first ? 0 : 1];
  const int64_t state = hx.sizes[2], hidden = cx ? cx->size(-1) : state;
  RL_CHECK(hx.sizes[0] == rows && hx.sizes[1] == batch, Runtime, name, ": Expected hidden size [",
           rows, ", ", batch, ", ", state, "], got ", hx.sizes);
  if (cx)
    RL_CHECK(cx->rank() == 3 && cx->sizes[0] == rows && cx->sizes[1] == batch, Runtime, name,
             ": Expected cell size [", rows, ", ", batch, ", ", hidden, "], got ", cx->sizes);
  const int64_t per_layer = (has_biases ? 4 : 2) + (state != hidden ? 1 : 0);
  RL_CHECK(static_cast<int64_t>(params.size()) == rows * per_layer, Runtime, name, ": expected ",
           rows * per_layer, " weight tensors, got ", params.size());
  for (int64_t i = 0; i < rows; ++i) {
    const Tensor& w_ih = *params[static_cast<size_t>(i * per_layer)];
    const Tensor& w_hh = *params[static_cast<size_t>(i * per_layer + 1)];
    const int64_t inputs = i < directions ? input.sizes[2] : state * directions;
    RL_CHECK((w_ih.sizes == Dims{gates * hidden, inputs}), Runtime, name,
             ": expected input weight of shape [", gates * hidden, ", ", inputs, "], got ",
             w_ih.sizes);
    RL_CHECK((w_hh.sizes == Dims{gates * hidden, state}), Runtime, name,
             ": expected hidden weight of shape [", gates * hidden, ", ", state, "], got ",
             w_hh.sizes);
    for (int64_t b = 2; has_biases && b < 4; ++b) {
      const Tensor& bias = *params[static_cast<size_t>(i * per_layer + b)];
      RL_CHECK(bias.sizes == Dims{gates * hidden}, Runtime, name, ": expected bias of shape [",
               gates * hidden, "], got ", bias.sizes);
    }
    if (state != hidden) {
      const Tensor& w_hr = *params[static_cast<size_t>((i + 1) * per_layer - 1)];
      RL_CHECK((w_hr.sizes == Dims{state, hidden}), Runtime, name,
               ": expected projection weight of shape [", state, ", ", hidden, "], got ",
               w_hr.sizes);
    }
  }
  Dims sizes = input.sizes;
  sizes[2] = directions * state;
  out.set(input.dtype, sizes);
  // PyTorch computes with time outermost and hands out a transposed view.
  if (batch_first) out.strides = Dims{sizes[2], batch * sizes[2], 1};
  h.set(input.dtype, hx.sizes);
}

void cell(const char* name, int64_t gates, const TensorMeta& input, const TensorMeta& hx,
          const TensorMeta& w_ih, const TensorMeta& w_hh, const TensorMeta* b_ih,
          const TensorMeta* b_hh, TensorMeta& h) {
  RL_CHECK(is_floating(input.dtype), NotImplemented, name, " is not implemented for ",
           dtype_name(input.dtype));
  RL_CHECK(input.rank() >= 1 && input.rank() <= 2 && hx.rank() == input.rank(), Runtime, name,
           ": expected 1D or 2D input and hidden state of one rank, got shapes ", input.sizes,
           " and ", hx.sizes);
  const int64_t hidden = hx.size(-1);
  RL_CHECK(input.rank() == 1 || input.sizes[0] == hx.sizes[0], Runtime, name, ": input batch size ",
           input.sizes[0], " doesn't match hidden batch size ", hx.sizes[0]);
  RL_CHECK((w_ih.sizes == Dims{gates * hidden, input.size(-1)}), Runtime, name, ": input has size ",
           input.size(-1), " and hidden state ", hidden, ", got input weight of shape ",
           w_ih.sizes);
  RL_CHECK((w_hh.sizes == Dims{gates * hidden, hidden}), Runtime, name, ": hidden state has size ",
           hidden, ", got hidden weight of shape ", w_hh.sizes);
  for (const TensorMeta* b : {b_ih, b_hh})
    RL_CHECK(!b || b->sizes == Dims{gates * hidden}, Runtime, name, ": expected bias of shape [",
             gates * hidden, "], got ", b->sizes);
  h.set(input.dtype, hx.sizes);
}

}  // namespace

void lstm(const TensorMeta& input, TensorList hx, TensorList params, bool has_biases,
          int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first,
          TensorMeta& out, TensorMeta& h, TensorMeta& c) {
  RL_CHECK(hx.size() == 2, Runtime, "lstm: expects two hidden states, got ", hx.size());
  network("lstm", 4, input, *hx[0], hx[1], params, has_biases, num_layers, dropout, train,
          bidirectional, batch_first, out, h);
  c.set(input.dtype, hx[1]->sizes);
}

#define RL_RNN(name, gates)                                                                       \
  void name(const TensorMeta& input, const TensorMeta& hx, TensorList params, bool has_biases,    \
            int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first, \
            TensorMeta& out, TensorMeta& h) {                                                     \
    network(#name, gates, input, hx, nullptr, params, has_biases, num_layers, dropout, train,     \
            bidirectional, batch_first, out, h);                                                  \
  }                                                                                               \
  void name##_cell(const TensorMeta& input, const TensorMeta& hx, const TensorMeta& w_ih,         \
                   const TensorMeta& w_hh, const TensorMeta* b_ih, const TensorMeta* b_hh,        \
                   TensorMeta& out) {                                                             \
    cell(#name "_cell", gates, input, hx, w_ih, w_hh, b_ih, b_hh, out);                           \
  }
RL_RNN(gru, 3)
RL_RNN(rnn_tanh, 1)
RL_RNN(rnn_relu, 1)
#undef RL_RNN

void lstm_cell(const TensorMeta& input, TensorList hx, const TensorMeta& w_ih,
               const TensorMeta& w_hh, const TensorMeta* b_ih, const TensorMeta* b_hh,
               TensorMeta& h, TensorMeta& c) {
  RL_CHECK(hx.size() == 2, Runtime, "lstm_cell: expects two hidden states, got ", hx.size());
  RL_CHECK(hx[0]->sizes == hx[1]->sizes, Runtime,
           "lstm_cell: expected hidden and cell state of one shape, got ", hx[0]->sizes, " and ",
           hx[1]->sizes);
  cell("lstm_cell", 4, input, *hx[0], w_ih, w_hh, b_ih, b_hh, h);
  c.set(input.dtype, h.sizes);
}

// Packed: the rows of all samples under one another.
namespace {

void packed(const TensorMeta& data, const TensorMeta& hx, bool bidirectional, TensorMeta& out,
            TensorMeta& h) {
  RL_CHECK(data.rank() == 2 && hx.rank() == 3, Runtime,
           "packed sequence: expected 2D data and 3D hidden state, got shapes ", data.sizes,
           " and ", hx.sizes);
  out.set(data.dtype, Dims{data.sizes[0], hx.sizes[2] * (bidirectional ? 2 : 1)});
  h.set(data.dtype, hx.sizes);
}

}  // namespace

void rnn_packed(const TensorMeta& data, const TensorMeta&, TensorList hx, TensorList, bool, int64_t,
                double, bool, bool bidirectional, TensorMeta& out, TensorMeta& h, TensorMeta& c) {
  RL_CHECK(hx.size() == 2, Runtime, "lstm: expects two hidden states, got ", hx.size());
  packed(data, *hx[0], bidirectional, out, h);
  c.set(data.dtype, hx[1]->sizes);
}
void rnn_packed(const TensorMeta& data, const TensorMeta&, const TensorMeta& hx, TensorList, bool,
                int64_t, double, bool, bool bidirectional, TensorMeta& out, TensorMeta& h) {
  packed(data, hx, bidirectional, out, h);
}

}  // namespace rushlight::shape
