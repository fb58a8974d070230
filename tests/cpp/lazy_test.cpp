// The recorder without Python: values, writes, errors, threads.
#include <atomic>
#include <thread>

#include "lazy/metrics.h"
#include "lazy/recorder.h"
#include "test.h"

namespace rushlight {
namespace {

using lazy::Counter;

const OpDef& op(const char* name) {
  const OpDef* found = find_op(name);
  RL_ASSERT(found, name);
  return *found;
}

Tensor filled(int64_t n, float value) {
  Tensor t = Tensor::empty(Dims{n}, DType::Float32);
  std::fill_n(t.data<float>(), n, value);
  return t;
}

Tensor add(const Tensor& a, const Argument& b) {
  const Argument args[] = {&a, b, int64_t{1}};
  return lazy::call(op("aten.add.Tensor"), args).tensors.at(0);
}
Tensor add(const Tensor& a, const Tensor& b) {
  return add(a, Argument{static_cast<const Tensor*>(&b)});
}
void add_in_place(const Tensor& a, const Argument& b) {
  const Argument args[] = {&a, b, int64_t{1}};
  lazy::call(op("aten.add_.Tensor"), args);
}

float first(const Tensor& t) {
  lazy::compute(t);
  return *t.data<float>();
}

Tensor part(const Tensor& t, int64_t from, int64_t count) {
  TensorMeta meta = t;
  meta.sizes = Dims{count};
  meta.view_offset = from;
  return t.view(meta);
}

TEST(lazy_numbers_are_inputs_of_one_program) {
  const Tensor x = filled(8, 1);
  first(add(add(x, Argument{2.0}), Argument{3.0}));
  const int64_t compiled = lazy::value(Counter::Compilations);
  EXPECT_EQ(first(add(add(x, Argument{20.0}), Argument{30.0})), 51.0f);
  EXPECT_EQ(lazy::value(Counter::Compilations), compiled);
}

TEST(lazy_writes_reach_all_views) {
  const Tensor x = filled(6, 0);
  const Tensor y = add(x, Argument{1.0});
  const Tensor middle = part(y, 2, 2);
  add_in_place(middle, Argument{5.0});
  const Tensor end = part(y, 3, 3);
  add_in_place(y, Argument{10.0});
  EXPECT_EQ(first(y), 11.0f);
  EXPECT_EQ(first(middle), 16.0f);
  EXPECT_EQ(first(end), 16.0f);
  EXPECT_EQ(first(x), 0.0f);
}

TEST(lazy_writes_into_memory_stay_in_it) {
  const Tensor x = filled(4, 1);
  float* const memory = x.data<float>();
  const Tensor before = add(x, Argument{0.0});
  add_in_place(part(x, 1, 2), Argument{2.0});
  lazy::flush();
  EXPECT(x.data<float>() == memory);
  EXPECT_EQ(memory[0], 1.0f);
  EXPECT_EQ(memory[1], 3.0f);
  EXPECT_EQ(first(before), 1.0f);
}

TEST(lazy_exposed_memory_is_read_at_the_call) {
  const Tensor x = filled(4, 1);
  x.storage()->expose();
  const Tensor y = add(x, Argument{1.0});
  *x.data<float>() = 100;
  EXPECT_EQ(first(y), 2.0f);
  x.storage()->unexpose();
}

TEST(lazy_errors_lose_only_what_needs_them) {
  const Tensor x = filled(4, 1);
  Tensor index = Tensor::empty(Dims{1}, DType::Int64);
  *index.data<int64_t>() = 9;
  const Tensor kept = add(x, Argument{1.0});
  const Argument args[] = {&x, int64_t{0}, &index, false};
  const Tensor lost = add(lazy::call(op("aten.gather.default"), args).tensors.at(0), Argument{1.0});
  EXPECT_EQ(first(kept), 2.0f);
  EXPECT_ERROR(lazy::compute(lost), Runtime, "out of bounds");
  EXPECT_ERROR(add(lost, Argument{1.0}), Runtime, "out of bounds");
}

TEST(lazy_long_chains_need_no_stack) {
  Tensor x = filled(2, 0);
  for (int i = 0; i < 20000; ++i) x = add(x, Argument{1.0});
  EXPECT_EQ(first(x), 20000.0f);
}

TEST(lazy_threads_share_tensors) {
  const Tensor shared = add(filled(64, 1), Argument{1.0});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, own = Tensor(shared)] {
      for (int i = 0; i < 50; ++i) {
        Tensor x = add(own, own);
        for (int k = 0; k < 5; ++k) x = add(x, Argument{static_cast<double>(i)});
        if (first(x) != 4.0f + 5.0f * static_cast<float>(i)) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace rushlight
