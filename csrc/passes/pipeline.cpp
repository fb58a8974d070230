#include "pipeline.h"

namespace rushlight {

std::span<const Pass> pipeline() {
  static constexpr Pass passes[] = {
      {"decompose", decompose},            // composite operators become their expression
      {"fold_constants", fold_constants},  // what depends on weights and literals only
      {"remove_dead_code", remove_dead_code},
  };
  return passes;
}

}  // namespace rushlight
