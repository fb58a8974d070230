// What the planner does with small graphs: fusion, views, memory.
#include "runtime/plan.h"

#include "ir/parse.h"
#include "kernels/pointwise.h"
#include "runtime/arena.h"
#include "runtime/frame.h"
#include "test.h"

namespace rushlight {
namespace {

// Plans `text` for inputs filled with 1, 2, 3, … and runs it once.
struct Planned {
  Graph graph;
  std::shared_ptr<const Plan> plan;
  std::vector<Tensor> inputs;

  explicit Planned(const std::string& text, std::vector<Dims> sizes) : graph(parse(text)) {
    std::vector<PlanInput> planned;
    for (size_t i = 0; i < sizes.size(); ++i) {
      inputs.push_back(Tensor::empty(sizes[i], DType::Float32));
      for (int64_t k = 0; k < inputs[i].numel(); ++k)
        inputs[i].data<float>()[k] = static_cast<float>(k + 1);
      planned.push_back({graph.inputs[i], Place::Bound, inputs[i]});
    }
    plan = make_plan(graph, planned);
  }

  std::vector<float> run() {
    Frame frame(plan, graph, {});
    for (size_t i = 0; i < inputs.size(); ++i) frame.bind(graph.inputs[i], inputs[i]);
    frame.run();
    const Tensor out = frame.tensor(graph.outputs[0]).contiguous();
    return {out.data<float>(), out.data<float>() + out.numel()};
  }
};

TEST(a_chain_of_pointwise_operators_is_one_step) {
  Planned p(R"(graph(%x: float32[4]) {
  %a: float32[4] = aten.mul.Tensor(%x, 2)
  %b: float32[4] = aten.add.Tensor(%a, %x)
  %c: float32[4] = aten.neg.default(%b)
  return %c
})",
            {{4}});
  EXPECT_EQ(p.plan->steps.size(), 1u);
  EXPECT_EQ(p.plan->steps[0].program.steps.size(), 3u);
  EXPECT(p.run() == (std::vector<float>{-3, -6, -9, -12}));
}

TEST(a_value_used_twice_is_computed_once) {
  Planned p(R"(graph(%x: float32[3]) {
  %a: float32[3] = aten.mul.Tensor(%x, 2)
  %b: float32[3] = aten.add.Tensor(%a, 1)
  %c: float32[3] = aten.mul.Tensor(%a, %b)
  return %c
})",
            {{3}});
  EXPECT_EQ(p.plan->steps.size(), 2u);
  EXPECT(p.run() == (std::vector<float>{6, 20, 42}));
}

TEST(a_pointwise_tail_runs_inside_the_product) {
  Planned p(R"(graph(%x: float32[2, 2], %w: float32[2, 2]) {
  %y: float32[2, 2] = aten.mm.default(%x, %w)
  %z: float32[2, 2] = aten.add.Tensor(%y, %x)
  %r: float32[2, 2] = aten.neg.default(%z)
  return %r
})",
            {{2, 2}, {2, 2}});
  EXPECT_EQ(p.plan->steps.size(), 1u);
  EXPECT_EQ(p.plan->steps[0].program.steps.size(), 2u);
  EXPECT(p.run() == (std::vector<float>{-8, -12, -18, -26}));
}

TEST(a_tail_waits_for_operands_that_come_later) {
  // The second operand of the sum does not exist yet when the first product is written.
  Planned p(R"(graph(%x: float32[2, 2]) {
  %a: float32[2, 2] = aten.mm.default(%x, %x)
  %b: float32[2, 2] = aten.mm.default(%x, %a)
  %c: float32[2, 2] = aten.add.Tensor(%b, %a)
  return %c
})",
            {{2, 2}});
  EXPECT(p.run() == (std::vector<float>{44, 64, 96, 140}));
}

TEST(views_move_no_data) {
  Planned p(R"(graph(%x: float32[2, 3]) {
  %t: float32[3, 2] = aten.transpose.int(%x, 0, 1)
  %s: float32[2] = aten.select.int(%t, 0, 1)
  return %s
})",
            {{2, 3}});
  EXPECT_EQ(p.plan->steps.size(), 0u);
  EXPECT(p.run() == (std::vector<float>{2, 5}));
}

TEST(memory_of_dead_values_is_used_again) {
  std::string text = "graph(%v0: float32[64, 64]) {\n";
  for (int i = 0; i < 20; ++i)
    text += detail::concat("  %v", i + 1, ": float32[64, 64] = aten.mm.default(%v", i, ", %v", i,
                           ")\n");
  Planned p(text + "  return %v20\n}", {{64, 64}});
  EXPECT(p.plan->arena_bytes <= 3u * 64 * 64 * sizeof(float));
}

TEST(sizes_that_depend_on_data_are_found_at_run_time) {
  Planned p(R"(graph(%x: float32[4]) {
  %m: bool[4] = aten.gt.Scalar(%x, 2)
  %y: float32[2] = aten.index.Tensor(%x, [%m])
  %z: float32[2] = aten.mul.Tensor(%y, 10)
  return %z
})",
            {{4}});
  EXPECT(p.run() == (std::vector<float>{30, 40}));
}

TEST(a_rule_that_fails_names_the_node) {
  try {
    Planned p(R"(graph(%x: float32[2, 3]) {
  %y: float32[2, 3] = aten.mm.default(%x, %x)
  return %y
})",
              {{2, 3}});
    EXPECT(false);
  } catch (const Error& error) {
    EXPECT(std::string(error.what()).find("aten.mm.default") != std::string::npos);
  }
}

TEST(arena_joins_neighbours_and_fills_gaps) {
  Arena arena;
  const size_t a = arena.allocate(100), b = arena.allocate(100), c = arena.allocate(100);
  EXPECT(a < b && b < c);
  EXPECT_EQ(a % kAlignment, 0u);
  arena.release(a, 100);
  arena.release(b, 100);
  EXPECT_EQ(arena.allocate(256), a);  // both ranges together
  arena.release(c, 100);
  const size_t before = arena.size();
  EXPECT_EQ(arena.allocate(128), c);
  EXPECT_EQ(arena.size(), before);
}

}  // namespace
}  // namespace rushlight
