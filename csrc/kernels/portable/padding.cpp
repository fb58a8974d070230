// Padding: with a constant, or with elements of the input itself.
#include <cstring>

#include "kernels/kernel.h"
#include "kernels/portable/fill.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

enum class Mode : uint8_t { Reflect, Replicate, Circular };

// The input position that output position `i - before` shows.
int64_t source(int64_t i, int64_t size, Mode mode) {
  switch (mode) {
    case Mode::Reflect:
      return i < 0 ? -i : i >= size ? 2 * (size - 1) - i : i;
    case Mode::Replicate:
      return std::clamp<int64_t>(i, 0, size - 1);
    case Mode::Circular:
      return i < 0 ? i + size : i >= size ? i - size : i;
  }
  __builtin_unreachable();
}

int64_t before(IntList pad, int64_t rank, int64_t dim) {
  const auto i = static_cast<size_t>(rank - 1 - dim);
  return 2 * i < pad.size() ? pad[2 * i] : 0;
}

// Rows along the last dimension: the middle is copied as a block, the ends element by element.
template <class T>
void pad_rows(const Tensor& self, IntList pad, Mode mode, Tensor& out) {
  const int64_t rank = self.rank(), last = rank - 1;
  std::vector<std::vector<int64_t>> table(static_cast<size_t>(rank));
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t lead = before(pad, rank, d), stride = d == last ? 1 : self.strides[d];
    // What negative padding cuts off is not seen by circular padding at the other end.
    const int64_t trail = out.sizes[d] - self.sizes[d] - lead;
    const int64_t cut = mode == Mode::Circular ? std::max<int64_t>(-lead, 0) : 0;
    const int64_t cut_end = mode == Mode::Circular ? std::max<int64_t>(-trail, 0) : 0;
    for (int64_t o = 0; o < out.sizes[d]; ++o)
      table[d].push_back((source(o - lead - cut, self.sizes[d] - cut - cut_end, mode) + cut) *
                         stride);
  }
  const int64_t width = out.sizes[last], lead = before(pad, rank, last);
  const int64_t first = std::max<int64_t>(lead, 0);
  const int64_t end = std::min(width, lead + self.sizes[last]);
  cpu::parallel_for(0, out.numel() / width, kGrain / width + 1, [&](int64_t r0, int64_t r1) {
    for (int64_t r = r0; r < r1; ++r) {
      int64_t rest = r, offset = 0;
      for (int64_t d = last; d-- > 0;) {
        offset += table[d][rest % out.sizes[d]];
        rest /= out.sizes[d];
      }
      const T* from = self.data<T>() + offset;
      T* to = out.data<T>() + r * width;
      for (int64_t o = 0; o < std::min(first, width); ++o) to[o] = from[table[last][o]];
      if (end > first)
        std::memcpy(to + first, from + (first - lead),
                    static_cast<size_t>(end - first) * sizeof(T));
      for (int64_t o = std::max(end, first); o < width; ++o) to[o] = from[table[last][o]];
    }
  });
}

void pad_with(const Tensor& self, IntList pad, Mode mode, Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor input = self.contiguous();
  dispatch_item(item_size(self.dtype),
                [&](auto zero) { pad_rows<decltype(zero)>(input, pad, mode, out); });
}

}  // namespace

void constant_pad(const Tensor& self, IntList pad, Scalar value, Tensor& out) {
  fill_dense(out, value);
  Tensor from = self, to = out;
  for (int64_t d = 0; d < self.rank(); ++d) {
    const int64_t lead = before(pad, self.rank(), d);
    const int64_t first = std::max<int64_t>(-lead, 0);  // a negative pad drops elements
    const int64_t end = std::min(self.sizes[d], out.sizes[d] - lead);
    const int64_t length = std::max<int64_t>(end - first, 0);
    from = narrowed(from, d, first, length);
    to = narrowed(to, d, first + lead, length);
  }
  copy_strided(from, to);
}

void pad(const Tensor& self, IntList pad, std::string_view mode, std::optional<double> value,
         Tensor& out) {
  if (mode == "constant") return constant_pad(self, pad, value.value_or(0), out);
  pad_with(self, pad,
           mode == "reflect"     ? Mode::Reflect
           : mode == "replicate" ? Mode::Replicate
                                 : Mode::Circular,
           out);
}
void reflection_pad(const Tensor& self, IntList padding, Tensor& out) {
  pad_with(self, padding, Mode::Reflect, out);
}
void replication_pad(const Tensor& self, IntList padding, Tensor& out) {
  pad_with(self, padding, Mode::Replicate, out);
}
void circular_pad(const Tensor& self, IntList padding, Tensor& out) {
  pad_with(self, padding, Mode::Circular, out);
}

}  // namespace rushlight::kernels::portable
