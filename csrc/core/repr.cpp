#include "repr.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace rushlight {
namespace {

constexpr int64_t kThreshold = 1000;  // elements above which a tensor is summarised
constexpr int64_t kEdge = 3;          // elements shown at each end of a summarised dimension
constexpr int kPrecision = 4;
constexpr size_t kLineWidth = 80;

// How the numbers of one tensor are printed; decided by all that are shown.
struct Format {
  bool integral = true;  // floats that are all whole print as `1.`
  bool scientific = false;
  size_t width = 1;
};

double real_value(DType t, const std::byte* at) {
  return dispatch_dtype(t, [&](auto v) -> double {
    using T = decltype(v);
    std::memcpy(&v, at, sizeof(T));
    if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
      return v.real();
    else
      return static_cast<double>(v);
  });
}

std::string print_float(double v, const Format& f) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  char text[64];
  if (f.scientific)
    std::snprintf(text, sizeof text, "%.*e", kPrecision, v);
  else if (f.integral)
    std::snprintf(text, sizeof text, "%.0f.", v);
  else
    std::snprintf(text, sizeof text, "%.*f", kPrecision, v);
  return text;
}

std::string print_element(const Tensor& t, const std::byte* at, const Format& f) {
  switch (category(t.dtype)) {
    case DTypeCategory::Bool:
      return *at == std::byte{0} ? "False" : "True";
    case DTypeCategory::Integer: {
      int64_t value = dispatch_dtype(t.dtype, [&](auto v) -> int64_t {
        using T = decltype(v);
        std::memcpy(&v, at, sizeof(T));
        if constexpr (std::is_integral_v<T>) return v;
        return 0;
      });
      return std::to_string(value);
    }
    case DTypeCategory::Float:
      return print_float(real_value(t.dtype, at), f);
    case DTypeCategory::Complex: {
      const bool single = t.dtype == DType::Complex64;
      const DType part = single ? DType::Float32 : DType::Float64;
      const double imag = real_value(part, at + item_size(part));
      const std::string tail = print_float(std::abs(imag), f) + "j";
      return print_float(real_value(part, at), f) + (std::signbit(imag) ? "-" : "+") + tail;
    }
  }
  return "";
}

class Printer {
 public:
  explicit Printer(const Tensor& t) : t_(t), summarise_(t.numel() > kThreshold) {
    double smallest = INFINITY, largest = 0;
    visit(0, t.raw(), [&](const std::byte* at) {
      const bool complex = is_complex(t.dtype);
      const DType part = real_type(t.dtype);
      for (int i = 0; i < (complex ? 2 : 1); ++i) {
        const double v = std::abs(real_value(part, at + i * item_size(part)));
        if (!std::isfinite(v)) continue;
        if (v != std::floor(v)) format_.integral = false;
        if (v != 0) smallest = std::min(smallest, v);
        largest = std::max(largest, v);
      }
    });
    if (largest > 0)
      format_.scientific = largest / smallest > 1000. || largest > 1.e8 || smallest < 1.e-4;
    if (format_.integral) format_.scientific = largest > 1.e8;
    visit(0, t.raw(), [&](const std::byte* at) {
      format_.width = std::max(format_.width, print_element(t_, at, format_).size());
    });
  }

  std::string print(size_t indent) { return print(0, t_.raw(), indent); }

 private:
  bool cut(size_t dim) const { return summarise_ && t_.sizes[dim] > 2 * kEdge; }

  void visit(size_t dim, const std::byte* at, const std::function<void(const std::byte*)>& f) {
    if (dim == t_.sizes.size()) return f(at);
    for (int64_t i = 0; i < t_.sizes[dim]; ++i) {
      if (cut(dim) && i == kEdge) i = t_.sizes[dim] - kEdge;
      visit(dim + 1, at + i * t_.strides[dim] * item_size(t_.dtype), f);
    }
  }

  std::string print(size_t dim, const std::byte* at, size_t indent) {
    if (dim == t_.sizes.size()) {
      const std::string text = print_element(t_, at, format_);
      if (t_.rank() == 0) return text;
      return std::string(format_.width - std::min(format_.width, text.size()), ' ') + text;
    }
    const bool innermost = dim + 1 == t_.sizes.size();
    const size_t per_line =
        std::max<size_t>(1, (kLineWidth - std::min(indent, kLineWidth)) / (format_.width + 2));
    const std::string newline =
        std::string(innermost ? 1 : t_.sizes.size() - 1 - dim, '\n') + std::string(indent + 1, ' ');
    std::string out = "[";
    size_t shown = 0;
    for (int64_t i = 0; i < t_.sizes[dim]; ++i) {
      if (shown) out += innermost && shown % per_line != 0 ? ", " : "," + newline;
      if (cut(dim) && i == kEdge) {
        out += innermost ? "..., " : "...," + newline;
        i = t_.sizes[dim] - kEdge;
      }
      out += print(dim + 1, at + i * t_.strides[dim] * item_size(t_.dtype), indent + 1);
      ++shown;
    }
    return out + "]";
  }

  const Tensor& t_;
  bool summarise_;
  Format format_;
};

}  // namespace

std::string repr(const Tensor& t) {
  const std::string head = "tensor(";
  std::string out = head + Printer(t).print(head.size());
  if (t.numel() == 0 && t.rank() > 1) out += detail::concat(", size=", t.sizes);
  const bool implied = t.dtype == DType::Float32 || t.dtype == DType::Bool ||
                       t.dtype == DType::Complex64 || (t.dtype == DType::Int64 && t.numel() > 0);
  if (!implied) out += ", dtype=rushlight." + std::string(dtype_name(t.dtype));
  return out + ")";
}

}  // namespace rushlight
