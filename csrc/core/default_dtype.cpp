#include "default_dtype.h"

#include <atomic>

#include "error.h"

namespace rushlight {
namespace {

std::atomic<DType> current{DType::Float32};

}  // namespace

DType default_dtype() { return current.load(std::memory_order_relaxed); }

void set_default_dtype(DType t) {
  RL_CHECK(is_floating(t), Type,
           "only floating-point types are supported as the default type, got ", dtype_name(t));
  current.store(t, std::memory_order_relaxed);
}

}  // namespace rushlight
