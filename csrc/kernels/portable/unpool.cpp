// Unpooling and affine grids.
#include "kernels/portable/call.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

void unpool(const char* name, const Tensor& self, const Tensor& indices, int64_t n, Tensor& out) {
  int64_t planes = 1, from = 1, to = 1;
  for (int64_t d = 0; d < self.rank(); ++d) {
    const bool spatial = d >= self.rank() - n;
    (spatial ? from : planes) *= self.sizes[d];
    if (spatial) to *= out.sizes[d];
  }
  const Tensor x = self.contiguous(), index = as_int64(indices);
  call("fill_.Scalar", out, Scalar(0));
  const int64_t* at = index.data<int64_t>();
  dispatch_dtype(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t p = 0; p < planes; ++p)
      for (int64_t i = p * from; i < (p + 1) * from; ++i) {
        RL_CHECK(at[i] >= 0 && at[i] < to, Runtime, name, ": Found an invalid max index: ", at[i],
                 " (output volumes are of size ", to, ")");
        out.data<T>()[p * to + at[i]] = x.data<T>()[i];
      }
  });
}

// Coordinates of pixel centres between -1 and 1, or of pixels with the corners at -1 and 1.
Tensor coordinates(int64_t n, bool align_corners, DType dtype) {
  if (n <= 1) return call("zeros", Dims{n}, dtype);
  const Tensor line = call("linspace", Scalar(-1), Scalar(1), n, dtype);
  if (align_corners) return line;
  const double inside = static_cast<double>(n - 1) / static_cast<double>(n);
  return call("mul.Scalar", line, Scalar(inside));
}

}  // namespace

void max_unpool2d(const Tensor& self, const Tensor& indices, IntList, Tensor& out) {
  unpool("max_unpool2d", self, indices, 2, out);
}
void max_unpool3d(const Tensor& self, const Tensor& indices, IntList, IntList, IntList,
                  Tensor& out) {
  unpool("max_unpool3d", self, indices, 3, out);
}

void affine_grid(const Tensor& theta, IntList size, bool align_corners, Tensor& out) {
  const auto n = static_cast<int64_t>(size.size()) - 2;
  const int64_t points = n > 0 ? out.numel() / std::max<int64_t>(size[0] * n, 1) : 0;
  if (points == 0) return;
  // Homogeneous coordinates of every point, x first.
  Tensor base = call("ones", Dims{points, n + 1}, theta.dtype);
  int64_t inner = 1;
  for (int64_t d = n - 1; d >= 0; --d) {
    const int64_t length = size[static_cast<size_t>(d + 2)];
    const Tensor line = coordinates(length, align_corners, theta.dtype);
    const Tensor spread = expanded(call("unsqueeze", line, -1), Dims{length, inner});
    const Tensor lines = expanded(call("reshape", spread, Dims{length * inner}),
                                  Dims{points / (length * inner), length * inner});
    copy_strided(call("reshape", lines, Dims{points, 1}), narrowed(base, 1, n - 1 - d, 1));
    inner *= length;
  }
  const Tensor grid = call("matmul", base, call("transpose.int", theta, 1, 2));
  give(call("reshape", grid, IntList(out.sizes)), out);
}

}  // namespace rushlight::kernels::portable
