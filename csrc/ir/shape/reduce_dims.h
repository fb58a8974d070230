// Which dimensions a reduction removes: shared by shape rules and kernels.
#pragma once

#include <bitset>
#include <optional>

#include "core/tensor.h"

namespace rushlight {

inline constexpr size_t kMaxRank = 64;
using DimMask = std::bitset<kMaxRank>;

/// The dimensions in `dims`, wrapped; all of them if there are none. Throws PyTorch's RuntimeError
/// for a dimension named twice.
inline DimMask reduced_dims(std::optional<IntList> dims, int64_t rank) {
  RL_CHECK(rank <= static_cast<int64_t>(kMaxRank), Runtime, "only tensors with up to ", kMaxRank,
           " dims are supported, got ", rank);
  DimMask mask;
  if (!dims || dims->empty()) {
    for (int64_t d = 0; d < rank; ++d) mask.set(static_cast<size_t>(d));
    return mask;
  }
  for (int64_t dim : *dims) {
    const auto d = static_cast<size_t>(wrap_dim(dim, rank));
    RL_CHECK(!mask[d], Runtime, "dim ", d, " appears multiple times in the list of dims");
    mask.set(d);
  }
  return mask;
}

inline DimMask reduced_dim(int64_t dim, int64_t rank) {
  return reduced_dims(IntList(&dim, 1), rank);
}

inline DimMask reduced_dim(std::optional<int64_t> dim, int64_t rank) {
  return dim ? reduced_dim(*dim, rank) : reduced_dims(std::nullopt, rank);
}

/// For `any.dims` and `all.dims`, where an empty list reduces nothing.
inline DimMask truth_dims(std::optional<IntList> dims, int64_t rank) {
  return dims && dims->empty() ? DimMask() : reduced_dims(dims, rank);
}

inline Dims reduced_sizes(IntList sizes, const DimMask& mask, bool keepdim) {
  Dims out;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!mask[d])
      out.push_back(sizes[d]);
    else if (keepdim)
      out.push_back(1);
  }
  return out;
}

/// Elements that go into one output.
inline int64_t reduced_numel(IntList sizes, const DimMask& mask) {
  int64_t n = 1;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (mask[d]) n *= sizes[d];
  return n;
}

}  // namespace rushlight
