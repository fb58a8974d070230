#include "lazy/yield.h"

namespace rushlight::lazy {
namespace {

Yield g_yield{};  // set once, while the module is imported

}  // namespace

void set_yield(Yield yield) { g_yield = yield; }

Yielding::Yielding(bool wanted) {
  if (wanted && g_yield.release) state_ = g_yield.release();
}

Yielding::~Yielding() {
  if (state_) g_yield.acquire(state_);
}

}  // namespace rushlight::lazy
