// Choosing between values by a mask. The choice needs no arithmetic, so it goes by item size.
#include "kernels/tile.h"

namespace rushlight::kernels::RL_CPU::tile {
namespace {

struct Sixteen {
  uint64_t low, high;
};

template <class T>
void where_loop(const TileParams&, const void* const* in, void* out, int64_t n) {
  const auto* condition = static_cast<const bool*>(in[0]);
  const auto* a = static_cast<const T*>(in[1]);
  const auto* b = static_cast<const T*>(in[2]);
  auto* o = static_cast<T*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = condition[i] ? a[i] : b[i];
}

// in: self, mask, value
template <class T>
void masked_fill_loop(const TileParams& p, const void* const* in, void* out, int64_t n) {
  const void* const reordered[] = {in[1], in[2], in[0]};
  where_loop<T>(p, reordered, out, n);
}

// in: self, mask; the value is a parameter.
template <class T>
void masked_fill_scalar_loop(const TileParams& p, const void* const* in, void* out, int64_t n) {
  const T value = p.get<T>(0);
  const auto* a = static_cast<const T*>(in[0]);
  const auto* mask = static_cast<const bool*>(in[1]);
  auto* o = static_cast<T*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = mask[i] ? value : a[i];
}

template <class... Ts>
TileFn masked_fill_scalar_tile(DType t, Types<Ts...>) {
  TileFn fn = nullptr;
  ((t == dtype_of<Ts>::value ? void(fn = masked_fill_scalar_loop<Ts>) : void()), ...);
  return fn;
}

}  // namespace

TileFn where(DType t, std::string_view) {
  switch (item_size(t)) {
    case 1:
      return where_loop<uint8_t>;
    case 2:
      return where_loop<uint16_t>;
    case 4:
      return where_loop<float>;
    case 8:
      return where_loop<double>;
    default:
      return where_loop<Sixteen>;
  }
}

TileFn masked_fill(DType t, std::string_view) {
  switch (item_size(t)) {
    case 1:
      return masked_fill_loop<uint8_t>;
    case 2:
      return masked_fill_loop<uint16_t>;
    case 4:
      return masked_fill_loop<float>;
    case 8:
      return masked_fill_loop<double>;
    default:
      return masked_fill_loop<Sixteen>;
  }
}

TileFn masked_fill_scalar(DType t, std::string_view) { return masked_fill_scalar_tile(t, All{}); }

}  // namespace rushlight::kernels::RL_CPU::tile
