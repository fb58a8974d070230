// copy_strided against one loop over coordinates.
#include "kernels/copy.h"

#include <bit>
#include <cstring>
#include <vector>

#include "kernels/convert.h"
#include "test.h"

namespace rushlight::kernels {
namespace {

// A tensor over fresh memory whose dimensions lie in memory in the given order (outermost first),
// with `gap` unused elements after each element.
Tensor strided(IntList sizes, IntList order, int64_t gap, DType dtype) {
  TensorMeta meta;
  meta.set(dtype, sizes);
  int64_t step = 1 + gap;
  for (size_t i = order.size(); i-- > 0;) {
    meta.strides[order[i]] = step;
    step *= std::max<int64_t>(sizes[order[i]], 1);
  }
  Tensor memory = Tensor::empty(Dims{step + 1}, dtype);
  auto* bytes = reinterpret_cast<uint8_t*>(memory.raw());
  for (int64_t i = 0; i < memory.nbytes(); ++i) bytes[i] = static_cast<uint8_t>(i * 37 % 101);
  return Tensor(meta, memory.storage(), memory.raw());
}

template <class T>
void for_each(const Tensor& a, const Tensor& b, T&& f) {
  const int64_t n = a.numel();
  for (int64_t flat = 0; flat < n; ++flat) {
    int64_t rest = flat, x = 0, y = 0;
    for (size_t d = a.sizes.size(); d-- > 0;) {
      x += rest % a.sizes[d] * a.strides[d];
      y += rest % a.sizes[d] * b.strides[d];
      rest /= a.sizes[d];
    }
    f(x, y);
  }
}

void check(const Tensor& src, const Tensor& dst) {
  copy_strided(src, dst);
  const int64_t item = item_size(src.dtype);
  int wrong = 0;
  for_each(src, dst, [&](int64_t x, int64_t y) {
    wrong +=
        std::memcmp(src.raw() + x * item, dst.raw() + y * item, static_cast<size_t>(item)) != 0;
  });
  EXPECT(wrong == 0);
}

const Dims kOrders[] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}};

TEST(copy_between_all_orders_and_item_sizes) {
  for (DType t : {DType::UInt8, DType::BFloat16, DType::Float32, DType::Int64, DType::Complex128})
    for (const Dims& sizes : {Dims{5, 7, 9}, Dims{1, 64, 33}, Dims{130, 3, 70}, Dims{2, 1, 300}})
      for (const Dims& from : kOrders)
        for (const Dims& to : kOrders)
          for (int64_t gap : {0, 1})
            check(strided(sizes, from, gap, t), strided(sizes, to, 1 - gap, t));
}

TEST(copy_of_an_expanded_tensor) {
  Tensor src = strided(Dims{4, 1, 6}, Dims{0, 1, 2}, 0, DType::Float32);
  src.sizes = {4, 5, 6};
  src.strides = {6, 0, 1};
  for (const Dims& to : kOrders) check(src, strided(Dims{4, 5, 6}, to, 0, DType::Float32));
}

TEST(copy_of_nothing_and_of_one_element) {
  check(strided(Dims{0, 3}, Dims{0, 1}, 0, DType::Float32),
        strided(Dims{0, 3}, Dims{1, 0}, 0, DType::Float32));
  check(strided(Dims{}, Dims{}, 0, DType::Int16), strided(Dims{}, Dims{}, 0, DType::Int16));
}

TEST(conversion_follows_copy_) {
  const float values[] = {-1.0f, 0.0f, 0.5f, 255.0f, 300.0f, -0.0f, 1e-8f};
  Tensor src = Tensor::empty(Dims{7}, DType::Float32);
  std::copy(std::begin(values), std::end(values), src.data<float>());
  Tensor bytes = Tensor::empty(Dims{7}, DType::UInt8);
  copy_strided(src, bytes);
  const uint8_t wanted[] = {255, 0, 0, 255, 44, 0, 0};
  for (int i = 0; i < 7; ++i) EXPECT(bytes.data<uint8_t>()[i] == wanted[i]);
  Tensor flags = Tensor::empty(Dims{7}, DType::Bool);
  copy_strided(src, flags);
  const bool truth[] = {true, false, true, true, true, false, true};
  for (int i = 0; i < 7; ++i) EXPECT(flags.data<bool>()[i] == truth[i]);
}

// Integers that every type holds go there and back through every pair of types, strided too.
TEST(conversion_between_all_pairs_keeps_small_integers) {
  for (int from = 0; from < kDTypeCount; ++from)
    for (int to = 0; to < kDTypeCount; ++to) {
      Tensor start = Tensor::empty(Dims{3, 50}, DType::Int32);
      const int range = from == 0 || to == 0 ? 2 : 100;
      for (int i = 0; i < 150; ++i) start.data<int32_t>()[i] = i % range;
      Tensor a = strided(Dims{3, 50}, Dims{1, 0}, 1, static_cast<DType>(from));
      Tensor b = strided(Dims{3, 50}, Dims{0, 1}, 1, static_cast<DType>(to));
      Tensor back = Tensor::empty(Dims{3, 50}, DType::Int32);
      copy_strided(start, a);
      copy_strided(a, b);
      copy_strided(b, back);
      EXPECT(std::memcmp(start.raw(), back.raw(), 600) == 0);
    }
}

// Every one of the 65536 values, vectors and tail, against the scalar functions of core/half.h.
TEST(half_conversions_agree_with_the_scalar_ones) {
  for (DType t : {DType::Float16, DType::BFloat16}) {
    Tensor all = Tensor::empty(Dims{65536 + 3}, t);
    for (int i = 0; i < 65539; ++i) all.data<uint16_t>()[i] = static_cast<uint16_t>(i);
    Tensor wide = Tensor::empty(Dims{65539}, DType::Float32),
           narrow = Tensor::empty(Dims{65539}, t);
    copy_strided(all, wide);
    copy_strided(wide, narrow);
    int wrong = 0;
    for (int i = 0; i < 65539; ++i) {
      const uint16_t bits = all.data<uint16_t>()[i];
      const float f = wide.data<float>()[i];
      const float expected =
          t == DType::Float16 ? half_bits_to_float(bits) : bfloat16_bits_to_float(bits);
      if (expected != expected) {
        wrong += f == f;
      } else {
        wrong += std::bit_cast<uint32_t>(f) != std::bit_cast<uint32_t>(expected);
        wrong += narrow.data<uint16_t>()[i] != bits;
      }
    }
    EXPECT(wrong == 0);
  }
}

}  // namespace
}  // namespace rushlight::kernels
