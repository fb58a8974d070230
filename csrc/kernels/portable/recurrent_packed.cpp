// Recurrent networks over packed sequences: `data` holds, time step after time step, the rows of
// the samples that are that long; samples are sorted by length, the longest first.
#include "kernels/portable/call.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

// Where the rows of each time step begin, and how many samples it has.
struct Packing {
  std::vector<int64_t> begin, samples;
  explicit Packing(const Tensor& batch_sizes) {
    const Tensor sizes = as_int64(batch_sizes);
    int64_t at = 0;
    for (int64_t t = 0; t < sizes.numel(); ++t) {
      const int64_t n = sizes.data<int64_t>()[t];
      RL_CHECK(n > 0 && (samples.empty() || n <= samples.back()), Runtime,
               "packed sequence: batch_sizes must be positive and never grow, found ", n,
               " at step ", t);
      begin.push_back(at);
      samples.push_back(n);
      at += n;
    }
    total = at;
  }
  int64_t total = 0;
  int64_t batch() const { return samples.empty() ? 0 : samples[0]; }
  int64_t length(int64_t sample) const {
    int64_t steps = 0;
    while (steps < static_cast<int64_t>(samples.size()) && samples[steps] > sample) ++steps;
    return steps;
  }
};

struct Network {
  std::string_view op;  // the padded form
  TensorList params;
  bool has_biases;
  int64_t layers;
  double dropout;
  bool train, bidirectional;
};

// Samples of one length run together, as a padded batch without padding.
void run(const Network& net, const Tensor& data, const Tensor& batch_sizes, TensorList states,
         Tensor& out, const std::vector<Tensor*>& finals) {
  const Packing packing(batch_sizes);
  RL_CHECK(packing.total == data.sizes[0] && packing.batch() == states[0]->sizes[1], Runtime,
           net.op, ": batch_sizes describe ", packing.total, " rows of ", packing.batch(),
           " samples, got data of shape ", data.sizes, " and states of shape ", states[0]->sizes);
  const Tensor rows = data.contiguous();
  for (int64_t first = 0, last; first < packing.batch(); first = last) {
    const int64_t steps = packing.length(first), width = data.sizes[1];
    for (last = first + 1; last < packing.batch() && packing.length(last) == steps;) ++last;
    const int64_t count = last - first;
    Tensor x = Tensor::empty(Dims{steps, count, width}, data.dtype);
    const auto step_of = [&](const Tensor& packed, int64_t t) {
      return narrowed(packed, 0, packing.begin[t] + first, count);
    };
    for (int64_t t = 0; t < steps; ++t) copy_strided(step_of(rows, t), call("select.int", x, 0, t));
    std::vector<Tensor> mine;
    for (const Tensor* s : states) mine.push_back(narrowed(*s, 1, first, count).contiguous());
    std::vector<const Tensor*> pointers, params(net.params.begin(), net.params.end());
    for (const Tensor& s : mine) pointers.push_back(&s);
    const Argument hx = mine.size() == 2 ? Argument(pointers) : Argument(pointers[0]);
    const std::vector<Tensor> results = call_all(net.op, x, hx, params, net.has_biases, net.layers,
                                                 net.dropout, net.train, net.bidirectional, false);
    for (int64_t t = 0; t < steps; ++t)
      copy_strided(call("select.int", results[0], 0, t), step_of(out, t));
    for (size_t i = 0; i < finals.size(); ++i)
      copy_strided(results[i + 1], narrowed(*finals[i], 1, first, count));
  }
}

}  // namespace

void lstm_packed(const Tensor& data, const Tensor& batch_sizes, TensorList hx, TensorList params,
                 bool has_biases, int64_t num_layers, double dropout, bool train,
                 bool bidirectional, Tensor& out, Tensor& h, Tensor& c) {
  run({"lstm.input", params, has_biases, num_layers, dropout, train, bidirectional}, data,
      batch_sizes, hx, out, {&h, &c});
}

#define RL_PACKED(name)                                                                        \
  void name##_packed(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,          \
                     TensorList params, bool has_biases, int64_t num_layers, double dropout,   \
                     bool train, bool bidirectional, Tensor& out, Tensor& h) {                 \
    const Tensor* states[] = {&hx};                                                            \
    run({#name ".input", params, has_biases, num_layers, dropout, train, bidirectional}, data, \
        batch_sizes, states, out, {&h});                                                       \
  }
RL_PACKED(gru)
RL_PACKED(rnn_tanh)
RL_PACKED(rnn_relu)
#undef RL_PACKED

void pack_padded_sequence(const Tensor& input, const Tensor& lengths, bool batch_first,
                          Tensor& data, Tensor& batch_sizes) {
  RL_CHECK(input.rank() >= 2, Runtime, "pack_padded_sequence: expected a batch of sequences, got ",
           input.sizes);
  const Tensor x = batch_first ? call("transpose.int", input, 0, 1) : input;
  const Tensor given = as_int64(lengths);
  const int64_t* n = given.data<int64_t>();
  const int64_t batch = x.sizes[1];
  RL_CHECK(given.rank() == 1 && given.numel() == batch, Runtime, "Expected `len(lengths)` to be ",
           "equal to batch_size, but got ", given.numel(), " (batch_size=", batch, ")");
  for (int64_t b = 0; b < batch; ++b) {
    RL_CHECK(n[b] > 0, Runtime,
             "Length of all samples has to be greater than 0, but found an "
             "element in 'lengths' that is <= 0");
    RL_CHECK(
        b == 0 || n[b] <= n[b - 1], Runtime,
        "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
        "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
        "sidestep this requirement if you do not need ONNX exportability.");
  }
  RL_CHECK(batch > 0 && n[0] <= x.sizes[0], Runtime, "Expected lengths up to ", x.sizes[0],
           " steps, got ", batch > 0 ? n[0] : 0);
  batch_sizes = Tensor::empty(Dims{n[0]}, DType::Int64);
  Dims sizes(IntList(x.sizes).subspan(1));
  sizes[0] = 0;
  for (int64_t b = 0; b < batch; ++b) sizes[0] += n[b];
  data = Tensor::empty(sizes, x.dtype);
  int64_t samples = batch, at = 0;
  for (int64_t t = 0; t < n[0]; ++t) {
    while (n[samples - 1] <= t) --samples;
    batch_sizes.data<int64_t>()[t] = samples;
    copy_strided(narrowed(call("select.int", x, 0, t), 0, 0, samples),
                 narrowed(data, 0, at, samples));
    at += samples;
  }
}

void pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes, bool batch_first,
                         Scalar padding, int64_t total_length, Tensor& out, Tensor& lengths) {
  const Packing packing(batch_sizes);
  const auto steps = static_cast<int64_t>(packing.samples.size());
  RL_CHECK(packing.total == data.sizes[0], Runtime, "pad_packed_sequence: batch_sizes describe ",
           packing.total, " rows, got data of shape ", data.sizes);
  RL_CHECK(total_length <= 0 || total_length >= steps, Runtime, "Expected total_length to be at ",
           "least the length of the longest sequence in input, but got total_length=", total_length,
           " and max sequence length being ", steps);
  Dims sizes(IntList(data.sizes).subspan(1));
  sizes.insert(0, packing.batch());
  sizes.insert(0, std::max(total_length, steps));
  Tensor padded = call("full", IntList(sizes), padding, data.dtype);
  for (int64_t t = 0; t < steps; ++t)
    copy_strided(narrowed(data, 0, packing.begin[t], packing.samples[t]),
                 narrowed(call("select.int", padded, 0, t), 0, 0, packing.samples[t]));
  out = batch_first ? call("transpose.int", padded, 0, 1) : padded;
  lengths = Tensor::empty(Dims{packing.batch()}, DType::Int64);
  for (int64_t b = 0; b < packing.batch(); ++b) lengths.data<int64_t>()[b] = packing.length(b);
}

}  // namespace rushlight::kernels::portable
