// Comparisons of whole tensors that give one bool.
#include "kernels/portable/call.h"
#include "kernels/portable/number.h"

namespace rushlight::kernels::portable {

Argument allclose(const Tensor& self, const Tensor& other, double rtol, double atol,
                  bool equal_nan) {
  return item(call("all", call("isclose", self, other, rtol, atol, equal_nan)));
}

Argument equal(const Tensor& self, const Tensor& other) {
  if (self.sizes != other.sizes) return false;
  return item(call("all", call("eq.Tensor", self, other)));
}

}  // namespace rushlight::kernels::portable
