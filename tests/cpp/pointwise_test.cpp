// The pointwise driver: shapes, strides, dtypes, fused programs, in-place, ranges.
#include "kernels/pointwise.h"

#include <cstring>
#include <vector>

#include "test.h"

namespace rushlight {
namespace {

void add_tile(const TileParams&, const void* const* in, void* out, int64_t n) {
  const auto* a = static_cast<const float*>(in[0]);
  const auto* b = static_cast<const float*>(in[1]);
  for (int64_t i = 0; i < n; ++i) static_cast<float*>(out)[i] = a[i] + b[i];
}
void mul_tile(const TileParams&, const void* const* in, void* out, int64_t n) {
  const auto* a = static_cast<const float*>(in[0]);
  const auto* b = static_cast<const float*>(in[1]);
  for (int64_t i = 0; i < n; ++i) static_cast<float*>(out)[i] = a[i] * b[i];
}
void less_tile(const TileParams&, const void* const* in, void* out, int64_t n) {
  const auto* a = static_cast<const float*>(in[0]);
  const auto* b = static_cast<const float*>(in[1]);
  for (int64_t i = 0; i < n; ++i) static_cast<bool*>(out)[i] = a[i] < b[i];
}

PointwiseStep step(TileFn fn, uint8_t a, uint8_t b, DType result = DType::Float32) {
  PointwiseStep s{};
  s.fn = fn;
  s.compute = DType::Float32;
  s.result = result;
  s.inputs = 2;
  s.in = {a, b};
  return s;
}

PointwiseProgram one(TileFn fn, DType result = DType::Float32) {
  PointwiseProgram p;
  p.operands = {{std::nullopt, DType::Float32}, {std::nullopt, DType::Float32}};
  p.steps = {step(fn, 0, 1, result)};
  p.outputs = {2};
  return p;
}

Tensor make(IntList sizes, IntList strides, DType dtype = DType::Float32) {
  int64_t reach = 1;
  for (size_t i = 0; i < sizes.size(); ++i)
    reach += std::max<int64_t>(sizes[i] - 1, 0) * strides[i];
  const Tensor memory = Tensor::empty(Dims{reach}, DType::Float32);
  for (int64_t i = 0; i < reach; ++i)
    memory.data<float>()[i] = static_cast<float>((i * 7 + reach) % 61) - 30;
  Tensor t = Tensor::empty(Dims{reach}, dtype);
  for (int64_t i = 0; i < reach; ++i) {
    const float v = memory.data<float>()[i];
    if (dtype == DType::Float32) t.data<float>()[i] = v;
    if (dtype == DType::Int64) t.data<int64_t>()[i] = static_cast<int64_t>(v);
    if (dtype == DType::BFloat16) t.data<BFloat16>()[i] = v;
  }
  t.sizes = Dims(sizes);
  t.strides = Dims(strides);
  return t;
}

// The element at a flat row-major index of `sizes`, with broadcasting.
double at(const Tensor& t, IntList sizes, int64_t flat) {
  int64_t offset = 0;
  for (size_t d = sizes.size(); d-- > 0;) {
    const int64_t i = flat % sizes[d];
    flat /= sizes[d];
    const size_t lead = sizes.size() - t.sizes.size();
    if (d >= lead && t.sizes[d - lead] != 1) offset += i * t.strides[d - lead];
  }
  switch (t.dtype) {
    case DType::Float32:
      return t.data<float>()[offset];
    case DType::Int64:
      return static_cast<double>(t.data<int64_t>()[offset]);
    case DType::BFloat16:
      return t.data<BFloat16>()[offset];
    default:
      return t.data<bool>()[offset];
  }
}

void run(const PointwiseProgram& p, std::vector<const Tensor*> in, std::vector<Tensor*> out) {
  run_pointwise(p, in, out);
}

void expect_sum(const Tensor& a, const Tensor& b, Tensor out) {
  run(one(add_tile), {&a, &b}, {&out});
  int wrong = 0;
  for (int64_t i = 0; i < out.numel(); ++i)
    wrong += at(out, out.sizes, i) != at(a, out.sizes, i) + at(b, out.sizes, i);
  EXPECT(wrong == 0);
}

TEST(pointwise_over_every_kind_of_access) {
  const Dims sizes{3, 5, 300};
  const Tensor contiguous = make(sizes, Dims{1500, 300, 1});
  const Tensor operands[] = {
      contiguous,
      make(sizes, Dims{1, 3, 15}),      // transposed
      make(sizes, Dims{3000, 600, 2}),  // gaps
      make(Dims{300}, Dims{1}),         // one row
      make(Dims{5, 1}, Dims{1, 1}),     // one element a row
      make(Dims{3, 1, 1}, Dims{1, 1, 1}),
      make(Dims{}, Dims{}),
      make(Dims{1, 1, 300}, Dims{1, 1, 2}),
      make(sizes, Dims{1500, 300, 1}, DType::Int64),
      make(Dims{5, 1}, Dims{1, 1}, DType::BFloat16),
      make(sizes, Dims{1, 3, 15}, DType::BFloat16),
  };
  for (const Tensor& a : operands)
    for (const Tensor& b : operands)
      for (const Dims& out : {Dims{1500, 300, 1}, Dims{1, 3, 15}, Dims{3000, 600, 2}})
        expect_sum(a, b, make(sizes, out));
}

TEST(pointwise_over_short_rows) {
  for (int64_t inner : {2, 7, 49, 255}) {
    const Dims sizes{40, 6, inner};
    const Dims dense = contiguous_strides(sizes);
    const Tensor x = make(sizes, dense), row = make(Dims{inner}, Dims{1});
    const Tensor channel = make(Dims{6, 1}, Dims{1, 1});
    const Tensor narrow = make(Dims{inner}, Dims{1}, DType::BFloat16);
    for (const Tensor* other : {&row, &channel, &narrow}) expect_sum(x, *other, make(sizes, dense));
    expect_sum(x, row, make(sizes, Dims{1, 40, 240}));
  }
}

TEST(pointwise_on_many_threads_covers_everything) {
  for (const Dims& sizes : {Dims{300001}, Dims{997, 301}, Dims{9001, 33}, Dims{1, 5, 50000}}) {
    const Dims dense = contiguous_strides(sizes);
    expect_sum(make(sizes, dense), make(sizes, dense), make(sizes, dense));
    expect_sum(make(sizes, dense), make(Dims{sizes.back()}, Dims{1}), make(sizes, dense));
  }
}

TEST(pointwise_of_nothing_and_of_rank_0) {
  expect_sum(make(Dims{0, 4}, Dims{4, 1}), make(Dims{4}, Dims{1}), make(Dims{0, 4}, Dims{4, 1}));
  expect_sum(make(Dims{}, Dims{}), make(Dims{}, Dims{}), make(Dims{}, Dims{}));
}

TEST(pointwise_in_place) {
  Tensor x = make(Dims{5000}, Dims{1});
  const Tensor before = x.clone();
  run(one(add_tile), {&x, &x}, {&x});
  int wrong = 0;
  for (int64_t i = 0; i < 5000; ++i) wrong += x.data<float>()[i] != 2 * before.data<float>()[i];
  EXPECT(wrong == 0);
}

// (a + b) * 2 < a, keeping the product, over an output that is also an input.
TEST(pointwise_fused_program_with_two_outputs) {
  PointwiseProgram p;
  p.operands = {{std::nullopt, DType::Float32},
                {std::nullopt, DType::Float32},
                {Scalar(2.0), DType::Float32}};
  p.steps = {step(add_tile, 0, 1), step(mul_tile, 3, 2), step(less_tile, 4, 0, DType::Bool)};
  p.outputs = {4, 5};
  Tensor a = make(Dims{50, 70}, Dims{70, 1});
  const Tensor before = a.clone(), b = make(Dims{70}, Dims{1});
  Tensor less = Tensor::empty(Dims{50, 70}, DType::Bool);
  run(p, {&a, &b}, {&a, &less});
  int wrong = 0;
  for (int64_t i = 0; i < 3500; ++i) {
    const double product = (at(before, a.sizes, i) + at(b, a.sizes, i)) * 2;
    wrong += at(a, a.sizes, i) != product;
    wrong += at(less, a.sizes, i) != (product < at(before, a.sizes, i));
  }
  EXPECT(wrong == 0);
}

TEST(pointwise_converts_what_it_stores) {
  const Tensor a = make(Dims{2000}, Dims{1}, DType::BFloat16);
  Tensor sum = make(Dims{2000}, Dims{3}, DType::BFloat16),
         less = Tensor::empty(Dims{2000}, DType::Int64);
  run(one(add_tile), {&a, &a}, {&sum});
  run(one(less_tile, DType::Bool), {&a, &sum}, {&less});
  int wrong = 0;
  for (int64_t i = 0; i < 2000; ++i) {
    wrong += at(sum, a.sizes, i) != 2 * at(a, a.sizes, i);
    wrong += less.data<int64_t>()[i] != (at(a, a.sizes, i) > 0);
  }
  EXPECT(wrong == 0);
}

// A long chain reuses buffers: sum of k copies of x.
TEST(pointwise_long_chain_reuses_buffers) {
  PointwiseProgram p;
  p.operands = {{std::nullopt, DType::Float32}};
  for (uint8_t k = 0; k < 40; ++k) p.steps.push_back(step(add_tile, k, 0));
  p.outputs = {40};
  const Tensor x = make(Dims{3000}, Dims{1});
  Tensor out = make(Dims{3000}, Dims{1});
  run(p, {&x}, {&out});
  int wrong = 0;
  for (int64_t i = 0; i < 3000; ++i) wrong += out.data<float>()[i] != 41 * x.data<float>()[i];
  EXPECT(wrong == 0);
}

TEST(epilogue_applies_to_a_range) {
  const PointwiseProgram p = one(add_tile);
  const Tensor row = make(Dims{70}, Dims{1});
  const Tensor column = make(Dims{30, 1}, Dims{1, 1});
  for (const Tensor* other : {&row, &column}) {
    Tensor out = make(Dims{30, 70}, Dims{70, 1});
    const Tensor before = out.clone();
    const Epilogue epilogue(&p, {&other, 1});
    epilogue.apply(out, 33, 1500);
    int wrong = 0;
    for (int64_t i = 0; i < 2100; ++i) {
      const bool inside = i >= 33 && i < 1533;
      wrong +=
          out.data<float>()[i] != before.data<float>()[i] + (inside ? at(*other, out.sizes, i) : 0);
    }
    EXPECT(wrong == 0);
  }
}

}  // namespace
}  // namespace rushlight
