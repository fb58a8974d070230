#include "index_layout.h"

#include <sstream>

#include "ir/shape/rules.h"

namespace rushlight {
namespace {

std::string all_sizes(const std::vector<const TensorMeta*>& indices) {
  std::ostringstream text;
  for (const TensorMeta* t : indices)
    if (t) text << (text.tellp() > 0 ? ", " : "") << t->sizes;
  return text.str();
}

}  // namespace

void check_index_dtypes(TensorList indices) {
  for (const Tensor* t : indices)
    RL_CHECK(!t || is_mask(*t) || t->dtype == DType::Int64 || t->dtype == DType::Int32, Index,
             "tensors used as indices must be long, int, byte or bool tensors, got ",
             t ? dtype_name(t->dtype) : "");
}

IndexLayout index_layout(const TensorMeta& self, const std::vector<const TensorMeta*>& indices) {
  IndexLayout layout;
  RL_CHECK(indices.size() <= self.sizes.size(), Index, "too many indices for tensor of dimension ",
           self.rank());
  layout.has.assign(self.sizes.size(), false);
  int64_t first = -1, last = -1, count = 0;
  for (size_t d = 0; d < indices.size(); ++d) {
    if (!indices[d]) continue;
    layout.has[d] = true;
    if (first < 0) first = static_cast<int64_t>(d);
    last = static_cast<int64_t>(d);
    ++count;
    try {
      layout.broadcast = broadcast(layout.broadcast, indices[d]->sizes);
    } catch (const Error&) {
      RL_FAIL(Index,
              "shape mismatch: indexing tensors could not be broadcast together with shapes ",
              all_sizes(indices));
    }
  }
  const bool adjacent = last - first + 1 == count;
  layout.lead = adjacent && first >= 0 ? first : 0;
  for (int64_t d = 0; d < self.rank(); ++d) {
    if (d == layout.lead)
      for (int64_t s : layout.broadcast) layout.sizes.push_back(s);
    if (!layout.has[d]) layout.sizes.push_back(self.sizes[d]);
  }
  return layout;
}

}  // namespace rushlight
