// The stack machine of pickles, run on symbols: each method is what an opcode does to stack, memo
// and the list of steps, with its checks.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "core/error.h"
#include "runtime/pickle.h"
#include "runtime/pickle_input.h"
#include "runtime/pickle_text.h"
#include "runtime/utf8.h"

namespace rushlight::pickle {

class Machine {
 protected:
  explicit Machine(std::span<const std::byte> bytes) : input_(bytes), limit_(bytes.size()) {}

  Step& step(StepKind kind) {
    return program_.steps.emplace_back(Step{.kind = kind, .position = position_});
  }

  Step& push(StepKind kind) {
    stack_.push_back(static_cast<Node>(program_.steps.size()));
    return step(kind);
  }

  void push_text(StepKind kind, std::string_view text) { push(kind).text = text; }
  void push_int(int64_t value) { push(StepKind::Int).integer = value; }
  void push_float(double value) { push(StepKind::Float).number = value; }

  // Texts of Unicode strings may hold surrogates, which Python passes; the rest is UTF-8.
  void push_owned(StepKind kind, std::string text) {
    push_text(kind, program_.strings.emplace_back(std::move(text)));
  }

  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  Node pop() {
    RL_CHECK(stack_.size() > floor(), Value, "the stack is empty");
    const Node node = stack_.back();
    stack_.pop_back();
    return node;
  }

  Node top() const {
    RL_CHECK(stack_.size() > floor(), Value, "the stack is empty");
    return stack_.back();
  }

  StepKind kind_of(Node node) const { return program_.steps[node].kind; }

  void set_operands(size_t index, std::initializer_list<Node> nodes) {
    Step& s = program_.steps[index];
    s.first = static_cast<uint32_t>(program_.operands.size());
    s.count = static_cast<uint32_t>(nodes.size());
    program_.operands.insert(program_.operands.end(), nodes);
  }

  // What lies above the topmost mark, which goes too.
  std::vector<Node> pop_marked() {
    RL_CHECK(!marks_.empty(), Value, "there is no mark on the stack");
    std::vector<Node> values(stack_.begin() + static_cast<ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return values;
  }

  std::vector<Node> pop_some(size_t count) {
    std::vector<Node> values(count);
    for (size_t i = count; i-- > 0;) values[i] = pop();
    return values;
  }

  void append_operands(Step& s, std::span<const Node> values) {
    s.first = static_cast<uint32_t>(program_.operands.size());
    s.count = static_cast<uint32_t>(values.size());
    program_.operands.insert(program_.operands.end(), values.begin(), values.end());
  }

  void push_frozen(StepKind kind, std::span<const Node> values) {
    uint32_t depth = 1;
    for (const Node value : values)
      if (value < depth_.size()) depth = std::max(depth, depth_[value] + 1);
    RL_CHECK(depth <= kMaxNesting, Value, "more than ", kMaxNesting, " tuples within one another");
    append_operands(push(kind), values);
    depth_.resize(program_.steps.size());
    depth_.back() = depth;
  }

  // `values` change the object on top of the stack, which must be of a kind that can be changed so.
  void effect(StepKind kind, StepKind native, std::span<const Node> values) {
    const Node target = top();
    const StepKind k = kind_of(target);
    const bool object = k == StepKind::Call || k == StepKind::New || k == StepKind::NewKeywords;
    RL_CHECK(object || k == native, Value, "a value of the wrong kind is to be changed");
    RL_CHECK(kind != StepKind::SetItems || values.size() % 2 == 0, Value, "a key without a value");
    Step& s = step(kind);
    s.first = static_cast<uint32_t>(program_.operands.size());
    s.count = static_cast<uint32_t>(values.size()) + 1;
    program_.operands.push_back(target);
    program_.operands.insert(program_.operands.end(), values.begin(), values.end());
  }

  void call(StepKind kind, Node callable, Node arguments, std::optional<Node> keywords = {}) {
    RL_CHECK(kind_of(callable) == StepKind::Global, Value,
             "something that is no named function or class is to be called");
    RL_CHECK(kind_of(arguments) == StepKind::Tuple, Value, "the arguments of a call are no tuple");
    push(kind);
    const size_t index = program_.steps.size() - 1;
    if (keywords) {
      RL_CHECK(kind_of(*keywords) == StepKind::Dict, Value, "keyword arguments are no dictionary");
      set_operands(index, {callable, arguments, *keywords});
    } else {
      set_operands(index, {callable, arguments});
    }
  }

  void push_global(std::string_view module, std::string_view name) {
    const auto valid = [](std::string_view text) {
      return !text.empty() && is_valid_utf8(text) &&
             text.find_first_of(std::string_view("\n\0", 2)) == std::string_view::npos;
    };
    RL_CHECK(valid(module) && valid(name), Value, "the name of a function or class is invalid");
    push_owned(StepKind::Global, detail::concat(module, '\n', name));
  }

  void put(uint64_t index) {
    // Picklers number from 0, so no index exceeds the number of opcodes.
    RL_CHECK(index < limit_, Value, "memo index ", index, " in a pickle of ", limit_, " bytes");
    if (index >= memo_.size()) memo_.resize(index + 1, kEmpty);
    if (memo_[index] == kEmpty) ++memo_count_;
    memo_[index] = top();
  }

  void get(uint64_t index) {
    RL_CHECK(index < memo_.size() && memo_[index] != kEmpty, Value, "memo entry ", index,
             " is not set");
    stack_.push_back(memo_[index]);
  }

  void stop() {
    program_.result = pop();
    RL_CHECK(stack_.empty() && marks_.empty(), Value, "values are left on the stack at the end");
    stopped_ = true;
  }

  void read_int() {
    const std::string_view text = input_.line();
    if (text == "00" || text == "01") {
      push(text == "01" ? StepKind::True : StepKind::False);
      return;
    }
    RL_CHECK(is_decimal(text), Value, "not an integer: '", text.substr(0, 32), "'");
    push_text(StepKind::Decimal, text);
  }

  void read_long() {
    std::string_view text = input_.line();
    if (text.ends_with('L')) text.remove_suffix(1);
    RL_CHECK(is_decimal(text), Value, "not an integer: '", text.substr(0, 32), "'");
    push_text(StepKind::Decimal, text);
  }

  void instance(std::string_view module, std::string_view name, std::span<const Node> arguments) {
    push_global(module, name);
    const Node callable = pop();
    push_frozen(StepKind::Tuple, arguments);
    const Node tuple = pop();
    call(StepKind::Call, callable, tuple);
  }

  void marked_object() {
    const std::vector<Node> values = pop_marked();
    RL_CHECK(!values.empty(), Value, "an object without a class");
    push_frozen(StepKind::Tuple, std::span(values).subspan(1));
    const Node tuple = pop();
    call(StepKind::Call, values[0], tuple);
  }

  void new_object(bool keywords) {
    std::optional<Node> named;
    if (keywords) named = pop();
    const Node arguments = pop();
    const Node type = pop();
    call(keywords ? StepKind::NewKeywords : StepKind::New, type, arguments, named);
  }

  void reduce() {
    const Node arguments = pop();
    const Node callable = pop();
    call(StepKind::Call, callable, arguments);
  }

  void stack_global() {
    const Node name = pop();
    const Node module = pop();
    RL_CHECK(kind_of(name) == StepKind::Text && kind_of(module) == StepKind::Text, Value,
             "the name of a function or class is no string");
    push_global(program_.steps[module].text, program_.steps[name].text);
  }

  void persistent_id(Node id) {
    push(StepKind::PersistentId);
    set_operands(program_.steps.size() - 1, {id});
  }

  static constexpr Node kEmpty = UINT32_MAX;

  Input input_;
  size_t limit_;
  Program program_;
  std::vector<Node> stack_;
  std::vector<size_t> marks_;    // heights of the stack
  std::vector<Node> memo_;       // kEmpty where nothing was put
  std::vector<uint32_t> depth_;  // nesting of tuples and frozen sets, by node
  uint64_t memo_count_ = 0;
  uint32_t position_ = 0;
  bool stopped_ = false;
};

}  // namespace rushlight::pickle
