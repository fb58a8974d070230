// Products, extrema, any and all.
#include <cstring>

#include "kernels/kernel.h"
#include "kernels/reduce_ops.h"

namespace rushlight::kernels::RL_CPU {
namespace {

template <class Op>
void reduce_as(const Tensor& self, const DimMask& mask, LoadAs as, Tensor& out) {
  using T = typename Op::Total;
  Results<T> results(out);
  const DType in = dtype_of<typename Op::In>::value;
  reduce<Op>(self, mask, load_for(self.dtype, in, as), nullptr, results.data);
  results.store();
}

void prod_into(const Tensor& self, const DimMask& mask, Tensor& out) {
  switch (out.dtype) {
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
      return reduce_as<ProdOp<float>>(self, mask, LoadAs::Value, out);
    case DType::Float64:
      return reduce_as<ProdOp<double>>(self, mask, LoadAs::Value, out);
    case DType::Complex64:
      return reduce_as<ProdOp<complex64>>(self, mask, LoadAs::Value, out);
    case DType::Complex128:
      return reduce_as<ProdOp<complex128>>(self, mask, LoadAs::Value, out);
    case DType::Bool:
      return reduce_as<ProdOp<int64_t>>(self, mask, LoadAs::NonZero, out);
    default:
      return reduce_as<ProdOp<int64_t>>(self, mask, LoadAs::Value, out);
  }
}

template <template <class> class Op>
void extremum(const Tensor& self, const DimMask& mask, Tensor& out) {
  switch (self.dtype) {
    case DType::Float16:
    case DType::BFloat16:
    case DType::Float32:
      return reduce_as<Op<float>>(self, mask, LoadAs::Value, out);
    case DType::Float64:
      return reduce_as<Op<double>>(self, mask, LoadAs::Value, out);
    case DType::Bool:
    case DType::UInt8:
      return reduce_as<Op<uint8_t>>(self, mask, LoadAs::Value, out);
    default:
      return reduce_as<Op<int64_t>>(self, mask, LoadAs::Value, out);
  }
}

// `any` is the largest of (x != 0), `all` the smallest; PyTorch's empty ones are 0 and 1.
template <template <class> class Op>
void truth(const Tensor& self, const DimMask& mask, Tensor& out) {
  if (self.numel() == 0) {
    const auto empty = static_cast<int>(std::is_same_v<Op<uint8_t>, MinOp<uint8_t>>);
    std::memset(out.raw(), empty, static_cast<size_t>(out.nbytes()));
    return;
  }
  Tensor bytes = out;  // bool and uint8 outputs alike hold 0 or 1
  bytes.dtype = DType::UInt8;
  reduce_as<Op<uint8_t>>(self, mask, LoadAs::NonZero, bytes);
}

DimMask all_dims(const Tensor& self) { return reduced_dims(std::nullopt, self.rank()); }

}  // namespace

void prod(const Tensor& self, std::optional<DType>, Tensor& out) {
  prod_into(self, all_dims(self), out);
}
void prod(const Tensor& self, int64_t dim, bool, std::optional<DType>, Tensor& out) {
  prod_into(self, reduced_dim(dim, self.rank()), out);
}

void amax(const Tensor& self, IntList dim, bool, Tensor& out) {
  extremum<MaxOp>(self, reduced_dims(dim, self.rank()), out);
}
void amin(const Tensor& self, IntList dim, bool, Tensor& out) {
  extremum<MinOp>(self, reduced_dims(dim, self.rank()), out);
}
void max(const Tensor& self, Tensor& out) { extremum<MaxOp>(self, all_dims(self), out); }
void min(const Tensor& self, Tensor& out) { extremum<MinOp>(self, all_dims(self), out); }

void aminmax(const Tensor& self, std::optional<int64_t> dim, bool, Tensor& min, Tensor& max) {
  const DimMask mask = reduced_dim(dim, self.rank());
  extremum<MinOp>(self, mask, min);
  extremum<MaxOp>(self, mask, max);
}

void any(const Tensor& self, Tensor& out) { truth<MaxOp>(self, all_dims(self), out); }
void any(const Tensor& self, int64_t dim, bool, Tensor& out) {
  truth<MaxOp>(self, reduced_dim(dim, self.rank()), out);
}
void any(const Tensor& self, std::optional<IntList> dim, bool, Tensor& out) {
  truth<MaxOp>(self, truth_dims(dim, self.rank()), out);
}
void all(const Tensor& self, Tensor& out) { truth<MinOp>(self, all_dims(self), out); }
void all(const Tensor& self, int64_t dim, bool, Tensor& out) {
  truth<MinOp>(self, reduced_dim(dim, self.rank()), out);
}
void all(const Tensor& self, std::optional<IntList> dim, bool, Tensor& out) {
  truth<MinOp>(self, truth_dims(dim, self.rank()), out);
}

}  // namespace rushlight::kernels::RL_CPU
