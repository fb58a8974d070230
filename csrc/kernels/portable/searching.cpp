// Searching sorted values, counting and finding distinct ones.
#include <cmath>
#include <numeric>

#include "ir/shape/rules.h"
#include "kernels/kernel.h"
#include "kernels/portable/call.h"
#include "kernels/portable/fill.h"
#include "kernels/portable/order.h"

namespace rushlight::kernels::portable {
namespace {

Tensor converted(const Tensor& t, DType dtype) {
  if (t.dtype == dtype) return t.contiguous();
  Tensor out = Tensor::empty(t.sizes, dtype);
  copy_strided(t, out);
  return out;
}

// First position in `row` whose value is not less than (right: greater than) `v`.
template <class T>
int64_t bound(const T* row, const int64_t* order, int64_t n, T v, bool right) {
  int64_t first = 0, last = n;
  while (first < last) {
    const int64_t mid = first + (last - first) / 2;
    const T at = row[order ? order[mid] : mid];
    if (right ? !less(v, at) : less(at, v))
      first = mid + 1;
    else
      last = mid;
  }
  return first;
}

void search(const Tensor& sequence, const Tensor& values, const Tensor* sorter, bool right,
            Tensor& out) {
  if (out.numel() == 0) return;
  const Argument a = &sequence, b = &values;
  const Argument* both[] = {&a, &b};
  const DType common = result_type(both);
  const Tensor rows = converted(sequence, common), input = converted(values, common);
  const Tensor order = sorter ? sorter->contiguous() : Tensor();
  const int64_t n = sequence.sizes.back();
  const int64_t per_row =
      sequence.rank() > 1 ? values.sizes.back() : std::max<int64_t>(1, values.numel());
  if (order.defined())
    for (int64_t i = 0; i < order.numel(); ++i)
      RL_CHECK(order.data<int64_t>()[i] >= 0 && order.data<int64_t>()[i] < n, Index,
               "torch.searchsorted(): sorter index out of range");
  Tensor found = out.dtype == DType::Int64 ? out : Tensor::empty(out.sizes, DType::Int64);
  dispatch_real(common, [&](auto zero) {
    using T = decltype(zero);
    cpu::parallel_for(0, input.numel(), 1024, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t row = sequence.rank() > 1 ? i / per_row * n : 0;
        found.data<int64_t>()[i] =
            bound(rows.data<T>() + row, order.defined() ? order.data<int64_t>() + row : nullptr, n,
                  input.data<T>()[i], right);
      }
    });
  });
  if (found.raw() != out.raw()) copy_strided(found, out);
}

Tensor number(const Scalar& value, const Tensor& like) {
  const bool widen = value.is_float() && !is_floating(like.dtype);
  Tensor one = Tensor::empty({}, widen ? DType::Float32 : like.dtype);
  fill_dense(one, value);
  return one;
}

bool right_side(bool right, std::optional<std::string_view> side) {
  return right || side.value_or("left") == "right";
}

// Positions of `values` in ascending order of value.
template <class T>
std::vector<int64_t> sorted_positions(const T* values, int64_t n) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return less(values[a], values[b]); });
  return order;
}

// Groups of equal neighbours in `order`: the distinct values, each element's group, each group's
// size. NaN equals nothing.
template <class T>
void group(const Tensor& input, const std::vector<int64_t>& order, Tensor& values, Tensor& inverse,
           Tensor& counts) {
  const T* data = input.data<T>();
  const auto n = static_cast<int64_t>(order.size());
  std::vector<T> distinct;
  std::vector<int64_t> sizes;
  inverse = Tensor::empty(input.sizes, DType::Int64);
  for (int64_t i = 0; i < n; ++i) {
    const T v = data[order[i]];
    using C = Comparable<T>;
    if (i == 0 || static_cast<C>(v) != static_cast<C>(data[order[i - 1]])) {
      distinct.push_back(v);
      sizes.push_back(0);
    }
    ++sizes.back();
    inverse.data<int64_t>()[order[i]] = static_cast<int64_t>(distinct.size()) - 1;
  }
  const auto groups = static_cast<int64_t>(distinct.size());
  values = Tensor::empty(Dims{groups}, input.dtype);
  std::copy(distinct.begin(), distinct.end(), values.data<T>());
  counts = Tensor::empty(Dims{groups}, DType::Int64);
  std::copy(sizes.begin(), sizes.end(), counts.data<int64_t>());
}

void keep_if(bool wanted, Tensor& t) {
  if (!wanted) t = Tensor::empty(Dims{0}, DType::Int64);
}

}  // namespace

void searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool, bool right,
                  std::optional<std::string_view> side, const Tensor* sorter, Tensor& out) {
  RL_CHECK(sorted_sequence.dtype == self.dtype, Runtime,
           "torch.searchsorted(): boundary tensor and input value tensor should have same dtype, "
           "but got boundary tensor dtype ",
           dtype_name(sorted_sequence.dtype), " and input value tensor dtype ",
           dtype_name(self.dtype));
  search(sorted_sequence, self, sorter, right_side(right, side), out);
}
void searchsorted(const Tensor& sorted_sequence, Scalar self, bool, bool right,
                  std::optional<std::string_view> side, const Tensor* sorter, Tensor& out) {
  search(sorted_sequence, number(self, sorted_sequence), sorter, right_side(right, side), out);
}
void bucketize(const Tensor& self, const Tensor& boundaries, bool, bool right, Tensor& out) {
  search(boundaries, self, nullptr, right, out);
}
void bucketize(Scalar self, const Tensor& boundaries, bool, bool right, Tensor& out) {
  search(boundaries, number(self, boundaries), nullptr, right, out);
}

void bincount(const Tensor& self, const Tensor* weights, int64_t minlength, Tensor& out) {
  RL_CHECK(self.rank() == 1 && category(self.dtype) == DTypeCategory::Integer, Runtime,
           "bincount only supports 1-d non-negative integral inputs.");
  RL_CHECK(minlength >= 0, Runtime, "minlength should be >= 0");
  RL_CHECK(!weights || weights->sizes == self.sizes, Runtime,
           "weights should be 1-d and have the same length as input");
  const Tensor input = as_int64(self);
  const int64_t* data = input.data<int64_t>();
  const int64_t n = input.numel();
  int64_t bins = minlength;
  for (int64_t i = 0; i < n; ++i) {
    RL_CHECK(data[i] >= 0, Runtime, "bincount only supports 1-d non-negative integral inputs.");
    bins = std::max(bins, data[i] + 1);
  }
  if (!weights) {
    out = Tensor::empty(Dims{bins}, DType::Int64);
    fill_dense(out, 0);
    for (int64_t i = 0; i < n; ++i) ++out.data<int64_t>()[data[i]];
    return;
  }
  const DType type = weights->dtype == DType::Float32 ? DType::Float32 : DType::Float64;
  const Tensor w = converted(*weights, DType::Float64);
  Tensor totals = Tensor::empty(Dims{bins}, DType::Float64);
  fill_dense(totals, 0);
  for (int64_t i = 0; i < n; ++i) totals.data<double>()[data[i]] += w.data<double>()[i];
  out = converted(totals, type);
}

void histc(const Tensor& self, int64_t bins, Scalar min, Scalar max, Tensor& out) {
  RL_CHECK(is_floating(self.dtype), Runtime, "\"histogram_cpu\" not implemented for '",
           dtype_name(self.dtype), "'");
  const Tensor input = converted(self, DType::Float64);
  const double* data = input.data<double>();
  const int64_t n = input.numel();
  double low = min.to_double(), high = max.to_double();
  if (low == high && n > 0) {
    low = *std::min_element(data, data + n);
    high = *std::max_element(data, data + n);
  }
  if (low == high) low -= 1, high += 1;
  RL_CHECK(std::isfinite(low) && std::isfinite(high), Runtime, "torch.histc: range of [", low, ", ",
           high, "] is not finite");
  RL_CHECK(low < high, Runtime, "torch.histc: max must be larger than min");
  std::vector<int64_t> counts(static_cast<size_t>(bins));
  for (int64_t i = 0; i < n; ++i) {
    if (!(data[i] >= low && data[i] <= high)) continue;
    const auto bin =
        static_cast<int64_t>((data[i] - low) / (high - low) * static_cast<double>(bins));
    ++counts[std::min(bin, bins - 1)];
  }
  dispatch_real(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < bins; ++i) out.data<T>()[i] = Scalar(counts[i]).to<T>();
  });
}

void unique(const Tensor& self, bool, bool return_inverse, bool return_counts, Tensor& values,
            Tensor& inverse, Tensor& counts) {
  const Tensor input = self.contiguous();
  dispatch_real(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    group<T>(input, sorted_positions(input.data<T>(), input.numel()), values, inverse, counts);
  });
  keep_if(return_inverse, inverse);
  keep_if(return_counts, counts);
}
void unique(const Tensor& self, bool sorted, bool return_inverse, Tensor& values, Tensor& inverse) {
  Tensor counts;
  unique(self, sorted, return_inverse, false, values, inverse, counts);
}

void unique_consecutive(const Tensor& self, bool return_inverse, bool return_counts,
                        std::optional<int64_t> dim, Tensor& values, Tensor& inverse,
                        Tensor& counts) {
  if (dim) {
    std::vector<Tensor> all =
        call_all("unique_dim_consecutive", self, *dim, return_inverse, return_counts);
    values = std::move(all[0]);
    inverse = std::move(all[1]);
    counts = std::move(all[2]);
    return;
  }
  const Tensor input = self.contiguous();
  std::vector<int64_t> order(static_cast<size_t>(input.numel()));
  std::iota(order.begin(), order.end(), int64_t{0});
  dispatch_real(self.dtype,
                [&](auto zero) { group<decltype(zero)>(input, order, values, inverse, counts); });
  keep_if(return_inverse, inverse);
  keep_if(return_counts, counts);
}

void isin(const Tensor& elements, const Tensor& test_elements, bool, bool invert, Tensor& out) {
  const Argument a = &elements, b = &test_elements;
  const Argument* both[] = {&a, &b};
  const DType common = result_type(both);
  const Tensor input = converted(elements, common),
               tests = converted(test_elements, common).clone();
  dispatch_real(common, [&](auto zero) {
    using T = decltype(zero);
    using C = Comparable<T>;
    T* sorted = tests.data<T>();
    const int64_t n = tests.numel();
    std::sort(sorted, sorted + n, less<T>);
    for (int64_t i = 0; i < input.numel(); ++i) {
      const T v = input.data<T>()[i];
      const int64_t at = bound(sorted, nullptr, n, v, false);
      const bool found = at < n && static_cast<C>(sorted[at]) == static_cast<C>(v);
      out.data<bool>()[i] = found != invert;
    }
  });
}

}  // namespace rushlight::kernels::portable
