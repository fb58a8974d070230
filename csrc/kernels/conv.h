// Convolutions of float and double without im2col.
//
// The input of one channel is laid out flat: rows one after another at a fixed pitch, with the
// padding's zeros between them. Output pixel (h, w) has the flat index h * pitch + w, and what tap
// k of the kernel reads for it lies at that index plus an offset that depends on k alone. So a
// convolution is a matrix product: weights [out, in * taps] times a matrix whose row k is the flat
// image from offset k on. A few columns between rows are computed for nothing and not stored. With
// a stride s the image is split into s x s phases, each of which is read without stride.
#pragma once

#include <vector>

#include "ir/shape/convolution.h"
#include "kernels/gemm.h"

namespace rushlight::kernels::RL_CPU {

class FlatImage {
 public:
  explicit FlatImage(const ConvGeometry& g);

  /// The input already is the flat image: no padding, no strides.
  bool in_place() const { return in_place_; }
  /// Elements of one channel.
  int64_t channel_size() const { return channel_; }
  /// Flat output indices, from the first pixel to the last.
  int64_t columns() const { return columns_; }
  /// Offset of each tap inside a channel.
  const std::vector<int64_t>& taps() const { return taps_; }
  /// Pixels of the output before flat index `column`.
  int64_t pixels_before(int64_t column) const;
  /// Calls run(column, pixel, length) for the runs of true pixels in columns [first, last).
  template <class F>
  void for_each_run(int64_t first, int64_t last, const F& run) const {
    while (first < last) {
      const int64_t slice = rows_ * pitch_;
      const int64_t d = first / slice, h = first % slice / pitch_, w = first % pitch_;
      if (h < out_[1] && w < out_[2]) {
        const int64_t length = std::min(out_[2] - w, last - first);
        run(first, (d * out_[1] + h) * out_[2] + w, length);
      }
      first += h < out_[1] ? pitch_ - w : slice - first % slice;
    }
  }
  /// Lays out one channel of the input.
  template <class T>
  void fill(const T* input, T* image) const;

 private:
  Spatial in_, out_, stride_, pad_;
  std::vector<int64_t> residues_[3];  // of tap positions modulo the stride
  int64_t length_[3];                 // of a phase, per dimension
  int64_t rows_, pitch_, plane_, channel_, columns_;
  bool in_place_;
  std::vector<int64_t> taps_;
};

/// The arguments of one convolution, contiguous, all of one dtype.
template <class T>
struct Conv {
  const ConvGeometry& g;
  const T* input;
  const T* weight;
  const T* bias;  // or null
  T* output;
  const Epilogue* epilogue;
  Tensor* out;

  void finish(int64_t begin, int64_t n) const {
    if (epilogue && !epilogue->empty()) epilogue->apply(*out, begin, n);
  }
};

template <class T>
void conv_gemm(const Conv<T>& conv);
/// One input channel per group.
template <class T>
void conv_depthwise(const Conv<T>& conv);
template <class T>
void conv_transposed(const Conv<T>& conv);
/// The dtypes that only product() knows: integers and complex numbers.
void conv_general(const ConvGeometry& g, const Tensor& input, const Tensor& weight,
                  const Tensor* bias, Tensor& out);

}  // namespace rushlight::kernels::RL_CPU
