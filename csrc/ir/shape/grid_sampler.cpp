#include "ir/shape/generated.h"

namespace rushlight::shape {

void grid_sampler(const TensorMeta& input, const TensorMeta& grid, int64_t interpolation_mode,
                  int64_t padding_mode, bool, TensorMeta& out) {
  RL_CHECK(is_floating(input.dtype) && input.dtype == grid.dtype, Runtime,
           "grid_sampler: expected input and grid of one floating point dtype, got ",
           dtype_name(input.dtype), " and ", dtype_name(grid.dtype));
  RL_CHECK((input.rank() == 4 || input.rank() == 5) && grid.rank() == input.rank(), Runtime,
           "grid_sampler: expected 4D or 5D input and grid with same number of dimensions, got ",
           input.sizes, " and ", grid.sizes);
  RL_CHECK(grid.sizes[0] == input.sizes[0] && grid.sizes.back() == input.rank() - 2, Runtime,
           "grid_sampler: expected grid of batch size ", input.sizes[0], " and last dimension ",
           input.rank() - 2, ", got ", grid.sizes);
  RL_CHECK(
      interpolation_mode >= 0 && interpolation_mode <= 2 && padding_mode >= 0 && padding_mode <= 2,
      Runtime, "grid_sampler: interpolation_mode and padding_mode must be 0, 1 or 2, got ",
      interpolation_mode, " and ", padding_mode);
  RL_CHECK(interpolation_mode != 2 || input.rank() == 4, Runtime,
           "grid_sampler: bicubic interpolation only supports 4D input, got shape ", input.sizes);
  for (size_t d = 2; d < input.sizes.size(); ++d)
    RL_CHECK(input.sizes[d] > 0, Runtime,
             "grid_sampler: expected input to have non-empty spatial dimensions, got ",
             input.sizes);
  Dims sizes{input.sizes[0], input.sizes[1]};
  for (size_t d = 1; d + 1 < grid.sizes.size(); ++d) sizes.push_back(grid.sizes[d]);
  out.set(input.dtype, sizes);
}

}  // namespace rushlight::shape
