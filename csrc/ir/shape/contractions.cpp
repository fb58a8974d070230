// Shape rules of products over chosen dimensions.
#include "ir/shape/generated.h"
#include "ir/shape/linear.h"

namespace rushlight::shape {

void tensordot(const TensorMeta& self, const TensorMeta& other, IntList dims_self,
               IntList dims_other, TensorMeta& out) {
  RL_CHECK(dims_self.size() == dims_other.size(), Runtime,
           "both dimension lists should have same length");
  check_product_dtypes(self, other, "tensordot");
  std::vector<bool> used_self(self.sizes.size()), used_other(other.sizes.size());
  for (size_t i = 0; i < dims_self.size(); ++i) {
    const auto a = static_cast<size_t>(wrap_dim(dims_self[i], self.rank()));
    const auto b = static_cast<size_t>(wrap_dim(dims_other[i], other.rank()));
    RL_CHECK(a < used_self.size() && b < used_other.size(), Index,
             "tensordot: a tensor of rank 0 has no dimension to contract");
    RL_CHECK(!used_self[a] && !used_other[b], Runtime, "dim ", used_self[a] ? a : b,
             " appears multiple times in the list of dims");
    used_self[a] = used_other[b] = true;
    RL_CHECK(self.sizes[a] == other.sizes[b] || self.sizes[a] == 1 || other.sizes[b] == 1, Runtime,
             "contracted dimensions need to match, but first has size ", self.sizes[a], " in dim ",
             dims_self[i], " and second has size ", other.sizes[b], " in dim ", dims_other[i]);
  }
  Dims sizes;
  for (size_t d = 0; d < used_self.size(); ++d)
    if (!used_self[d]) sizes.push_back(self.sizes[d]);
  for (size_t d = 0; d < used_other.size(); ++d)
    if (!used_other[d]) sizes.push_back(other.sizes[d]);
  out.set(out.dtype, sizes);
}

void kron(const TensorMeta& self, const TensorMeta& other, TensorMeta& out) {
  const size_t rank = std::max(self.sizes.size(), other.sizes.size());
  Dims sizes(rank, 1);
  for (const TensorMeta* t : {&self, &other})
    for (size_t d = 0; d < t->sizes.size(); ++d) sizes[rank - t->sizes.size() + d] *= t->sizes[d];
  out.set(out.dtype, sizes);
}

void bilinear(const TensorMeta& input1, const TensorMeta& input2, const TensorMeta& weight,
              const TensorMeta* bias, TensorMeta& out) {
  RL_CHECK(input1.rank() == input2.rank() && input1.rank() >= 1, Runtime,
           "bilinear(): input dimensions do not match: got ", input1.rank(), " and ",
           input2.rank());
  RL_CHECK(weight.rank() == 3, Runtime, "bilinear(): expected a weight of 3 dimensions, but got ",
           weight.rank(), "D");
  for (int64_t d = 0; d + 1 < input1.rank(); ++d)
    RL_CHECK(input1.sizes[d] == input2.sizes[d], Runtime,
             "bilinear(): input batch dimensions do not match at dim ", d, ": got ",
             input1.sizes[d], " and ", input2.sizes[d]);
  RL_CHECK(input1.size(-1) == weight.sizes[1], Runtime,
           "bilinear(): input1 size does not match weight size: got ", input1.size(-1),
           " but expected ", weight.sizes[1]);
  RL_CHECK(input2.size(-1) == weight.sizes[2], Runtime,
           "bilinear(): input2 size does not match weight size: got ", input2.size(-1),
           " but expected ", weight.sizes[2]);
  RL_CHECK(!bias || (bias->rank() == 1 && bias->sizes[0] == weight.sizes[0]), Runtime,
           "bilinear(): bias size does not match weight size: got ", bias->sizes, " but expected ",
           weight.sizes[0]);
  check_product_dtypes(input1, input2, "bilinear");
  check_product_dtypes(input1, weight, "bilinear");
  Dims sizes = input1.sizes;
  sizes.back() = weight.sizes[0];
  out.set(out.dtype, sizes);
}

void trilinear(const TensorMeta& i1, const TensorMeta& i2, const TensorMeta& i3, IntList expand1,
               IntList expand2, IntList expand3, IntList sumdim, int64_t, TensorMeta& out) {
  const auto rank = static_cast<int64_t>(i1.sizes.size() + expand1.size());
  Dims sizes(static_cast<size_t>(rank), 1);
  const TensorMeta* tensors[] = {&i1, &i2, &i3};
  const IntList lists[] = {expand1, expand2, expand3};
  for (int t = 0; t < 3; ++t) {
    Dims full = tensors[t]->sizes;
    Dims places(lists[t]);
    for (int64_t& p : places) p = wrap_dim(p, rank);
    std::sort(places.begin(), places.end());
    for (int64_t p : places) {
      RL_CHECK(p <= static_cast<int64_t>(full.size()), Runtime,
               "_trilinear: expanded dimensions do not fit an input of rank ", tensors[t]->rank());
      full.insert(static_cast<size_t>(p), 1);
    }
    RL_CHECK(static_cast<int64_t>(full.size()) == rank, Runtime,
             "_trilinear: all inputs must have the same rank once expanded");
    sizes = broadcast(sizes, full);
  }
  Dims places(sumdim);
  for (int64_t& p : places) p = wrap_dim(p, rank);
  std::sort(places.begin(), places.end(), std::greater<>());
  for (int64_t p : places) sizes.erase(static_cast<size_t>(p));
  out.set(out.dtype, sizes);
}

}  // namespace rushlight::shape
