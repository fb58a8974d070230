// Losses with margins, and connectionist temporal classification.
#include <cmath>

#include "kernels/compute.h"
#include "kernels/loss_reduction.h"
#include "kernels/portable/call.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

Tensor reduced(const Tensor& losses, int64_t reduction) {
  if (reduction == kNone) return losses;
  return reduction == kMean ? call("mean", losses) : call("sum", losses);
}

// One loss per row of a [rows, classes] input, or their mean or sum.
template <class T>
void store_rows(const std::vector<double>& losses, int64_t reduction, Tensor& out) {
  Result<T> y(out);
  if (reduction == kNone) {
    std::copy(losses.begin(), losses.end(), y.data());
  } else {
    double total = 0;
    for (double v : losses) total += v;
    y.data()[0] =
        static_cast<T>(reduction == kMean ? total / static_cast<double>(losses.size()) : total);
  }
  y.store();
}

int64_t check_class(const char* name, int64_t target, int64_t classes) {
  RL_CHECK(target >= 0 && target < classes, Runtime, name, ": target out of range: ", target,
           " for ", classes, " classes");
  return target;
}

// log(exp(a) + exp(b)) for logarithms that may be minus infinity.
double log_add(double a, double b) {
  const double high = std::max(a, b);
  return std::isinf(high) && high < 0 ? high : high + std::log1p(std::exp(std::min(a, b) - high));
}

// Minus the log probability of one label sequence: the forward recursion over labels with blanks
// between them (Graves et al.: "Connectionist Temporal Classification", ICML 2006, section 4.1).
// `alpha` receives log probabilities of prefixes, [time, 2 labels + 1] with `step` columns.
template <class T>
double forward_recursion(const T* log_probs, int64_t time_step, int64_t times,
                         const int64_t* labels, int64_t count, int64_t blank, T* alpha,
                         int64_t step) {
  const int64_t states = 2 * count + 1;
  const auto label = [&](int64_t s) { return s % 2 == 0 ? blank : labels[s / 2]; };
  std::vector<double> previous(static_cast<size_t>(states), -INFINITY), now(previous);
  for (int64_t t = 0; t < times; ++t) {
    for (int64_t s = 0; s < states; ++s) {
      double reach = -INFINITY;
      if (t == 0) {
        reach = s < 2 ? 0 : -INFINITY;
      } else {
        reach = previous[s];
        if (s > 0) reach = log_add(reach, previous[s - 1]);
        if (s > 1 && label(s) != blank && label(s) != label(s - 2))
          reach = log_add(reach, previous[s - 2]);
      }
      now[s] = reach + static_cast<double>(log_probs[t * time_step + label(s)]);
      alpha[t * step + s] = static_cast<T>(now[s]);
    }
    std::swap(now, previous);
  }
  if (times == 0) return count == 0 ? 0 : INFINITY;
  const double last = previous[states - 1];
  return -(states > 1 ? log_add(last, previous[states - 2]) : last);
}

}  // namespace

void margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                         double margin, int64_t reduction, Tensor& out) {
  const Tensor gap = call("mul.Tensor", call("neg", target), call("sub.Tensor", input1, input2));
  const Tensor loss = call("clamp_min", call("add.Scalar", gap, Scalar(margin)), Scalar(0));
  give(reduced(loss, reduction), out);
}

void triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                         double margin, double p, double eps, bool swap, int64_t reduction,
                         Tensor& out) {
  const Tensor near = call("pairwise_distance", anchor, positive, p, eps);
  Tensor far = call("pairwise_distance", anchor, negative, p, eps);
  if (swap) far = call("minimum", far, call("pairwise_distance", positive, negative, p, eps));
  const Tensor gap = call("add.Scalar", call("sub.Tensor", near, far), Scalar(margin));
  give(reduced(call("clamp_min", gap, Scalar(0)), reduction), out);
}

void cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin, int64_t reduction, Tensor& out) {
  // PyTorch's epsilon stands under the root, one for each norm.
  const auto dot = [&](const Tensor& a, const Tensor& b) {
    return call("sum.dim_IntList", call("mul.Tensor", a, b), Dims{-1});
  };
  const Scalar eps(1e-12);
  const Tensor a = call("add.Scalar", dot(input1, input1), eps);
  const Tensor b = call("add.Scalar", dot(input2, input2), eps);
  const Tensor cosine =
      call("div.Tensor", dot(input1, input2), call("sqrt", call("mul.Tensor", a, b)));
  const Tensor zeros = call("zeros_like", cosine);
  const Tensor same = call("rsub.Scalar", cosine, Scalar(1));
  const Tensor other = call("clamp_min", call("sub.Scalar", cosine, Scalar(margin)), Scalar(0));
  const Tensor positive = call("where.self", call("eq.Scalar", target, Scalar(1)), same, zeros);
  const Tensor negative = call("where.self", call("eq.Scalar", target, Scalar(-1)), other, zeros);
  give(reduced(call("add.Tensor", positive, negative), reduction), out);
}

void multi_margin_loss(const Tensor& self, const Tensor& target, Scalar p, Scalar margin,
                       const Tensor* weight, int64_t reduction, Tensor& out) {
  const int64_t classes = self.rank() == 0 ? 1 : self.sizes.back();
  const int64_t rows = self.numel() / std::max<int64_t>(classes, 1);
  const Tensor labels = as_int64(target);
  const bool squares = p.to_double() == 2;
  dispatch_float(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Tensor x = contiguous_as(self, dtype_of<T>::value);
    const Parameter<T> w(weight);
    std::vector<double> losses(static_cast<size_t>(rows));
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t y = check_class("multi_margin_loss", labels.data<int64_t>()[r], classes);
      const T* row = x.data<T>() + r * classes;
      for (int64_t c = 0; c < classes; ++c) {
        const double gap = margin.to_double() - row[y] + row[c];
        if (c == y || !(gap > 0)) continue;
        const double loss = squares ? gap * gap : gap;
        losses[r] += w.data() ? loss * w.data()[y] : loss;
      }
      losses[r] /= static_cast<double>(classes);
    }
    store_rows<T>(losses, reduction, out);
  });
}

void multilabel_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction,
                            Tensor& out, Tensor& is_target) {
  const int64_t classes = self.rank() == 0 ? 1 : self.sizes.back();
  const int64_t rows = self.numel() / std::max<int64_t>(classes, 1);
  const Tensor labels = as_int64(target);
  dispatch_float(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Tensor x = contiguous_as(self, dtype_of<T>::value);
    Result<T> flags(is_target);
    std::fill_n(flags.data(), self.numel(), T(0));
    std::vector<double> losses(static_cast<size_t>(rows));
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t* wanted = labels.data<int64_t>() + r * classes;
      const T* row = x.data<T>() + r * classes;
      T* mine = flags.data() + r * classes;
      // The labels end at the first negative one.
      int64_t count = 0;
      for (; count < classes && wanted[count] >= 0; ++count)
        mine[check_class("multilabel_margin_loss", wanted[count], classes)] = 1;
      for (int64_t k = 0; k < count; ++k)
        for (int64_t c = 0; c < classes; ++c)
          if (mine[c] == 0) losses[r] += std::max(0.0, 1.0 - row[wanted[k]] + row[c]);
      losses[r] /= static_cast<double>(classes);
    }
    flags.store();
    store_rows<T>(losses, reduction, out);
  });
}
void multilabel_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction,
                            Tensor& out) {
  copy_strided(call("multilabel_margin_loss_forward", self, target, reduction), out);
}

void ctc_loss(const Tensor& log_probs, const Tensor& targets, IntList input_lengths,
              IntList target_lengths, int64_t blank, bool, Tensor& loss, Tensor& alpha) {
  const int64_t batch = log_probs.sizes[1], classes = log_probs.sizes[2];
  const Tensor labels = as_int64(targets);
  dispatch_float(log_probs.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Tensor p = contiguous_as(log_probs, dtype_of<T>::value);
    Result<T> y(loss), a(alpha);
    const int64_t step = alpha.sizes[2], size = alpha.sizes[1] * step;
    std::fill_n(a.data(), alpha.numel(), -std::numeric_limits<T>::infinity());
    int64_t begin = 0;
    for (int64_t b = 0; b < batch; ++b) {
      const int64_t at = targets.rank() == 2 ? b * targets.sizes[1] : begin;
      begin += target_lengths[b];
      for (int64_t k = 0; k < target_lengths[b]; ++k)
        check_class("ctc_loss", labels.data<int64_t>()[at + k], classes);
      y.data()[b] = static_cast<T>(forward_recursion(
          p.data<T>() + b * classes, batch * classes, input_lengths[b], labels.data<int64_t>() + at,
          target_lengths[b], blank, a.data() + b * size, step));
    }
    y.store();
    a.store();
  });
}
void ctc_loss(const Tensor& log_probs, const Tensor& targets, IntList input_lengths,
              IntList target_lengths, int64_t blank, int64_t reduction, bool zero_infinity,
              Tensor& out) {
  Tensor loss = call("_ctc_loss", log_probs, targets, input_lengths, target_lengths, blank);
  if (zero_infinity) loss = call("where.self", call("isinf", loss), call("zeros_like", loss), loss);
  if (reduction == kMean) {
    Dims lengths(target_lengths);
    for (int64_t& n : lengths) n = std::max<int64_t>(n, 1);
    Tensor divisor = Tensor::empty(Dims{static_cast<int64_t>(lengths.size())}, DType::Int64);
    std::copy(lengths.begin(), lengths.end(), divisor.data<int64_t>());
    loss = call("div.Tensor", loss, divisor);
  }
  copy_strided(call("reshape", reduced(loss, reduction), IntList(out.sizes)), out);
}

}  // namespace rushlight::kernels::portable
