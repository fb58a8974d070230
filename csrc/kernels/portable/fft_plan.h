// Discrete Fourier transforms of one row, of any length.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace rushlight::kernels::portable {

/// Lengths whose prime factors are small go through Stockham's self-sorting passes, one per
/// factor; others are turned into a convolution of a power-of-two length (Bluestein 1970).
template <class T>
class FftPlan {
 public:
  using Complex = std::complex<T>;

  FftPlan(int64_t n, bool forward);
  /// Elements of scratch memory that `run` needs.
  int64_t scratch_size() const { return bluestein_ ? 2 * bluestein_->length : n_; }
  /// Transforms `row` (n elements) in place, without scaling.
  void run(Complex* row, Complex* scratch) const;

 private:
  struct Pass {
    int64_t radix;
    int64_t length;                 // of the sequences this pass takes apart
    std::vector<Complex> twiddles;  // w^(p u) at [p * radix + u]
    std::vector<Complex> roots;     // the radix-th roots of one
  };
  struct Bluestein {
    int64_t length;
    std::vector<Complex> chirp;     // n
    std::vector<Complex> spectrum;  // of the chirp's conjugate, divided by `length`
    std::unique_ptr<FftPlan> forward, backward;
  };

  void run_passes(Complex* row, Complex* scratch) const;
  void run_bluestein(Complex* row, Complex* scratch) const;

  int64_t n_;
  std::vector<Pass> passes_;
  std::unique_ptr<Bluestein> bluestein_;
};

}  // namespace rushlight::kernels::portable
