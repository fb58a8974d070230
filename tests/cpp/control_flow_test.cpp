// Branches, loops and scans: the rules of their nodes, what they compute, what they refuse.
#include "ir/control_flow.h"

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "runtime/graph_runner.h"
#include "test.h"

namespace rushlight {
namespace {

Tensor floats(std::initializer_list<float> values, Dims sizes) {
  Tensor t = Tensor::empty(sizes, DType::Float32);
  std::copy(values.begin(), values.end(), t.data<float>());
  return t;
}

std::vector<float> run(const std::string& text, std::vector<RunValue> inputs, size_t output = 0) {
  PreparedGraph prepared;
  prepared.graph = parse(text);
  verify(prepared.graph);
  GraphRunner runner(std::move(prepared));
  const Tensor out = runner.call(inputs).at(output).tensor->contiguous();
  return {out.data<float>(), out.data<float>() + out.numel()};
}

const std::string kCond = R"(graph(%p: tensor?, %x: float32[2]) {
  %y: float32[2] = higher_order.cond(%p, [%x]) region(%x: float32[2]) {
    %y: float32[2] = aten.mul.Tensor(%x, 2)
    return %y
  } region(%x: float32[2]) {
    %y: float32[2] = aten.neg.default(%x)
    return %y
  }
  %z: float32[2] = aten.add.Tensor(%y, 1)
  return %z
})";

TEST(cond_takes_the_branch_that_the_predicate_says) {
  const Tensor x = floats({1, 2}, {2});
  EXPECT(run(kCond, {{floats({1}, {})}, {x}}) == (std::vector<float>{3, 5}));
  EXPECT(run(kCond, {{floats({0}, {})}, {x}}) == (std::vector<float>{0, -1}));
  EXPECT_ERROR(run(kCond, {{floats({1, 1}, {2})}, {x}}), Runtime,
               "Expected pred to be bool or single-element tensor, but got float32[2]");
}

TEST(control_flow_is_printed_and_parsed) {
  const Graph graph = parse(kCond);
  EXPECT(equal(parse(print(graph)), graph));
}

std::string loop(const std::string& body) {
  return R"(graph(%x: float32[2]) {
  %y: float32[2] = higher_order.while_loop([%x], list[]) region(%x: float32[2]) {
    %s: float32[] = aten.sum.default(%x)
    %p: bool[] = aten.lt.Scalar(%s, 100)
    return %p
  } region(%x: float32[2]) {
    )" + body +
         R"(
    return %y
  }
  return %y
})";
}

TEST(while_loop_runs_until_the_condition_fails) {
  const Tensor x = floats({1, 2}, {2});
  EXPECT(run(loop("%y: float32[2] = aten.mul.Tensor(%x, 3)"), {{x}}) ==
         (std::vector<float>{81, 162}));
  EXPECT_ERROR(run(loop("%y: float32[4] = aten.repeat.default(%x, [2])"), {{x}}), Runtime,
               "to have same metadata but found: pair[0] is float32[2] before and float32[4]");
}

const std::string kScan = R"(graph(%c: float32[2], %x: float32[3, 2], %y: float32[3, 2]) {
  %d: float32[2], %z: float32[3, 2] = higher_order.scan([%c], [%x, %y], list[]) region(%c: float32[2], %x: float32[2], %y: float32[2]) {
    %d: float32[2] = aten.add.Tensor(%c, %x)
    %z: float32[2] = aten.mul.Tensor(%d, %y)
    return %d, %z
  }
  return %d, %z
})";

TEST(scan_carries_and_stacks) {
  const Tensor c = floats({0, 1}, {2}), x = floats({1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT(run(kScan, {{c}, {x}, {x}}) == (std::vector<float>{9, 13}));
  EXPECT(run(kScan, {{c}, {x}, {x}}, 1) == (std::vector<float>{1, 6, 12, 28, 45, 78}));
  EXPECT_ERROR(run(kScan, {{c}, {x}, {floats({1, 2}, {1, 2})}}), Runtime,
               "leading dimensions of xs must be consistent, got 3 and 1");
}

TEST(regions_keep_the_rules_of_the_graph) {
  const auto broken = [](const std::string& from, const std::string& to) {
    std::string text = kCond;
    text.replace(text.find(from), from.size(), to);
    verify(parse(text));
  };
  EXPECT_ERROR(broken("[%x]", "[%x, %x]"), Value, "a region takes 1 inputs, the operands are 2");
  EXPECT_ERROR(broken("[%x]", "list[3]"), Value, "input 0 of a region is a tensor");
  EXPECT_ERROR(broken("return %y", "return %y, %y"), Value, "has 1 outputs, a region gives 2");
  EXPECT_ERROR(broken("cond(%p, [%x])", "cond(%p)"), Value, "has 1 operands, expected 2");
  EXPECT_ERROR(broken("aten.neg.default(%x)", "aten.neg_.default(%x)"), Value,
               "writes into its argument");
}

TEST(regions_nested_too_deep_are_refused) {
  Graph graph = parse("graph(%x: float32[1]) {\n return %x\n}");
  for (int i = 0; i <= kMaxRegionDepth; ++i) {
    Graph outer = parse(
        "graph(%x: float32[1]) {\n %y: float32[1] = higher_order.map_impl([%x], list[]) "
        "region(%x: float32[1]) {\n return %x\n }\n return %y\n}");
    outer.nodes[0].regions[0] = std::make_shared<const Graph>(graph);
    graph = outer;
  }
  EXPECT_ERROR(verify(graph), Value, "nested too deeply");
}

}  // namespace
}  // namespace rushlight
