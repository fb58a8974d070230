// Shapes of conversions and of operators that overwrite a tensor.
#include "ir/pointwise_plan.h"
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

// A new tensor like `self` in the memory format asked for; by default in its own order of
// dimensions.
void like(const TensorMeta& self, DType dtype, std::optional<MemoryFormat> format,
          TensorMeta& out) {
  out.dtype = dtype;
  out.sizes = self.sizes;
  const TensorMeta* operand = &self;
  out.strides = format.value_or(MemoryFormat::Preserve) == MemoryFormat::Preserve
                    ? pointwise_strides(self.sizes, {&operand, 1})
                    : strides_for(self.sizes, *format);
}

}  // namespace

void to_copy(const TensorMeta& self, std::optional<DType> dtype, std::optional<bool> /*pin_memory*/,
             bool /*non_blocking*/, std::optional<MemoryFormat> format, TensorMeta& out) {
  like(self, dtype.value_or(self.dtype), format, out);
}
void to_copy(const TensorMeta& self, std::optional<DType> dtype, std::optional<bool> /*pin_memory*/,
             bool /*non_blocking*/, bool /*copy*/, std::optional<MemoryFormat> format,
             TensorMeta& out) {
  like(self, dtype.value_or(self.dtype), format, out);
}
void to_copy(const TensorMeta& self, DType dtype, bool /*non_blocking*/, bool /*copy*/,
             std::optional<MemoryFormat> format, TensorMeta& out) {
  like(self, dtype, format, out);
}
void to_copy(const TensorMeta& self, const TensorMeta& other, bool /*non_blocking*/, bool /*copy*/,
             std::optional<MemoryFormat> format, TensorMeta& out) {
  like(self, other.dtype, format, out);
}
void to_copy(const TensorMeta& self, const TensorMeta& other, TensorMeta& out) {
  like(self, other.dtype, std::nullopt, out);
}

void overwrite(const TensorMeta& self, const TensorMeta& src, bool /*non_blocking*/,
               TensorMeta& out) {
  like(self, self.dtype, std::nullopt, out);
  RL_CHECK(broadcast(self.sizes, src.sizes) == self.sizes, Runtime, "copy: a source of sizes ",
           src.sizes, " cannot be broadcast to ", self.sizes);
}
void fill(const TensorMeta& self, Scalar /*value*/, TensorMeta& out) {
  like(self, self.dtype, std::nullopt, out);
}
void fill(const TensorMeta& self, const TensorMeta& value, TensorMeta& out) {
  RL_CHECK(value.rank() == 0, Runtime,
           "fill_ only supports 0-dimension value tensor but got tensor with ", value.rank(),
           " dimensions.");
  like(self, self.dtype, std::nullopt, out);
}
void zero(const TensorMeta& self, TensorMeta& out) { like(self, self.dtype, std::nullopt, out); }

void prelu(const TensorMeta& self, const TensorMeta& weight, TensorMeta& out) {
  RL_CHECK(self.dtype == weight.dtype, Runtime, "prelu: Type promoting not supported. Got ",
           dtype_name(self.dtype), " and ", dtype_name(weight.dtype));
  const int64_t channels = self.rank() > 1 ? self.sizes[1] : 1;
  RL_CHECK(weight.rank() <= 1 && (weight.numel() == 1 || weight.numel() == channels), Runtime,
           "Mismatch of parameter numbers and input channel size. Found parameter numbers = ",
           weight.numel(), " and channel size = ", channels, ".");
  like(self, self.dtype, std::nullopt, out);
}

void dropout(const TensorMeta& self, double p, TensorMeta& out) {
  RL_CHECK(p >= 0 && p <= 1, Runtime, "dropout probability has to be between 0 and 1, but got ", p);
  RL_CHECK(is_floating(self.dtype) || is_complex(self.dtype), Runtime,
           "result type Float can't be cast to the desired output type ", dtype_name(self.dtype));
  like(self, self.dtype, std::nullopt, out);
}
void feature_dropout(const TensorMeta& self, double p, TensorMeta& out) {
  RL_CHECK(self.rank() >= 2, Runtime,
           "Feature dropout requires at least 2 dimensions in the input");
  dropout(self, p, out);
}

void native_dropout(const TensorMeta& self, double p, std::optional<bool>, TensorMeta& out,
                    TensorMeta& mask) {
  RL_CHECK(p >= 0 && p <= 1, Runtime, "dropout probability has to be between 0 and 1, but got ", p);
  like(self, self.dtype, std::nullopt, out);
  like(self, DType::Bool, std::nullopt, mask);
}

}  // namespace rushlight::shape
