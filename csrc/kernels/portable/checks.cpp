// Conditions that a program states about its own values.
#include "kernels/portable/number.h"

namespace rushlight::kernels::portable {

void assert_scalar(Scalar self, std::string_view assert_msg) {
  RL_CHECK(self.to_double() != 0, Runtime, assert_msg);
}

void assert_async(const Tensor& self, std::string_view assert_msg) {
  RL_CHECK(self.numel() > 0, Runtime, "Boolean value of Tensor with no values is ambiguous");
  RL_CHECK(self.numel() == 1, Runtime,
           "Boolean value of Tensor with more than one value is ambiguous");
  RL_CHECK(std::get<bool>(is_nonzero(self)), Runtime, assert_msg);
}

void assert_async(const Tensor& self) {
  assert_async(self, "Expected Tensor with single nonzero value, but got zero");
}

// Strides are not compared: this engine is free to lay values out as suits it.
void assert_tensor_metadata(const Tensor& a, std::optional<IntList> size, std::optional<IntList>,
                            std::optional<DType> dtype) {
  if (size)
    RL_CHECK(a.sizes == Dims(*size), Runtime, "Tensor sizes mismatch! Expected: ", Dims(*size),
             ", Got: ", a.sizes);
  if (dtype)
    RL_CHECK(a.dtype == *dtype, Runtime, "Tensor dtype mismatch! Expected: ", dtype_name(*dtype),
             ", Got: ", dtype_name(a.dtype));
}

void constrain_range(Scalar size, std::optional<int64_t> min, std::optional<int64_t> max) {
  const int64_t low = min.value_or(INT64_MIN), high = max.value_or(INT64_MAX), v = size.to_int();
  RL_CHECK(high >= low, Runtime, "Max must be greater than or equal to min. Got min=", low,
           " max=", high);
  RL_CHECK(low <= v && v <= high, Runtime, "Invalid value range for ", v, " between [", low, ", ",
           high, "].");
}

void constrain_range_for_size(Scalar size, std::optional<int64_t> min, std::optional<int64_t> max) {
  constrain_range(size, std::max<int64_t>(min.value_or(0), 0), max);
}

}  // namespace rushlight::kernels::portable
