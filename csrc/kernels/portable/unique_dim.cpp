// Distinct slices along one dimension.
#include <numeric>

#include "kernels/portable/call.h"
#include "kernels/portable/order.h"

namespace rushlight::kernels::portable {
namespace {

// Groups equal neighbours in the order given, the slices being rows of `lines`.
template <class T>
void group_rows(const Tensor& lines, const std::vector<int64_t>& order, std::vector<int64_t>& first,
                Tensor& inverse, std::vector<int64_t>& counts) {
  const int64_t width = lines.sizes[1];
  const T* data = lines.data<T>();
  using C = Comparable<T>;
  const auto same = [&](int64_t a, int64_t b) {
    for (int64_t k = 0; k < width; ++k)
      if (static_cast<C>(data[a * width + k]) != static_cast<C>(data[b * width + k])) return false;
    return true;
  };
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || !same(order[i - 1], order[i])) {
      first.push_back(order[i]);
      counts.push_back(0);
    }
    ++counts.back();
    inverse.data<int64_t>()[order[i]] = static_cast<int64_t>(first.size()) - 1;
  }
}

Tensor indices(const std::vector<int64_t>& values) {
  Tensor t = Tensor::empty(Dims{static_cast<int64_t>(values.size())}, DType::Int64);
  std::copy(values.begin(), values.end(), t.data<int64_t>());
  return t;
}

void unique_slices(const Tensor& self, int64_t dim, bool sort, bool return_inverse,
                   bool return_counts, Tensor& values, Tensor& inverse, Tensor& counts) {
  const int64_t d = wrap_dim(dim, self.rank()), n = self.sizes[d];
  const bool empty_slices = self.numel() == 0;
  RL_CHECK(!empty_slices || n == 0, Runtime, "unique_dim: there are ", n,
           " slices without elements, so unique cannot be applied");
  const Tensor lines =
      call("reshape", call("movedim.int", self, d, 0), Dims{n, n == 0 ? 0 : self.numel() / n})
          .contiguous();
  std::vector<int64_t> order(static_cast<size_t>(n)), first, sizes;
  std::iota(order.begin(), order.end(), int64_t{0});
  inverse = Tensor::empty(Dims{n}, DType::Int64);
  dispatch_real(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* data = lines.data<T>();
    const int64_t width = lines.sizes[1];
    if (sort)
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return std::lexicographical_compare(data + a * width, data + (a + 1) * width,
                                            data + b * width, data + (b + 1) * width, less<T>);
      });
    group_rows<T>(lines, order, first, inverse, sizes);
  });
  values = call("index_select", self, d, indices(first));
  counts = indices(return_counts ? sizes : std::vector<int64_t>{});
  if (!return_inverse) inverse = indices({});
}

}  // namespace

void unique_dim(const Tensor& self, int64_t dim, bool, bool return_inverse, bool return_counts,
                Tensor& values, Tensor& inverse, Tensor& counts) {
  unique_slices(self, dim, true, return_inverse, return_counts, values, inverse, counts);
}
void unique_dim_consecutive(const Tensor& self, int64_t dim, bool return_inverse,
                            bool return_counts, Tensor& values, Tensor& inverse, Tensor& counts) {
  unique_slices(self, dim, false, return_inverse, return_counts, values, inverse, counts);
}

}  // namespace rushlight::kernels::portable
