// Shape rules of losses with margins and of ctc_loss.
#include "ir/shape/generated.h"
#include "kernels/loss_reduction.h"

namespace rushlight::shape {
namespace {

void check_float(const char* name, const TensorMeta& t) {
  RL_CHECK(is_floating(t.dtype), NotImplemented, name, " is not implemented for ",
           dtype_name(t.dtype));
}
void finish(int64_t reduction, DType dtype, IntList sizes, TensorMeta& out) {
  out.set(dtype, reduction == kNone ? sizes : IntList{});
}
// Rows of class scores and what belongs to each row.
int64_t rows(const char* name, const TensorMeta& self) {
  check_float(name, self);
  RL_CHECK(self.rank() <= 2 && self.numel() + (self.rank() == 2 && self.sizes[0] == 0) > 0, Runtime,
           name, ": Expected non-empty vector or matrix with optional 0-dim batch size, ",
           "but got: ", self.sizes);
  return self.rank() == 2 ? self.sizes[0] : 1;
}

}  // namespace

void margin_ranking_loss(const TensorMeta& input1, const TensorMeta& input2,
                         const TensorMeta& target, double, int64_t reduction, TensorMeta& out) {
  RL_CHECK(input1.rank() == input2.rank() && input1.rank() == target.rank(), Runtime,
           "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
           "input1: ",
           input1.sizes, ", input2: ", input2.sizes, ", target: ", target.sizes);
  finish(reduction, out.dtype, broadcast(broadcast(input1.sizes, input2.sizes), target.sizes), out);
}

void triplet_margin_loss(const TensorMeta& anchor, const TensorMeta& positive,
                         const TensorMeta& negative, double margin, double, double, bool,
                         int64_t reduction, TensorMeta& out) {
  RL_CHECK(anchor.rank() == positive.rank() && anchor.rank() == negative.rank(), Runtime,
           "The anchor, positive, and negative tensors are expected to have the same number of "
           "dimensions, but got: anchor ",
           anchor.rank(), "D, positive ", positive.rank(), "D, and negative ", negative.rank(),
           "D inputs");
  RL_CHECK(margin > 0, Value, "margin must be greater than 0");
  RL_CHECK(is_floating(out.dtype) || is_complex(out.dtype), Runtime,
           "triplet_margin_loss: expected a floating point dtype, got ", dtype_name(out.dtype));
  out.dtype = real_type(out.dtype);
  Dims sizes = broadcast(broadcast(anchor.sizes, positive.sizes), negative.sizes);
  if (!sizes.empty()) sizes.erase(sizes.size() - 1);
  finish(reduction, out.dtype, sizes, out);
}

void cosine_embedding_loss(const TensorMeta& input1, const TensorMeta& input2,
                           const TensorMeta& target, double, int64_t reduction, TensorMeta& out) {
  RL_CHECK(target.rank() <= 1, Runtime,
           "0D or 1D target tensor expected, multi-target not supported");
  RL_CHECK(target.rank() == 0 ? input1.rank() == 1 && input2.rank() == 1
                              : input1.rank() == 2 && input2.rank() == 2,
           Runtime, target.rank(), "D target tensor expects ", target.rank() + 1,
           "D input tensors, but found inputs with sizes ", input1.sizes, " and ", input2.sizes,
           ".");
  const DType dtype = rules::to_float(promote_types(input1.dtype, input2.dtype));
  Dims sizes = broadcast(input1.sizes, input2.sizes);
  sizes.erase(sizes.size() - 1);
  finish(reduction, dtype, broadcast(sizes, target.sizes), out);
}

void multi_margin_loss(const TensorMeta& self, const TensorMeta& target, Scalar p, Scalar,
                       const TensorMeta* weight, int64_t reduction, TensorMeta& out) {
  const int64_t n = rows("multi_margin_loss", self);
  const int64_t classes = self.rank() == 0 ? 1 : self.sizes.back();
  RL_CHECK(p.to_double() == 1 || p.to_double() == 2, Runtime, "only p == 1 and p == 2 supported");
  RL_CHECK(target.rank() <= 1 && target.numel() == n, Runtime,
           "inconsistent target size, expected ", n, " but got ", target.sizes);
  RL_CHECK(!weight || (weight->rank() <= 1 && weight->numel() == classes), Runtime,
           "inconsistent weight size, expected ", classes);
  finish(reduction, self.dtype, target.sizes, out);
}
void multilabel_margin_loss(const TensorMeta& self, const TensorMeta& target, int64_t reduction,
                            TensorMeta& out) {
  rows("multilabel_margin_loss", self);
  RL_CHECK(target.numel() == self.numel() && (self.rank() != 2 || target.sizes == self.sizes),
           Runtime, "inconsistent target size: ", target.sizes, " for input of size: ", self.sizes);
  finish(reduction, self.dtype, self.rank() == 2 ? Dims{self.sizes[0]} : Dims{}, out);
}
void multilabel_margin_loss(const TensorMeta& self, const TensorMeta& target, int64_t reduction,
                            TensorMeta& out, TensorMeta& is_target) {
  multilabel_margin_loss(self, target, reduction, out);
  is_target.set(self.dtype, target.sizes);
}

void ctc_loss(const TensorMeta& log_probs, const TensorMeta& targets, IntList input_lengths,
              IntList target_lengths, int64_t blank, bool, TensorMeta& loss, TensorMeta& alpha) {
  RL_CHECK(log_probs.rank() == 3 && is_floating(log_probs.dtype), Runtime,
           "ctc_loss: expected log_probs of shape [time, batch, classes], got ",
           describe(log_probs));
  const int64_t time = log_probs.sizes[0], batch = log_probs.sizes[1];
  RL_CHECK(blank >= 0 && blank < log_probs.sizes[2], Runtime, "blank must be in label range");
  RL_CHECK(static_cast<int64_t>(input_lengths.size()) == batch &&
               static_cast<int64_t>(target_lengths.size()) == batch,
           Runtime, "input_lengths and target_lengths must be of size batch_size, got ",
           input_lengths.size(), " and ", target_lengths.size());
  int64_t longest = 0, total = 0;
  for (size_t b = 0; b < target_lengths.size(); ++b) {
    RL_CHECK(target_lengths[b] >= 0, Runtime,
             "Expected target_lengths to have value at least 0, got ", target_lengths[b]);
    RL_CHECK(input_lengths[b] >= 0 && input_lengths[b] <= time, Runtime,
             "Expected input_lengths to have value at most ", time, ", but got value ",
             input_lengths[b]);
    longest = std::max(longest, target_lengths[b]);
    total += target_lengths[b];
  }
  RL_CHECK(targets.rank() == 1   ? targets.numel() == total
           : targets.rank() == 2 ? targets.sizes[0] == batch && targets.sizes[1] >= longest
                                 : false,
           Runtime, "ctc_loss: targets of shape ", targets.sizes, " do not fit lengths ",
           Dims(target_lengths));
  loss.set(log_probs.dtype, Dims{batch});
  alpha.set(log_probs.dtype, Dims{batch, time, 2 * longest + 1});
}
void ctc_loss(const TensorMeta& log_probs, const TensorMeta& targets, IntList input_lengths,
              IntList target_lengths, int64_t blank, int64_t reduction, bool zero_infinity,
              TensorMeta& out) {
  const bool batched = log_probs.rank() == 3;
  TensorMeta loss, alpha, three = log_probs, two = targets;
  RL_CHECK(batched, NotImplemented, "ctc_loss: expected log_probs of rank 3, got ",
           log_probs.sizes);
  ctc_loss(three, two, input_lengths, target_lengths, blank, zero_infinity, loss, alpha);
  finish(reduction, loss.dtype, loss.sizes, out);
}

}  // namespace rushlight::shape
