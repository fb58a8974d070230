// Sizes and dtypes of tensors made from nothing.
#include <cmath>

#include "core/default_dtype.h"
#include "ir/pointwise_plan.h"
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

using Type = std::optional<DType>;
using Pinned = std::optional<bool>;
using Format = std::optional<MemoryFormat>;

// A new tensor must fill its memory: strides with gaps or overlaps become contiguous ones.
void set_strided(DType dtype, IntList size, IntList stride, TensorMeta& out) {
  RL_CHECK(size.size() == stride.size(), Runtime, "dimensionality of sizes (", size.size(),
           ") must match dimensionality of strides (", stride.size(), ")");
  checked_numel(size);
  out.set(dtype, size);
  out.strides = Dims(stride);
  if (!out.is_non_overlapping_and_dense()) out.strides = contiguous_strides(size);
}

void set_sized(DType dtype, IntList size, TensorMeta& out) {
  for (int64_t s : size)
    RL_CHECK(s >= 0, Runtime, "Trying to create tensor with negative dimension ", s, ": ",
             Dims(size));
  checked_numel(size);
  out.set(dtype, size);
}

void set_vector(DType dtype, int64_t n, TensorMeta& out) { out.set(dtype, IntList(&n, 1)); }

bool integral(const Scalar& s) { return s.is_int() || s.is_bool(); }

}  // namespace

void sized(IntList size, Type dtype, Pinned, TensorMeta& out) {
  set_sized(dtype.value_or(default_dtype()), size, out);
}

void sized(IntList size, Type dtype, Pinned, Format format, TensorMeta& out) {
  set_sized(dtype.value_or(default_dtype()), size, out);
  RL_CHECK(format != MemoryFormat::Preserve, Runtime,
           "empty(): preserve memory format needs a tensor to preserve it from");
  if (format) out.strides = strides_for(size, *format);
}

void full(IntList size, Scalar fill_value, Type dtype, Pinned, TensorMeta& out) {
  set_sized(dtype.value_or(fill_value.dtype()), size, out);
}

void like(const TensorMeta& self, Type dtype, Pinned, Format format, TensorMeta& out) {
  const TensorMeta* operand = &self;
  out.set(dtype.value_or(self.dtype), self.sizes);
  if (format.value_or(MemoryFormat::Preserve) != MemoryFormat::Preserve)
    out.strides = strides_for(self.sizes, *format);
  else if (self.is_non_overlapping_and_dense())
    out.strides = self.strides;
  else
    out.strides = pointwise_strides(self.sizes, {&operand, 1});
}

void full_like(const TensorMeta& self, Scalar, Type dtype, Pinned pinned, Format format,
               TensorMeta& out) {
  like(self, dtype, pinned, format, out);
}

void new_sized(const TensorMeta& self, IntList size, Type dtype, Pinned, TensorMeta& out) {
  set_sized(dtype.value_or(self.dtype), size, out);
}

void new_full(const TensorMeta& self, IntList size, Scalar, Type dtype, Pinned, TensorMeta& out) {
  set_sized(dtype.value_or(self.dtype), size, out);
}

void strided(IntList size, IntList stride, Type dtype, Pinned, TensorMeta& out) {
  set_strided(dtype.value_or(default_dtype()), size, stride, out);
}

void new_strided(const TensorMeta& self, IntList size, IntList stride, Type dtype, Pinned,
                 TensorMeta& out) {
  set_strided(dtype.value_or(self.dtype), size, stride, out);
}

void permuted(IntList size, IntList physical_layout, Type dtype, Pinned, TensorMeta& out) {
  RL_CHECK(size.size() == physical_layout.size(), Runtime,
           "Number of dimensions in size does not match the length of the physical_layout; i.e. "
           "len(size) = ",
           size.size(), " is not equal to len(physical_layout) = ", physical_layout.size());
  set_sized(dtype.value_or(default_dtype()), size, out);
  Dims seen(size.size());
  int64_t step = 1;
  for (size_t i = size.size(); i-- > 0;) {
    const int64_t d = physical_layout[i];
    RL_CHECK(d >= 0 && d < static_cast<int64_t>(size.size()) && !seen[d]++, Runtime,
             "physical_layout ", Dims(physical_layout), " is not a permutation of the dimensions");
    out.strides[d] = step;
    step *= std::max<int64_t>(size[d], 1);
  }
}

void scalar_tensor(Scalar, Type dtype, Pinned, TensorMeta& out) {
  out.set(dtype.value_or(default_dtype()), {});
}

void arange(Scalar start, Scalar end, Scalar step, Type dtype, Pinned, TensorMeta& out) {
  const bool ints = integral(start) && integral(end) && integral(step);
  const DType type = dtype.value_or(ints ? DType::Int64 : default_dtype());
  const double first = start.to_double(), last = end.to_double(), by = step.to_double();
  RL_CHECK(by != 0, Runtime, "step must be nonzero");
  RL_CHECK(std::isfinite(first) && std::isfinite(last), Runtime, "unsupported range: ", first,
           " -> ", last);
  RL_CHECK(by > 0 ? last >= first : last <= first, Runtime,
           "upper bound and lower bound inconsistent with step sign");
  if (type == DType::Int64) {
    const int64_t a = start.to_int(), b = end.to_int(), s = step.to_int();
    RL_CHECK(s != 0, Runtime, "step must be nonzero");
    return set_vector(type, std::max<int64_t>((b - a + s - (s > 0 ? 1 : -1)) / s, 0), out);
  }
  const double n = std::ceil((last - first) / by);
  RL_CHECK(n < 9.2e18, Runtime, "invalid size, possible overflow?");
  set_vector(type, static_cast<int64_t>(n), out);
}

void arange(Scalar end, Type dtype, Pinned pinned, TensorMeta& out) {
  arange(int64_t{0}, end, int64_t{1}, dtype, pinned, out);
}
void arange(Scalar start, Scalar end, Type dtype, Pinned pinned, TensorMeta& out) {
  arange(start, end, int64_t{1}, dtype, pinned, out);
}

void linspace(Scalar start, Scalar end, int64_t steps, Type dtype, Pinned, TensorMeta& out) {
  RL_CHECK(steps >= 0, Runtime, "number of steps must be non-negative");
  const bool complex = start.is_complex() || end.is_complex();
  set_vector(dtype.value_or(complex ? default_complex_dtype() : default_dtype()), steps, out);
}

void logspace(Scalar start, Scalar end, int64_t steps, double, Type dtype, Pinned pinned,
              TensorMeta& out) {
  linspace(start, end, steps, dtype, pinned, out);
}

void eye(int64_t n, int64_t m, Type dtype, Pinned, TensorMeta& out) {
  RL_CHECK(n >= 0, Runtime, "n must be greater or equal to 0, got ", n);
  RL_CHECK(m >= 0, Runtime, "m must be greater or equal to 0, got ", m);
  set_sized(dtype.value_or(default_dtype()), Dims{n, m}, out);
}
void eye(int64_t n, Type dtype, Pinned pinned, TensorMeta& out) { eye(n, n, dtype, pinned, out); }

void tril_indices(int64_t row, int64_t col, int64_t offset, Type dtype, Pinned, TensorMeta& out) {
  RL_CHECK(row >= 0, Runtime, "row must be non-negative, got", row);
  RL_CHECK(col >= 0, Runtime, "col must be non-negative, got", col);
  int64_t count = 0;
  for (int64_t r = 0; r < row; ++r) count += std::clamp<int64_t>(r + 1 + offset, 0, col);
  out.set(dtype.value_or(DType::Int64), Dims{2, count});
}

void triu_indices(int64_t row, int64_t col, int64_t offset, Type dtype, Pinned, TensorMeta& out) {
  RL_CHECK(row >= 0, Runtime, "row must be non-negative, got", row);
  RL_CHECK(col >= 0, Runtime, "col must be non-negative, got", col);
  int64_t count = 0;
  for (int64_t r = 0; r < row; ++r) count += col - std::clamp<int64_t>(r + offset, 0, col);
  out.set(dtype.value_or(DType::Int64), Dims{2, count});
}

}  // namespace rushlight::shape
