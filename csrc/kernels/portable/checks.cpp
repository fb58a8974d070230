// Conditions that a program states about its own values.
#include <cstdio>

#include "kernels/copy.h"
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

void functional_assert_scalar(Scalar self, std::string_view assert_msg, const Tensor& dep_token,
                              Tensor& out) {
  assert_scalar(self, assert_msg);
  copy_strided(dep_token, out);
}

void functional_assert_async(const Tensor& self, std::string_view assert_msg,
                             const Tensor& dep_token, Tensor& out) {
  assert_async(self, assert_msg);
  copy_strided(dep_token, out);
}

void functional_constrain_range(Scalar size, std::optional<int64_t> min, std::optional<int64_t> max,
                                const Tensor& dep_token, Tensor& out) {
  constrain_range(size, min, max);
  copy_strided(dep_token, out);
}

void functional_constrain_range_for_size(Scalar size, std::optional<int64_t> min,
                                         std::optional<int64_t> max, const Tensor& dep_token,
                                         Tensor& out) {
  constrain_range_for_size(size, min, max);
  copy_strided(dep_token, out);
}

// LAPACK's number for each matrix of a batch: 0, or what is wrong with it.
void linalg_check_errors(const Tensor& info, std::string_view api_name, bool is_matrix) {
  const Tensor numbers = info.contiguous();
  for (int64_t i = 0; i < numbers.numel(); ++i) {
    const int32_t code = numbers.data<int32_t>()[i];
    if (code == 0) continue;
    const std::string where = is_matrix ? "" : detail::concat("(Batch element ", i, "): ");
    RL_CHECK(code > 0, Runtime, api_name, ": ", where, "Argument ", -code,
             " has illegal value. Most certainly there is a bug in the implementation calling the "
             "backend library.");
    RL_FAIL(Runtime, api_name, ": ", where,
            api_name.find("cholesky") != api_name.npos
                ? detail::concat("The factorization could not be completed because the input is "
                                 "not positive-definite (the leading minor of order ",
                                 code, " is not positive-definite).")
            : api_name.find("inv") != api_name.npos
                ? detail::concat("The diagonal element ", code,
                                 " is zero, the inversion could not "
                                 "be completed because the input matrix is singular.")
                : "The solver failed because the input matrix is singular.");
  }
}

void print(std::string_view s) {
  std::printf("%.*s\n", static_cast<int>(s.size()), s.data());
  std::fflush(stdout);
}

}  // namespace rushlight::kernels::portable
