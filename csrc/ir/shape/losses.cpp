// Shape rules of losses: one number, or with reduction 0 one for every element.
#include "ir/shape/generated.h"
#include "kernels/loss_reduction.h"

namespace rushlight::shape {
namespace {

void check_reduction(int64_t reduction) {
  RL_CHECK(reduction >= kNone && reduction <= kSum, Value,
           "reduction must be 0 (none), 1 (mean) or "
           "2 (sum), got ",
           reduction);
}

void elementwise(const char* name, const TensorMeta& self, const TensorMeta& target,
                 int64_t reduction, TensorMeta& out) {
  check_reduction(reduction);
  RL_CHECK(is_floating(out.dtype), NotImplemented, name, " is not implemented for ",
           dtype_name(out.dtype));
  const Dims sizes = broadcast(self.sizes, target.sizes);
  out.set(out.dtype, reduction == kNone ? sizes : Dims());
}

void same_sizes(const char* name, const char* what, const TensorMeta& self, const TensorMeta& t) {
  RL_CHECK(self.sizes == t.sizes, Value, name, ": expected ", what, " of the input's shape ",
           self.sizes, ", got ", t.sizes);
}

void check_broadcasts(const char* name, const char* what, const TensorMeta* w,
                      const TensorMeta& self) {
  RL_CHECK(!w || broadcast(w->sizes, self.sizes) == self.sizes, Runtime, name, ": ", what,
           " of shape ", w->sizes, " cannot be broadcast to the input's shape ", self.sizes);
}

// Input is [C], [N, C] or [N, C, …]. PyTorch's error for a target of another shape is a ValueError
// in the operators that take any rank, else a RuntimeError.
void classes(const char* name, const TensorMeta& self, const TensorMeta& target,
             const TensorMeta* weight, int64_t reduction, ErrorKind kind, TensorMeta& out) {
  check_reduction(reduction);
  RL_CHECK(is_floating(self.dtype), NotImplemented, name, " is not implemented for ",
           dtype_name(self.dtype));
  RL_CHECK(self.rank() >= 1, Runtime, name, ": expected input of at least 1 dimension, got shape ",
           self.sizes);
  const size_t c = self.rank() == 1 ? 0 : 1;
  Dims sizes = self.sizes;
  sizes.erase(c);
  if (target.sizes != sizes)
    throw Error(kind, detail::concat(name, ": expected target of shape ", sizes,
                                     " for input of shape ", self.sizes, ", got ", target.sizes));
  RL_CHECK(target.dtype == DType::Int64 || target.dtype == DType::UInt8, Runtime, name,
           ": expected target of dtype int64 or uint8, got ", dtype_name(target.dtype));
  RL_CHECK(!weight || (weight->rank() == 1 && weight->sizes[0] == self.sizes[c]), Runtime, name,
           ": expected weight with one element for each of ", self.sizes[c], " classes");
  out.set(self.dtype, reduction == kNone ? sizes : Dims());
}

}  // namespace

void loss(const TensorMeta& self, const TensorMeta& target, int64_t reduction, TensorMeta& out) {
  elementwise("loss", self, target, reduction, out);
}
void loss(const TensorMeta& self, const TensorMeta& target, double, int64_t reduction,
          TensorMeta& out) {
  elementwise("hinge_embedding_loss", self, target, reduction, out);
}
void loss(const TensorMeta& self, const TensorMeta& target, bool, bool, double, int64_t reduction,
          TensorMeta& out) {
  elementwise("poisson_nll_loss", self, target, reduction, out);
}
void smooth_l1_loss(const TensorMeta& self, const TensorMeta& target, int64_t reduction,
                    double beta, TensorMeta& out) {
  RL_CHECK(beta >= 0, Runtime, "smooth_l1_loss does not support negative values for beta, got ",
           beta);
  elementwise("smooth_l1_loss", self, target, reduction, out);
}
void huber_loss(const TensorMeta& self, const TensorMeta& target, int64_t reduction, double delta,
                TensorMeta& out) {
  RL_CHECK(delta > 0, Runtime, "huber_loss does not support non-positive values for delta, got ",
           delta);
  elementwise("huber_loss", self, target, reduction, out);
}
void kl_div(const TensorMeta& self, const TensorMeta& target, int64_t reduction, bool,
            TensorMeta& out) {
  elementwise("kl_div", self, target, reduction, out);
}
void binary_cross_entropy(const TensorMeta& self, const TensorMeta& target,
                          const TensorMeta* weight, int64_t reduction, TensorMeta& out) {
  same_sizes("binary_cross_entropy", "target", self, target);
  check_broadcasts("binary_cross_entropy", "weight", weight, self);
  elementwise("binary_cross_entropy", self, target, reduction, out);
}
void binary_cross_entropy(const TensorMeta& self, const TensorMeta& target,
                          const TensorMeta* weight, const TensorMeta* pos_weight, int64_t reduction,
                          TensorMeta& out) {
  same_sizes("binary_cross_entropy_with_logits", "target", self, target);
  check_broadcasts("binary_cross_entropy_with_logits", "weight", weight, self);
  check_broadcasts("binary_cross_entropy_with_logits", "pos_weight", pos_weight, self);
  elementwise("binary_cross_entropy_with_logits", self, target, reduction, out);
}

void nll_loss(const TensorMeta& self, const TensorMeta& target, const TensorMeta* weight,
              int64_t reduction, int64_t, TensorMeta& out) {
  classes("nll_loss", self, target, weight, reduction, ErrorKind::Runtime, out);
}
void nll_loss(const TensorMeta& self, const TensorMeta& target, const TensorMeta* weight,
              int64_t reduction, int64_t, TensorMeta& out, TensorMeta& total_weight) {
  classes("nll_loss", self, target, weight, reduction, ErrorKind::Runtime, out);
  total_weight.set(self.dtype, {});
}
void nll_loss_nd(const TensorMeta& self, const TensorMeta& target, const TensorMeta* weight,
                 int64_t reduction, int64_t, TensorMeta& out) {
  classes("nll_loss_nd", self, target, weight, reduction, ErrorKind::Value, out);
}
void cross_entropy_loss(const TensorMeta& self, const TensorMeta& target, const TensorMeta* weight,
                        int64_t reduction, int64_t, double label_smoothing, TensorMeta& out) {
  RL_CHECK(label_smoothing >= 0 && label_smoothing <= 1, Runtime,
           "cross_entropy_loss: label_smoothing must be between 0 and 1, got ", label_smoothing);
  if (!is_floating(target.dtype))
    return classes("cross_entropy_loss", self, target, weight, reduction, ErrorKind::Value, out);
  check_reduction(reduction);
  RL_CHECK(self.sizes == target.sizes, Runtime,
           "cross_entropy_loss: expected probabilities of the input's shape ", self.sizes, ", got ",
           target.sizes);
  Dims sizes = self.sizes;
  sizes.erase(self.rank() == 1 ? 0 : 1);
  out.set(self.dtype, reduction == kNone ? sizes : Dims());
}

}  // namespace rushlight::shape
