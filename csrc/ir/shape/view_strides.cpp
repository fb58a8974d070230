#include "view_strides.h"

namespace rushlight {

std::optional<Dims> compute_view_strides(IntList sizes, IntList strides, IntList new_sizes) {
  for (int64_t s : sizes)
    if (s == 0) return contiguous_strides(new_sizes);
  Dims out(new_sizes.size(), 1);
  size_t next = new_sizes.size();  // new dimensions not yet placed: [0, next)
  size_t d = sizes.size();
  while (d > 0) {
    // A run of dimensions that step evenly through memory can be cut anew in any way.
    int64_t step = strides[d - 1], run = sizes[d - 1];
    --d;
    while (d > 0 && (sizes[d - 1] == 1 || run == 1 || strides[d - 1] == run * step)) {
      if (run == 1 && sizes[d - 1] != 1) step = strides[d - 1];
      run *= sizes[d - 1];
      --d;
    }
    int64_t placed = 1;
    while (next > 0 && (placed < run || new_sizes[next - 1] == 1)) {
      out[next - 1] = placed * step;
      placed *= new_sizes[next - 1];
      --next;
    }
    if (placed != run) return std::nullopt;
  }
  // A 0-d tensor has no run; its view may only have dimensions of size 1.
  for (; next > 0; --next)
    if (new_sizes[next - 1] != 1) return std::nullopt;
  return out;
}

Dims infer_size(IntList sizes, int64_t numel) {
  Dims out(sizes);
  int64_t known = 1;
  int inferred = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      RL_CHECK(inferred < 0, Runtime, "only one dimension can be inferred");
      inferred = static_cast<int>(i);
      continue;
    }
    RL_CHECK(sizes[i] >= 0, Runtime, "invalid shape dimension ", sizes[i], " at index ", i,
             " of shape ", out);
    RL_CHECK(!__builtin_mul_overflow(known, sizes[i], &known), Runtime, "shape ", out,
             " overflows 64-bit arithmetic");
  }
  if (inferred >= 0) {
    RL_CHECK(known != 0, Runtime, "cannot reshape tensor of ", numel, " elements into shape ", out,
             " because the unspecified dimension size -1 can be any value and is ambiguous");
    RL_CHECK(numel % known == 0, Runtime, "shape '", out, "' is invalid for input of size ", numel);
    out[static_cast<size_t>(inferred)] = numel / known;
    return out;
  }
  RL_CHECK(known == numel, Runtime, "shape '", out, "' is invalid for input of size ", numel);
  return out;
}

}  // namespace rushlight
