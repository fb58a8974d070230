// Regions of interest: suppression, pooling and alignment, as torchvision defines them.
//
// He et al.: "Mask R-CNN", ICCV 2017 (roi_align); Dai et al.: "R-FCN", NeurIPS 2016 (ps_roi_pool).
#include <cmath>
#include <numeric>

#include "kernels/compute.h"
#include "kernels/portable/bilinear.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

// Shared by all operators here: input as T, boxes as T, output positions [k, c, i, j].
template <class T>
struct Call {
  Tensor input, rois;
  int64_t channels, height, width;
  Call(const Tensor& in, const Tensor& boxes)
      : input(contiguous_as(in, dtype_of<T>::value)),
        rois(contiguous_as(boxes, dtype_of<T>::value)),
        channels(in.sizes[1]),
        height(in.sizes[2]),
        width(in.sizes[3]) {}
  const T* box(int64_t k) const { return rois.data<T>() + 5 * k; }
  int64_t image(int64_t k) const {
    const auto n = static_cast<int64_t>(box(k)[0]);
    RL_CHECK(n >= 0 && n < input.sizes[0], Index, "region ", k, " lies on image ", n, " of ",
             input.sizes[0]);
    return n;
  }
  const T* plane(int64_t image, int64_t channel) const {
    return input.data<T>() + (image * channels + channel) * height * width;
  }
};

template <class F>
void for_each_region(int64_t count, F&& body) {
  cpu::parallel_for(0, count, 1, [&](int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) body(k);
  });
}

// Mean of bilinear samples on a regular grid inside one bin.
template <class T>
T sampled_mean(const T* plane, int64_t h, int64_t w, T y0, T x0, T bin_h, T bin_w, int64_t grid_h,
               int64_t grid_w) {
  T sum = 0;
  for (int64_t a = 0; a < grid_h; ++a)
    for (int64_t b = 0; b < grid_w; ++b) {
      const T y = y0 + (static_cast<T>(a) + T(0.5)) * bin_h / static_cast<T>(grid_h);
      const T x = x0 + (static_cast<T>(b) + T(0.5)) * bin_w / static_cast<T>(grid_w);
      sum += bilinear_inside(plane, h, w, y, x);
    }
  return sum / static_cast<T>(std::max<int64_t>(grid_h * grid_w, 1));
}

template <class T>
int64_t grid_size(int64_t sampling_ratio, T size, int64_t bins) {
  return sampling_ratio > 0 ? sampling_ratio
                            : static_cast<int64_t>(std::ceil(size / static_cast<T>(bins)));
}

// Pixels [begin, end) of a bin of whole pixels.
struct Pixels {
  int64_t begin, end;
};
template <class T>
Pixels bin_pixels(int64_t i, T bin, T start, int64_t size) {
  const auto begin = static_cast<int64_t>(std::floor(static_cast<T>(i) * bin + start));
  const auto end = static_cast<int64_t>(std::ceil(static_cast<T>(i + 1) * bin + start));
  return {std::clamp<int64_t>(begin, 0, size), std::clamp<int64_t>(end, 0, size)};
}

}  // namespace

void nms(const Tensor& dets, const Tensor& scores, double threshold, Tensor& out) {
  RL_CHECK(dets.rank() == 2 && dets.sizes[1] == 4, Runtime,
           "nms: boxes should be a 2d tensor of 4 columns, got shape ", dets.sizes);
  RL_CHECK(scores.rank() == 1 && scores.sizes[0] == dets.sizes[0], Runtime,
           "nms: boxes and scores should have same number of elements in dimension 0, got ",
           dets.sizes, " and ", scores.sizes);
  const Tensor boxes = contiguous_as(dets, DType::Float64);
  const Tensor score = contiguous_as(scores, DType::Float64);
  const int64_t n = score.numel();
  const double* s = score.data<double>();
  std::vector<int64_t> order(static_cast<size_t>(n)), kept;
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return s[a] > s[b]; });
  std::vector<bool> dropped(static_cast<size_t>(n));
  const auto area = [](const double* b) { return (b[2] - b[0]) * (b[3] - b[1]); };
  for (size_t i = 0; i < order.size(); ++i) {
    if (dropped[i]) continue;
    kept.push_back(order[i]);
    const double* a = boxes.data<double>() + 4 * order[i];
    for (size_t j = i + 1; j < order.size(); ++j) {
      if (dropped[j]) continue;
      const double* b = boxes.data<double>() + 4 * order[j];
      const double w = std::max(0.0, std::min(a[2], b[2]) - std::max(a[0], b[0]));
      const double h = std::max(0.0, std::min(a[3], b[3]) - std::max(a[1], b[1]));
      if (w * h / (area(a) + area(b) - w * h) > threshold) dropped[j] = true;
    }
  }
  out = Tensor::empty(Dims{static_cast<int64_t>(kept.size())}, DType::Int64);
  std::copy(kept.begin(), kept.end(), out.data<int64_t>());
}

void roi_align(const Tensor& input, const Tensor& rois, double scale, int64_t height, int64_t width,
               int64_t sampling_ratio, bool aligned, Tensor& out) {
  dispatch_float(input.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Call<T> call(input, rois);
    Result<T> y(out);
    const T s = static_cast<T>(scale), offset = aligned ? T(0.5) : T(0);
    for_each_region(rois.sizes[0], [&](int64_t k) {
      const T* box = call.box(k);
      const int64_t image = call.image(k);
      const T x0 = box[1] * s - offset, y0 = box[2] * s - offset;
      T w = box[3] * s - offset - x0, h = box[4] * s - offset - y0;
      if (!aligned) w = std::max(w, T(1)), h = std::max(h, T(1));
      const T bin_h = h / static_cast<T>(height), bin_w = w / static_cast<T>(width);
      const int64_t grid_h = grid_size(sampling_ratio, h, height);
      const int64_t grid_w = grid_size(sampling_ratio, w, width);
      T* to = y.data() + k * call.channels * height * width;
      for (int64_t c = 0; c < call.channels; ++c)
        for (int64_t i = 0; i < height; ++i)
          for (int64_t j = 0; j < width; ++j)
            *to++ = sampled_mean(call.plane(image, c), call.height, call.width,
                                 y0 + static_cast<T>(i) * bin_h, x0 + static_cast<T>(j) * bin_w,
                                 bin_h, bin_w, grid_h, grid_w);
    });
    y.store();
  });
}

void ps_roi_align(const Tensor& input, const Tensor& rois, double scale, int64_t height,
                  int64_t width, int64_t sampling_ratio, Tensor& out, Tensor& mapping) {
  dispatch_float(input.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Call<T> call(input, rois);
    Result<T> y(out);
    const T s = static_cast<T>(scale);
    const int64_t groups = out.sizes[1];
    for_each_region(rois.sizes[0], [&](int64_t k) {
      const T* box = call.box(k);
      const int64_t image = call.image(k);
      const T x0 = box[1] * s - T(0.5), y0 = box[2] * s - T(0.5);
      const T w = box[3] * s - T(0.5) - x0, h = box[4] * s - T(0.5) - y0;
      const T bin_h = h / static_cast<T>(height), bin_w = w / static_cast<T>(width);
      const int64_t grid_h = grid_size(sampling_ratio, h, height);
      const int64_t grid_w = grid_size(sampling_ratio, w, width);
      int64_t at = k * groups * height * width;
      for (int64_t c = 0; c < groups; ++c)
        for (int64_t i = 0; i < height; ++i)
          for (int64_t j = 0; j < width; ++j, ++at) {
            const int64_t channel = (c * height + i) * width + j;
            mapping.data<int32_t>()[at] = static_cast<int32_t>(channel);
            y.data()[at] = sampled_mean(
                call.plane(image, channel), call.height, call.width, y0 + static_cast<T>(i) * bin_h,
                x0 + static_cast<T>(j) * bin_w, bin_h, bin_w, grid_h, grid_w);
          }
    });
    y.store();
  });
}

void roi_pool(const Tensor& input, const Tensor& rois, double scale, int64_t height, int64_t width,
              Tensor& out, Tensor& argmax) {
  dispatch_float(input.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Call<T> call(input, rois);
    Result<T> y(out);
    const T s = static_cast<T>(scale);
    for_each_region(rois.sizes[0], [&](int64_t k) {
      const T* box = call.box(k);
      const int64_t image = call.image(k);
      const T x0 = std::round(box[1] * s), y0 = std::round(box[2] * s);
      const T w = std::max(std::round(box[3] * s) - x0 + 1, T(1));
      const T h = std::max(std::round(box[4] * s) - y0 + 1, T(1));
      int64_t at = k * call.channels * height * width;
      for (int64_t c = 0; c < call.channels; ++c)
        for (int64_t i = 0; i < height; ++i)
          for (int64_t j = 0; j < width; ++j, ++at) {
            const Pixels rows = bin_pixels(i, h / static_cast<T>(height), y0, call.height);
            const Pixels columns = bin_pixels(j, w / static_cast<T>(width), x0, call.width);
            const bool empty = rows.end <= rows.begin || columns.end <= columns.begin;
            T best = empty ? T(0) : std::numeric_limits<T>::lowest();
            int64_t place = -1;
            const T* plane = call.plane(image, c);
            for (int64_t a = rows.begin; a < rows.end; ++a)
              for (int64_t b = columns.begin; b < columns.end; ++b)
                if (plane[a * call.width + b] > best) {
                  best = plane[a * call.width + b];
                  place = a * call.width + b;
                }
            y.data()[at] = best;
            argmax.data<int32_t>()[at] = static_cast<int32_t>(place);
          }
    });
    y.store();
  });
}

void ps_roi_pool(const Tensor& input, const Tensor& rois, double scale, int64_t height,
                 int64_t width, Tensor& out, Tensor& mapping) {
  dispatch_float(input.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Call<T> call(input, rois);
    Result<T> y(out);
    const T s = static_cast<T>(scale);
    const int64_t groups = out.sizes[1];
    for_each_region(rois.sizes[0], [&](int64_t k) {
      const T* box = call.box(k);
      const int64_t image = call.image(k);
      const T x0 = std::round(box[1] * s), y0 = std::round(box[2] * s);
      const T w = std::max(std::round(box[3] * s) - x0, T(1));
      const T h = std::max(std::round(box[4] * s) - y0, T(1));
      int64_t at = k * groups * height * width;
      for (int64_t c = 0; c < groups; ++c)
        for (int64_t i = 0; i < height; ++i)
          for (int64_t j = 0; j < width; ++j, ++at) {
            const int64_t channel = (c * height + i) * width + j;
            mapping.data<int32_t>()[at] = static_cast<int32_t>(channel);
            const Pixels rows = bin_pixels(i, h / static_cast<T>(height), y0, call.height);
            const Pixels columns = bin_pixels(j, w / static_cast<T>(width), x0, call.width);
            const T* plane = call.plane(image, channel);
            T sum = 0;
            for (int64_t a = rows.begin; a < rows.end; ++a)
              for (int64_t b = columns.begin; b < columns.end; ++b)
                sum += plane[a * call.width + b];
            const int64_t count = (rows.end - rows.begin) * (columns.end - columns.begin);
            y.data()[at] = count > 0 ? sum / static_cast<T>(count) : T(0);
          }
    });
    y.store();
  });
}

}  // namespace rushlight::kernels::portable
