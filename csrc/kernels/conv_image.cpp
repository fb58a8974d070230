#include "kernels/conv.h"

namespace rushlight::kernels::RL_CPU {

FlatImage::FlatImage(const ConvGeometry& g)
    : in_(g.in), out_(g.out), stride_(g.stride), pad_(g.pad_before) {
  in_place_ = true;
  Spatial reach;
  std::vector<int64_t> phase[3], shift[3];
  for (int d = 0; d < 3; ++d) {
    reach[d] = 0;
    for (int64_t k = 0; k < g.kernel[d]; ++k) {
      const int64_t residue = k * g.dilation[d] % g.stride[d];
      auto& known = residues_[d];
      const auto at = std::find(known.begin(), known.end(), residue);
      phase[d].push_back(at - known.begin());
      if (at == known.end()) known.push_back(residue);
      shift[d].push_back(k * g.dilation[d] / g.stride[d]);
      reach[d] = std::max(reach[d], shift[d].back());
    }
    length_[d] = g.out[d] + reach[d];
    if (g.stride[d] != 1 || g.pad_before[d] || g.pad_after[d]) in_place_ = false;
  }
  pitch_ = length_[2];
  // The zeros on the right of a row may be those on the left of the next one.
  if (g.stride[2] == 1)
    pitch_ = std::max(g.in[2] + std::max(g.pad_before[2], g.pad_after[2]), g.out[2]);
  rows_ = length_[1];
  plane_ = length_[0] * rows_ * pitch_ + reach[2];
  channel_ = in_place_ ? g.in_pixels()
                       : plane_ * static_cast<int64_t>(residues_[0].size() * residues_[1].size() *
                                                       residues_[2].size());
  columns_ = ((g.out[0] - 1) * rows_ + g.out[1] - 1) * pitch_ + g.out[2];
  for (int64_t d = 0; d < g.kernel[0]; ++d)
    for (int64_t h = 0; h < g.kernel[1]; ++h)
      for (int64_t w = 0; w < g.kernel[2]; ++w) {
        const auto index = [&](int dim, int64_t k) { return phase[dim][static_cast<size_t>(k)]; };
        const auto by = [&](int dim, int64_t k) { return shift[dim][static_cast<size_t>(k)]; };
        const int64_t plane =
            (index(0, d) * static_cast<int64_t>(residues_[1].size()) + index(1, h)) *
                static_cast<int64_t>(residues_[2].size()) +
            index(2, w);
        taps_.push_back(plane * plane_ + (by(0, d) * rows_ + by(1, h)) * pitch_ + by(2, w));
      }
}

int64_t FlatImage::pixels_before(int64_t column) const {
  const int64_t slice = rows_ * pitch_;
  const int64_t d = column / slice, h = column % slice / pitch_, w = column % pitch_;
  if (h >= out_[1]) return (d + 1) * out_[1] * out_[2];
  return (d * out_[1] + h) * out_[2] + std::min(w, out_[2]);
}

template <class T>
void FlatImage::fill(const T* input, T* image) const {
  const auto inside = [&](int dim, int64_t x) { return x >= 0 && x < in_[dim]; };
  for (int64_t rd : residues_[0])
    for (int64_t rh : residues_[1])
      for (int64_t rw : residues_[2]) {
        // Of a row, `count` elements from `first` on come from the input, the others are zero.
        const int64_t step = stride_[2], origin = rw - pad_[2];
        const int64_t first = std::min(origin < 0 ? (-origin + step - 1) / step : 0, pitch_);
        const int64_t limit = origin >= in_[2] ? 0 : (in_[2] - origin + step - 1) / step;
        const int64_t count = std::max<int64_t>(std::min(limit, pitch_) - first, 0);
        T* row = image;
        for (int64_t yd = 0; yd < length_[0]; ++yd)
          for (int64_t yh = 0; yh < rows_; ++yh, row += pitch_) {
            const int64_t d = yd * stride_[0] + rd - pad_[0], h = yh * stride_[1] + rh - pad_[1];
            if (!inside(0, d) || !inside(1, h) || count == 0) {
              std::fill_n(row, pitch_, T(0));
              continue;
            }
            const T* from = input + (d * in_[1] + h) * in_[2] + origin + first * step;
            std::fill_n(row, first, T(0));
            if (step == 1)
              std::copy_n(from, count, row + first);
            else if (step == 2)
              for (int64_t i = 0; i < count; ++i) row[first + i] = from[2 * i];
            else
              for (int64_t i = 0; i < count; ++i) row[first + i] = from[i * step];
            std::fill_n(row + first + count, pitch_ - first - count, T(0));
          }
        std::fill(row, image + plane_, T(0));
        image += plane_;
      }
}

template void FlatImage::fill(const float*, float*) const;
template void FlatImage::fill(const double*, double*) const;

}  // namespace rushlight::kernels::RL_CPU
