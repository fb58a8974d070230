// index, index_put: reading and writing elements at positions that tensors give.
#include <cstring>

#include "ir/shape/rules.h"
#include "kernels/kernel.h"
#include "kernels/portable/index_plan.h"

namespace rushlight::kernels::portable {
namespace {

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else
    return static_cast<T>(a + b);
}

// Calls put(position in self, position in values) for every element of the result. Threads share
// out what cannot meet: equal indices stay on one thread, in order.
template <class F>
void for_each_element(const IndexPlan& plan, F&& put) {
  const auto before = static_cast<int64_t>(plan.before.size());
  const auto indexed = static_cast<int64_t>(plan.indexed.size());
  const auto after = static_cast<int64_t>(plan.after.size());
  const auto block = [&](int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    for (int64_t i = i0; i < i1; ++i)
      for (int64_t b = 0; b < indexed; ++b) {
        const int64_t base = plan.before[i] + plan.indexed[b], row = (i * indexed + b) * after;
        for (int64_t j = j0; j < j1; ++j) put(base + plan.after[j], row + j);
      }
  };
  if (before > 1)
    cpu::parallel_for(0, before, kGrain / std::max<int64_t>(indexed * after, 1) + 1,
                      [&](int64_t i0, int64_t i1) { block(i0, i1, 0, after); });
  else
    cpu::parallel_for(0, after, std::max<int64_t>(kGrain / std::max<int64_t>(indexed, 1), 64),
                      [&](int64_t j0, int64_t j1) { block(0, before, j0, j1); });
}

template <class T>
void read(const Tensor& self, const IndexPlan& plan, Tensor& out) {
  const auto indexed = static_cast<int64_t>(plan.indexed.size());
  const auto after = static_cast<int64_t>(plan.after.size());
  const T* from = self.data<T>();
  T* to = out.data<T>();
  cpu::parallel_for(0, static_cast<int64_t>(plan.before.size()) * indexed,
                    kGrain / std::max<int64_t>(after, 1) + 1, [&](int64_t first, int64_t last) {
                      for (int64_t r = first; r < last; ++r) {
                        const T* base = from + plan.before[r / indexed] + plan.indexed[r % indexed];
                        T* row = to + r * after;
                        if (after == 1)
                          *row = base[plan.after[0]];
                        else if (plan.contiguous_after)
                          std::memcpy(row, base, static_cast<size_t>(after) * sizeof(T));
                        else
                          for (int64_t j = 0; j < after; ++j) row[j] = base[plan.after[j]];
                      }
                    });
}

}  // namespace

void index(const Tensor& self, TensorList indices, Tensor& out) {
  const IndexPlan plan = plan_index(self, indices);
  if (!out.defined()) out = Tensor::empty(plan.sizes, self.dtype);
  if (out.numel() == 0) return;
  dispatch_item(item_size(self.dtype), [&](auto zero) { read<decltype(zero)>(self, plan, out); });
}

void index_put(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate,
               Tensor& out) {
  copy_unless_same(self, out);
  const IndexPlan plan = plan_index(out, indices);
  if (checked_numel(plan.sizes) == 0) return;
  bool fits = values.sizes.size() <= plan.sizes.size();
  const size_t lead = fits ? plan.sizes.size() - values.sizes.size() : 0;
  for (size_t d = 0; fits && d < values.sizes.size(); ++d)
    fits = values.sizes[d] == 1 || values.sizes[d] == plan.sizes[lead + d];
  RL_CHECK(fits, Runtime, "shape mismatch: value tensor of shape ", values.sizes,
           " cannot be broadcast to indexing result of shape ", plan.sizes);
  const Tensor source = expanded(values, plan.sizes).contiguous();
  if (accumulate)
    return dispatch_dtype(out.dtype, [&](auto zero) {
      using T = decltype(zero);
      T* to = out.data<T>();
      const T* from = source.data<T>();
      for_each_element(plan, [=](int64_t at, int64_t v) { to[at] = sum(to[at], from[v]); });
    });
  dispatch_item(item_size(out.dtype), [&](auto zero) {
    using T = decltype(zero);
    T* to = out.data<T>();
    const T* from = source.data<T>();
    for_each_element(plan, [=](int64_t at, int64_t v) { to[at] = from[v]; });
  });
}

void take(const Tensor& self, const Tensor& index, Tensor& out) {
  const Tensor flat = self.contiguous(), positions = index.contiguous();
  const int64_t n = flat.numel();
  const int64_t* at = positions.data<int64_t>();
  RL_CHECK(n > 0 || index.numel() == 0, Index, "take(): tried to take from an empty tensor");
  dispatch_item(item_size(self.dtype), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < positions.numel(); ++i) {
      RL_CHECK(at[i] >= -n && at[i] < n, Index, "out of range: tried to access index ", at[i],
               " on a tensor of ", n, " elements.");
      out.data<T>()[i] = flat.data<T>()[at[i] < 0 ? at[i] + n : at[i]];
    }
  });
}

void put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate,
         Tensor& out) {
  copy_unless_same(self, out);
  const Tensor positions = index.contiguous(), values = source.contiguous();
  const int64_t n = out.numel();
  const int64_t* at = positions.data<int64_t>();
  RL_CHECK(out.is_contiguous(), Runtime, "put: the output must be contiguous");
  dispatch_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < positions.numel(); ++i) {
      RL_CHECK(at[i] >= -n && at[i] < n, Index, "out of range: tried to access index ", at[i],
               " on a tensor of ", n, " elements.");
      T& to = out.data<T>()[at[i] < 0 ? at[i] + n : at[i]];
      const T v = values.data<T>()[i];
      to = accumulate ? sum(to, v) : v;
    }
  });
}

// As in PyTorch a column of coordinates is contiguous.
void nonzero(const Tensor& self, Tensor& out) {
  const Tensor rows = nonzero_positions(self);
  out = Tensor::empty(Dims{rows.sizes[1], rows.sizes[0]}, DType::Int64);
  std::swap(out.sizes[0], out.sizes[1]);
  std::swap(out.strides[0], out.strides[1]);
  copy_strided(rows, out);
}

void nonzero_static(const Tensor& self, int64_t size, int64_t fill_value, Tensor& out) {
  const Tensor all = nonzero_positions(self);
  int64_t* to = out.data<int64_t>();
  std::fill_n(to, out.numel(), fill_value);
  std::copy_n(all.data<int64_t>(), std::min(size, all.sizes[0]) * self.rank(), to);
}

void masked_select(const Tensor& self, const Tensor& mask, Tensor& out) {
  RL_CHECK(mask.dtype == DType::Bool, Runtime, "masked_select: expected BoolTensor for mask");
  const Dims sizes = broadcast(self.sizes, mask.sizes);
  const Tensor values = expanded(self, sizes).contiguous(),
               set = expanded(mask, sizes).contiguous();
  const bool* chosen = set.data<bool>();
  const int64_t n = set.numel();
  out = Tensor::empty(Dims{std::count(chosen, chosen + n, true)}, self.dtype);
  dispatch_item(item_size(self.dtype), [&](auto zero) {
    using T = decltype(zero);
    const T* from = values.data<T>();
    T* to = out.data<T>();
    for (int64_t i = 0; i < n; ++i)
      if (chosen[i]) *to++ = from[i];
  });
}

void masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source, Tensor& out) {
  if (self.raw() != out.raw()) copy_strided(expanded(self, out.sizes), out);
  const Tensor set = expanded(mask, out.sizes).contiguous(), values = source.contiguous();
  const bool* chosen = set.data<bool>();
  const int64_t n = set.numel();
  RL_CHECK(std::count(chosen, chosen + n, true) <= values.numel(), Runtime,
           "masked_scatter: expected at least as many elements in source as ones in mask, got ",
           values.numel());
  RL_ASSERT(out.is_contiguous());
  dispatch_item(item_size(out.dtype), [&](auto zero) {
    using T = decltype(zero);
    const T* from = values.data<T>();
    for (int64_t i = 0; i < n; ++i)
      if (chosen[i]) out.data<T>()[i] = *from++;
  });
}

void one_hot(const Tensor& self, int64_t num_classes, Tensor& out) {
  const Tensor index = self.contiguous();
  const int64_t* at = index.data<int64_t>();
  const int64_t n = index.numel();
  for (int64_t i = 0; i < n; ++i)
    RL_CHECK(at[i] >= 0, Runtime, "Class values must be non-negative.");
  if (!out.defined()) {
    num_classes = *std::max_element(at, at + n) + 1;
    Dims sizes = self.sizes;
    sizes.push_back(num_classes);
    out = Tensor::empty(sizes, DType::Int64);
  }
  int64_t* to = out.data<int64_t>();
  std::fill_n(to, out.numel(), int64_t{0});
  for (int64_t i = 0; i < n; ++i) {
    RL_CHECK(at[i] < num_classes, Runtime, "Class values must be smaller than num_classes.");
    to[i * num_classes + at[i]] = 1;
  }
}

}  // namespace rushlight::kernels::portable
