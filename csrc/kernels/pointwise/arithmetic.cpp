// Tile functions of arithmetic.
#include "kernels/generated.h"

namespace rushlight::kernels::RL_CPU::tile {

TileFn add(DType compute, std::string_view) {
  if (compute != DType::Float32) return nullptr;
  return [](const TileParams& p, const void* const* in, void* out, int64_t n) {
    const auto alpha = p.get<float>(0);
    const auto* a = static_cast<const float*>(in[0]);
    const auto* b = static_cast<const float*>(in[1]);
    auto* o = static_cast<float*>(out);
    for (int64_t i = 0; i < n; ++i) o[i] = a[i] + alpha * b[i];
  };
}

}  // namespace rushlight::kernels::RL_CPU::tile
