// The text form of graphs, and the rules that every graph keeps.
#include <cmath>

#include "fixtures.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "passes/pipeline.h"
#include "runtime/program.h"
#include "test.h"

using namespace rushlight;
using namespace rushlight::test;

namespace {

void expect_round_trip(const Graph& graph, const std::string& name) {
  const std::string text = print(graph);
  try {
    const Graph again = parse(text);
    if (!equal(graph, again) || print(again) != text)
      report_failure(__FILE__, __LINE__, name + ": parse(print(graph)) differs:\n" + text);
  } catch (const Error& error) {
    report_failure(__FILE__, __LINE__, name + ": " + error.what() + "\n" + text);
  }
}

/// A graph whose one node, of an unknown operator, has `literal` as its operand.
Graph holding(Argument literal) {
  Graph graph;
  Node node;
  node.target = "test.hold.default";
  node.operands = {Operand::of(std::move(literal))};
  node.name = node.target;
  graph.nodes.push_back(std::move(node));
  return graph;
}

constexpr const char* kAdd =
    "size s77 = \"Symbol('s77', positive=True, integer=True)\" hint 3\n"
    "graph(%x: float32[s77, 4], %w: float32[4]) {\n"
    "  %y: float32[s77, 4] = aten.add.Tensor(%x, %w, alpha=2)\n"
    "  return %y\n"
    "}\n";

/// `kAdd` with its node replaced.
std::string with_node(const std::string& node) {
  return "graph(%x: float32[2], %n: int, %f: float) {\n  " + node + "\n  return\n}\n";
}

PreparedGraph prepared(const Program& program) {
  PreparedGraph graph{program.graph};
  for (const InputSpec& input : program.inputs)
    if (!input.target.empty()) graph.constants[input.value] = program.weights.at(input.target);
  return graph;
}

}  // namespace

TEST(text_form_of_a_graph_is_as_documented) {
  const Graph graph = parse(kAdd);
  verify(graph);
  EXPECT_EQ(print(graph), kAdd);
  EXPECT_EQ(graph.values.size(), 3u);
  EXPECT_EQ(graph.at(0).sizes[0].hint, 3);
  EXPECT(graph.nodes[0].op == find_op("aten.add.Tensor"));
  EXPECT(std::get<int64_t>(graph.nodes[0].operands[2].literal) == 2);
}

TEST(defaults_are_left_out_and_filled_in) {
  const Graph graph = parse(with_node("%y: tensor? = aten.add.Tensor(%x, 1)"));
  EXPECT(std::get<int64_t>(graph.nodes[0].operands[2].literal) == 1);
  verify(graph);
  expect_round_trip(graph, "add");
}

TEST(literals_of_every_kind_survive_the_text_form) {
  const Argument literals[] = {{},
                               true,
                               false,
                               int64_t{0},
                               INT64_MIN,
                               INT64_MAX,
                               0.0,
                               -0.0,
                               1.0,
                               0.1,
                               -2.5e-300,
                               5e-324,
                               1.7976931348623157e308,
                               std::nan(""),
                               double{INFINITY},
                               -double{INFINITY},
                               complex128(1, -0.0),
                               complex128(std::nan(""), -INFINITY),
                               Dims{},
                               Dims{1, -2, INT64_MAX},
                               std::vector<double>{},
                               std::vector<double>{1, -0.0, INFINITY, std::nan("")},
                               std::vector<uint8_t>{},
                               std::vector<uint8_t>{1, 0},
                               std::vector<const Tensor*>{},
                               std::string(),
                               std::string("a \"b\" \\ \n\t\x01 é # %x"),
                               DType::Bool,
                               DType::BFloat16,
                               DType::Complex128,
                               MemoryFormat::Contiguous,
                               MemoryFormat::Preserve,
                               MemoryFormat::ChannelsLast,
                               MemoryFormat::ChannelsLast3d};
  for (const Argument& literal : literals) {
    const Graph graph = holding(literal);
    expect_round_trip(graph, print(graph));
    EXPECT(same_literal(parse(print(graph)).nodes[0].operands[0].literal, literal));
  }
}

TEST(values_of_every_type_survive_the_text_form) {
  Graph graph;
  for (int t = 0; t < 5; ++t)
    for (const bool known : {false, true}) {
      Value value;
      value.name = "v" + std::to_string(graph.values.size());
      value.type = static_cast<ValueType>(t);
      value.known = known;
      graph.inputs.push_back(graph.add_value(value));
    }
  for (int t = 0; t < kDTypeCount; ++t) {
    Value value;
    value.name = "odd name \"" + std::to_string(t);
    value.known = true;
    value.dtype = static_cast<DType>(t);
    value.sizes = {{2, ""}, {3, "Symbol('s0')"}, {7, "Add(Symbol('s0'), Integer(4))"}, {-1, "u"}};
    value.hint_strides = {1, 2, 6, INT64_MIN};
    graph.inputs.push_back(graph.add_value(value));
  }
  graph.outputs = {3, 3, 0};
  expect_round_trip(graph, "values");
}

TEST(lists_unused_outputs_names_and_regions_survive_the_text_form) {
  const std::string text = with_node(
      "_, %b: float32[2] strides[3] = test.two(%x, [%n, 3, None], list[1, 2], [None, None],\n"
      "      [[%x], \"s\"]) named \"another name\"\n"
      "  %c: float32[2] = rushlight.scatter_view(%x, %b, %n) region(%base: float32[2], %k: int) {\n"
      "    %v: tensor? = aten.select.int(%base, 0, %k)\n"
      "    return %v\n"
      "  }\n"
      "  \"odd target\"() # a comment");
  const Graph graph = parse(text);
  EXPECT_EQ(graph.nodes.size(), 3u);
  EXPECT_EQ(graph.nodes[0].outputs[0], kNoValue);
  EXPECT_EQ(graph.nodes[0].name, "another name");
  EXPECT(graph.nodes[0].operands[2].kind == Operand::Kind::List);
  EXPECT_EQ(graph.nodes[1].regions.size(), 1u);
  verify(graph);
  expect_round_trip(graph, "region");
}

TEST(text_errors_carry_line_and_column) {
  EXPECT_ERROR(parse(""), Value, "line 1, column 1: expected 'graph', got the end of the text");
  EXPECT_ERROR(parse("graph(%x: float33[2]) {"), Value, "column 11: unknown dtype 'float33'");
  EXPECT_ERROR(parse("graph(%x: number) {"), Value, "unknown type 'number'");
  EXPECT_ERROR(parse("graph(%x: float32[s0]) {"), Value, "not defined above the graph");
  EXPECT_ERROR(parse("graph(%x: int, %x: int) {"), Value, "column 16: value 'x' is defined twice");
  EXPECT_ERROR(parse(with_node("%y: int = aten.neg.default(%z)")), Value,
               "line 2, column 30: value 'z' is used before it is defined");
  EXPECT_ERROR(parse(with_node("%y: int = aten.neg.default(%y)")), Value, "used before");
  EXPECT_ERROR(parse(with_node("%y: int = aten.neg.default()")), Value,
               "lacks its argument 'self'");
  EXPECT_ERROR(parse(with_node("%y: int = aten.neg.default(%x, %x)")), Value, "does not fit");
  EXPECT_ERROR(parse(with_node("%y: int = aten.neg.default(self=%x, self=%x)")), Value, "'self'");
  EXPECT_ERROR(parse(with_node("%y: int = t.t(99999999999999999999)")), Value, "fits 64 bits");
  EXPECT_ERROR(parse(with_node("%y: int = t.t(\"abc")), Value, "does not end");
  EXPECT_ERROR(parse(with_node("%y: int = t.t([])")), Value, "an empty list");
  EXPECT_ERROR(parse(with_node("%y: int = t.t(soft)")), Value, "unknown word 'soft'");
  EXPECT_ERROR(parse(std::string(kAdd) + "x"), Value, "line 6, column 1: text after the end");
  EXPECT_ERROR(parse(with_node("t.t(" + std::string(100, '['))), Value, "too deeply");
}

TEST(broken_rules_are_reported_with_the_node) {
  const auto broken = [](const std::string& node) { verify(parse(with_node(node))); };
  EXPECT_ERROR(broken("%y: tensor? = aten.add_.Tensor(%x, %x)"), Value,
               "node 'y' (aten.add_.Tensor): the operator writes into its argument");
  EXPECT_ERROR(broken("%y: tensor? = aten.neg.default(\"text\")"), Value, "argument 'self'");
  EXPECT_ERROR(broken("%y: tensor? = aten.select.int(%x, %f, 0)"), Value,
               "argument 'dim' is a float");
  EXPECT_ERROR(broken("%y: tensor? = aten.cat.default(%x)"), Value, "the schema wants a list");
  EXPECT_ERROR(broken("%y: tensor? = aten.cat.default([%x, %n])"), Value, "holds an int");
  EXPECT_ERROR(broken("%y: tensor? = aten.cat.default([%x, None])"), Value, "holds None");
  EXPECT_ERROR(broken("%y: tensor? = aten.select.int(%x, [%n], 0)"), Value, "wants one value");
  EXPECT_ERROR(broken("%y: int = aten.neg.default(%x)"), Value, "its output 'y' is an int");
  EXPECT_ERROR(broken("%y: tensor?, %z: tensor? = aten.neg.default(%x)"), Value, "has 2 outputs");
  EXPECT_ERROR(broken("t.t(%x) region() { return }"), Value, "has a region");
  EXPECT_ERROR(broken("%y: tensor? = rushlight.scatter_view(%x, %x)"), Value, "it has a region");
  EXPECT_ERROR(broken("%y: tensor? = rushlight.scatter_view(%x, %x) region(%b: int) { return %b }"),
               Value, "have the types of its operands");
  EXPECT_ERROR(broken("%y: tensor? = rushlight.scatter_view(%x, %x) region(%b: tensor?) {\n"
                      "  %c: tensor? = aten.neg.default(%b) return %c }"),
               Value, "aten.neg.default is not a view operator");
}

TEST(values_are_defined_once_and_before_use) {
  Graph graph = parse(kAdd);
  graph.inputs.push_back(graph.inputs[0]);
  EXPECT_ERROR(verify(graph), Value, "value 'x' is defined twice");
  graph = parse(kAdd);
  graph.nodes[0].operands[0].value = graph.outputs[0];
  EXPECT_ERROR(verify(graph), Value, "value 'y' is used before it is defined");
  graph = parse(kAdd);
  graph.outputs[0] = 17;
  EXPECT_ERROR(verify(graph), Value, "value number 17 does not exist");
  graph = parse(kAdd);
  graph.at(graph.outputs[0]).name = "x";
  EXPECT_ERROR(verify(graph), Value, "two values are called 'x'");
  graph = parse(kAdd);
  graph.nodes.clear();
  EXPECT_ERROR(verify(graph), Value, "the graph's outputs: value 'y' is used before");
  graph = parse(kAdd);
  graph.nodes[0].operands.pop_back();
  EXPECT_ERROR(verify(graph), Value, "has 2 operands, the schema has 3");
}

TEST(graphs_that_differ_are_not_equal) {
  const std::string text = kAdd;
  const Graph graph = parse(text);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    for (size_t at = 0; (at = other.find(from, at)) != other.npos; at += to.size())
      other.replace(at, from.size(), to);
    return !equal(graph, parse(other));
  };
  EXPECT(changed("alpha=2", "alpha=2.0"));
  EXPECT(changed("%w", "%v"));
  EXPECT(changed("hint 3", "hint 4"));
  EXPECT(changed("add", "sub"));
  EXPECT(changed("(%x, %w,", "(%w, %x,"));
  EXPECT(changed("%w: float32", "%w: float64"));
  EXPECT(equal(graph, parse(text)));
}

TEST(every_fixture_keeps_the_rules_and_its_text_form) {
  for (const std::string& file : program_files()) {
    const auto program = load_program(file);
    verify(program->graph);
    expect_round_trip(program->graph, file);
    PreparedGraph graph = prepared(*program);
    verify_prepared(graph, file);
    for (const Pass& pass : pipeline()) {
      pass.run(graph);
      verify_prepared(graph, file + " after " + pass.name);
    }
  }
}
