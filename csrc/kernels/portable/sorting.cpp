// sort, topk, kthvalue, median, mode.
#include <cmath>

#include "kernels/kernel.h"
#include "kernels/portable/order.h"

namespace rushlight::kernels::portable {
namespace {

template <class T>
struct Entry {
  T value;
  int64_t index;
};

template <class T>
void load(const T* row, int64_t n, std::vector<Entry<T>>& entries) {
  entries.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) entries[i] = {row[i], i};
}

// Calls body(row, number of the row, entries) for every slice of `self` along `dim`; `entries` is
// scratch of the calling thread.
template <class F>
void for_each_row(const Tensor& self, int64_t dim, F&& body) {
  const Tensor input = dim_last(self, wrap_dim(dim, self.rank())).contiguous();
  const int64_t n = input.sizes.back();
  if (self.numel() == 0) return;
  dispatch_real(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* data = input.data<T>();
    cpu::parallel_for(0, input.numel() / n, 2048 / n + 1, [&](int64_t first, int64_t last) {
      std::vector<Entry<T>> entries;
      for (int64_t r = first; r < last; ++r) body(data + r * n, r, n, entries);
    });
  });
}

// Equal values keep their order, so every result is the stable one.
template <class T>
bool ascending(const Entry<T>& a, const Entry<T>& b) {
  return less(a.value, b.value);
}
template <class T>
bool descending_order(const Entry<T>& a, const Entry<T>& b) {
  return less(b.value, a.value);
}

// The entry that stands at position k of the ascending order.
template <class T>
Entry<T> select(std::vector<Entry<T>>& entries, int64_t k) {
  std::nth_element(entries.begin(), entries.begin() + k, entries.end(), ascending<T>);
  return entries[k];
}

// Moves the entry of rank k to position k as PyTorch's selection does, so that of equal values the
// same one is found: Hoare's algorithm with the median of three as pivot (Hoare: "Algorithm 65:
// Find", CACM 1961; Sedgewick: "Implementing Quicksort Programs", CACM 1978).
template <class T>
Entry<T> hoare_select(std::vector<Entry<T>>& entries, int64_t k) {
  const auto above = [&](int64_t a, int64_t b) { return less(entries[b].value, entries[a].value); };
  const auto order = [&](int64_t a, int64_t b) {
    if (above(a, b)) std::swap(entries[a], entries[b]);
  };
  int64_t low = 0, high = static_cast<int64_t>(entries.size()) - 1;
  while (high > low + 1) {
    // The pivot stands at `low`, with a smaller one after it and a larger one at the end.
    std::swap(entries[low + (high - low) / 2], entries[low + 1]);
    order(low + 1, high);
    order(low, high);
    order(low + 1, low);
    int64_t i = low + 1, j = high;
    for (;;) {
      while (above(low, ++i)) {
      }
      while (above(--j, low)) {
      }
      if (j < i) break;
      std::swap(entries[i], entries[j]);
    }
    std::swap(entries[low], entries[j]);
    if (j <= k) low = i;
    if (j >= k) high = j - 1;
  }
  if (high == low + 1) order(low, high);
  return entries[k];
}

template <class T>
Entry<T> median_of(const T* row, int64_t n, bool skip_nan, std::vector<Entry<T>>& entries) {
  load(row, n, entries);
  int64_t numbers = n;
  for (int64_t i = 0; i < n; ++i) {
    if (!is_nan(row[i])) continue;
    if (!skip_nan) return {row[i], i};
    --numbers;  // NaN sorts behind all numbers
  }
  return select(entries, std::max<int64_t>(numbers - 1, 0) / 2);
}

void sort_rows(const Tensor& self, int64_t dim, bool descending, Tensor* values, Tensor& indices) {
  const int64_t at = wrap_dim(dim, self.rank());
  RowBuffer index_rows(indices, at);
  std::optional<RowBuffer> value_rows;
  if (values) value_rows.emplace(*values, at);
  for_each_row(self, dim, [&](const auto* row, int64_t r, int64_t n, auto& entries) {
    using T = std::remove_cvref_t<decltype(*row)>;
    load(row, n, entries);
    std::stable_sort(entries.begin(), entries.end(),
                     descending ? descending_order<T> : ascending<T>);
    int64_t* to = index_rows.template data<int64_t>() + r * n;
    for (int64_t i = 0; i < n; ++i) to[i] = entries[i].index;
    if (!value_rows) return;
    T* sorted = value_rows->template data<T>() + r * n;
    for (int64_t i = 0; i < n; ++i) sorted[i] = entries[i].value;
  });
  index_rows.store();
  if (value_rows) value_rows->store();
}

// Writes one chosen entry per row.
template <class F>
void select_rows(const Tensor& self, int64_t dim, Tensor& values, Tensor& indices, F&& choose) {
  for_each_row(self, dim, [&](const auto* row, int64_t r, int64_t n, auto& entries) {
    using T = std::remove_cvref_t<decltype(*row)>;
    const Entry<T> entry = choose(row, n, entries);
    values.data<T>()[r] = entry.value;
    indices.data<int64_t>()[r] = entry.index;
  });
}

void median_all(const Tensor& self, bool skip_nan, Tensor& out) {
  const Tensor flat = restrided(self.contiguous(), Dims{self.numel()}, Dims{1});
  Tensor index = Tensor::empty({}, DType::Int64);
  if (self.numel() == 0) {  // NaN, or the smallest integer
    dispatch_real(out.dtype, [&](auto zero) {
      using T = decltype(zero);
      *out.data<T>() =
          is_floating(out.dtype) ? Scalar(std::nan("")).to<T>() : Scalar(INT64_MIN).to<T>();
    });
    return;
  }
  select_rows(flat, 0, out, index, [=](const auto* row, int64_t n, auto& entries) {
    return median_of(row, n, skip_nan, entries);
  });
}

}  // namespace

void sort(const Tensor& self, int64_t dim, bool descending, Tensor& values, Tensor& indices) {
  sort_rows(self, dim, descending, &values, indices);
}
void sort(const Tensor& self, std::optional<bool>, int64_t dim, bool descending, Tensor& values,
          Tensor& indices) {
  sort_rows(self, dim, descending, &values, indices);
}
void argsort(const Tensor& self, int64_t dim, bool descending, Tensor& out) {
  sort_rows(self, dim, descending, nullptr, out);
}
void argsort(const Tensor& self, bool, int64_t dim, bool descending, Tensor& out) {
  sort_rows(self, dim, descending, nullptr, out);
}
void msort(const Tensor& self, Tensor& out) {
  Tensor indices = Tensor::empty(self.sizes, DType::Int64);
  sort_rows(self, 0, false, &out, indices);
}

// The steps are PyTorch's, so that of equal values the same ones are found.
void topk(const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted, Tensor& values,
          Tensor& indices) {
  if (k == 0) return;
  const int64_t at = wrap_dim(dim, self.rank());
  RowBuffer value_rows(values, at), index_rows(indices, at);
  for_each_row(self, dim, [&](const auto* row, int64_t r, int64_t n, auto& entries) {
    using T = std::remove_cvref_t<decltype(*row)>;
    load(row, n, entries);
    const auto order = largest ? descending_order<T> : ascending<T>;
    if (k * 64 <= n) {
      std::partial_sort(entries.begin(), entries.begin() + k, entries.end(), order);
    } else {
      std::nth_element(entries.begin(), entries.begin() + k - 1, entries.end(), order);
      if (sorted) std::sort(entries.begin(), entries.begin() + k - 1, order);
    }
    for (int64_t i = 0; i < k; ++i) {
      value_rows.template data<T>()[r * k + i] = entries[i].value;
      index_rows.template data<int64_t>()[r * k + i] = entries[i].index;
    }
  });
  value_rows.store();
  index_rows.store();
}

void kthvalue(const Tensor& self, int64_t k, int64_t dim, bool, Tensor& values, Tensor& indices) {
  select_rows(self, dim, values, indices, [=](const auto* row, int64_t n, auto& entries) {
    load(row, n, entries);
    return hoare_select(entries, k - 1);
  });
}

void median(const Tensor& self, int64_t dim, bool, Tensor& values, Tensor& indices) {
  select_rows(self, dim, values, indices, [](const auto* row, int64_t n, auto& entries) {
    return median_of(row, n, false, entries);
  });
}
void nanmedian(const Tensor& self, int64_t dim, bool, Tensor& values, Tensor& indices) {
  select_rows(self, dim, values, indices, [](const auto* row, int64_t n, auto& entries) {
    return median_of(row, n, true, entries);
  });
}
void median(const Tensor& self, Tensor& out) { median_all(self, false, out); }
void nanmedian(const Tensor& self, Tensor& out) { median_all(self, true, out); }

// The smallest of the most frequent values, and the last position where it stands.
void mode(const Tensor& self, int64_t dim, bool, Tensor& values, Tensor& indices) {
  select_rows(self, dim, values, indices, [](const auto* row, int64_t n, auto& entries) {
    using T = std::remove_cvref_t<decltype(*row)>;
    load(row, n, entries);
    std::stable_sort(entries.begin(), entries.end(), ascending<T>);
    Entry<T> best = entries[0];
    int64_t most = 0, run = 0;
    for (int64_t i = 0; i < n; ++i) {
      run = i > 0 && !less(entries[i - 1].value, entries[i].value) ? run + 1 : 1;
      if (run > most || (run == most && !less(best.value, entries[i].value))) {
        most = run;
        best = entries[i];
      }
    }
    return best;
  });
}

}  // namespace rushlight::kernels::portable
