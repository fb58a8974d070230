#include "expression.h"

#include <charconv>
#include <deque>
#include <mutex>
#include <unordered_map>

namespace rushlight {
namespace {

// Recursive descent over:
//   call | call[k] | name | number | 'text' | None | True | False | dtype | [list] | (tuple)
class Parser {
 public:
  Parser(const OpDef& op) : op_(op), text_(op.decompose) {}

  Expression parse() {
    Expression e = expression();
    RL_ASSERT(peek() == '\0', op_.name, ": trailing text in '", op_.decompose, "'");
    return e;
  }

 private:
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    RL_ASSERT(accept(c), op_.name, ": expected '", c, "' at ", at_, " in '", op_.decompose, "'");
  }
  std::string_view word() {
    peek();
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    return text_.substr(start, at_ - start);
  }

  static Expression literal(Argument value) {
    Expression e{Expression::Kind::Literal};
    e.literal = std::move(value);
    return e;
  }

  Expression expression() {
    const char c = peek();
    if (c == '[') return sequence(Expression::Kind::List, '[', ']');
    if (c == '(') return sequence(Expression::Kind::Tuple, '(', ')');
    if (c == '\'') return quoted();
    if (c == '-' || std::isdigit(static_cast<unsigned char>(c))) return number();
    const std::string_view name = word();
    if (accept('(')) return call(name);
    if (name == "None") return literal({});
    if (name == "True" || name == "False") return literal(name == "True");
    if (const auto dtype = dtype_from_name(name)) return literal(*dtype);
    RL_ASSERT(op_.find_argument(name) >= 0, op_.name, ": unknown name '", name, "' in '",
              op_.decompose, "'");
    Expression e{Expression::Kind::Parameter};
    e.name = name;
    return e;
  }

  Expression sequence(Expression::Kind kind, char open, char close) {
    expect(open);
    Expression e{kind};
    while (peek() != close) {
      e.children.push_back(expression());
      if (!accept(',')) break;
    }
    expect(close);
    return e;
  }

  Expression quoted() {
    expect('\'');
    const size_t end = text_.find('\'', at_);
    Expression e = literal(std::string(text_.substr(at_, end - at_)));
    at_ = end + 1;
    return e;
  }

  Expression number() {
    const size_t start = at_;
    if (text_[at_] == '-') ++at_;
    const std::string_view digits = word();
    const std::string text(text_.substr(start, at_ - start));
    if (digits.find_first_of(".e") != digits.npos)
      return literal(std::strtod(text.c_str(), nullptr));
    return literal(static_cast<int64_t>(std::strtoll(text.c_str(), nullptr, 10)));
  }

  Expression call(std::string_view name) {
    std::string full(name);
    if (!name.starts_with("_operator.")) {  // arithmetic on numbers is Python's
      full = "aten." + full;
      if (name.find('.') == name.npos) full += ".default";
    }
    Expression e{Expression::Kind::Call};
    e.op = find_op(full);
    RL_ASSERT(e.op, op_.name, ": unknown operator ", full, " in '", op_.decompose, "'");
    while (peek() != ')') {
      const size_t start = at_;
      const std::string_view keyword = word();
      if (!keyword.empty() && peek() == '=') {
        ++at_;
        e.keywords.emplace_back(keyword);
      } else {
        at_ = start;
        e.keywords.emplace_back();
      }
      e.children.push_back(expression());
      if (!accept(',')) break;
    }
    expect(')');
    if (accept('[')) {
      e.output = static_cast<int>(unpack<int64_t>::from(number().literal));
      expect(']');
      RL_ASSERT(e.output >= 0 && e.output < e.op->returns, op_.name, ": no output ", e.output);
    }
    return e;
  }

  const OpDef& op_;
  std::string_view text_;
  size_t at_ = 0;
};

// Tensors made on the way live here until the whole expression is done.
class Evaluator {
 public:
  using CallFn = CallResult (*)(const OpDef&, std::span<const Argument>);
  Evaluator(const OpDef& op, std::span<const Argument> args, CallFn call)
      : op_(op), args_(args), call_(call) {}

  CallResult call(const Expression& e) {
    std::vector<Argument> positional;
    std::vector<std::pair<std::string, Argument>> keywords;
    for (size_t i = 0; i < e.children.size(); ++i) {
      Argument value = argument(e.children[i]);
      if (e.keywords[i].empty())
        positional.push_back(std::move(value));
      else
        keywords.emplace_back(e.keywords[i], std::move(value));
    }
    CallResult result =
        call_(*e.op, bind_arguments(*e.op, std::move(positional), std::move(keywords)));
    if (e.output < 0) return result;
    return {{std::move(result.tensors.at(static_cast<size_t>(e.output)))}, {}};
  }

  CallResult tuple(const Expression& e) {
    CallResult result;
    for (const Expression& child : e.children)
      result.tensors.push_back(unpack<Tensor>::from(argument(child)));
    return result;
  }

  Argument argument(const Expression& e) {
    switch (e.kind) {
      case Expression::Kind::Literal:
        return e.literal;
      case Expression::Kind::Parameter:
        return args_[static_cast<size_t>(op_.find_argument(e.name))];
      case Expression::Kind::List:
        return list(e);
      case Expression::Kind::Tuple:
        break;
      case Expression::Kind::Call: {
        CallResult result = call(e);
        if (!is_none(result.number)) return result.number;
        kept_.push_back(std::move(result.tensors));
        if (!e.op->returns_list) return Argument{&kept_.back().at(0)};
        std::vector<const Tensor*> tensors;
        for (const Tensor& t : kept_.back()) tensors.push_back(&t);
        return tensors;
      }
    }
    RL_FAIL(NotImplemented, op_.name, ": a tuple inside an expression");
  }

 private:
  Argument list(const Expression& e) {
    std::vector<const Tensor*> tensors;
    Dims ints;
    for (const Expression& child : e.children) {
      const Argument value = argument(child);
      if (const auto* t = std::get_if<const Tensor*>(&value))
        tensors.push_back(*t);
      else
        ints.push_back(unpack<int64_t>::from(value));
    }
    if (!tensors.empty()) return tensors;
    return ints;
  }

  const OpDef& op_;
  std::span<const Argument> args_;
  CallFn call_;
  std::deque<std::vector<Tensor>> kept_;
};

}  // namespace

const Expression& decomposition(const OpDef& op) {
  // The cache is shared by all threads; entries never move or go away.
  static std::mutex mutex;
  static std::unordered_map<const OpDef*, std::unique_ptr<Expression>> cache;
  std::lock_guard lock(mutex);
  std::unique_ptr<Expression>& entry = cache[&op];
  if (!entry) entry = std::make_unique<Expression>(Parser(op).parse());
  return *entry;
}

CallResult evaluate_expression(const OpDef& op, std::span<const Argument> args,
                               CallResult (*call)(const OpDef&, std::span<const Argument>)) {
  const Expression& e = decomposition(op);
  Evaluator evaluator(op, args, call);
  if (e.kind == Expression::Kind::Call) return evaluator.call(e);
  if (e.kind == Expression::Kind::Tuple) return evaluator.tuple(e);
  const Argument value = evaluator.argument(e);
  return {{unpack<Tensor>::from(value)}, {}};
}

namespace {

// A pointwise operator and its in-place twin take a number for a tensor.
bool takes_numbers(const OpDef& op) {
  if (op.kind != OpKind::InPlace) return op.kind == OpKind::Pointwise;
  const OpDef* twin = find_op(op.functional);
  return twin && twin->kind == OpKind::Pointwise;
}

}  // namespace

std::vector<Argument> bind_arguments(const OpDef& op, std::vector<Argument> positional,
                                     std::vector<std::pair<std::string, Argument>> keywords) {
  std::vector<Argument> bound(op.arguments.size());
  std::vector<bool> given(op.arguments.size());
  size_t allowed = 0;
  for (const ArgumentSpec& spec : op.arguments) allowed += !spec.keyword_only;
  RL_CHECK(positional.size() <= allowed, Type, op.name, "(): takes ", allowed,
           " positional arguments but ", positional.size(), " were given");
  for (size_t i = 0; i < positional.size(); ++i) {
    bound[i] = std::move(positional[i]);
    given[i] = true;
  }
  for (auto& [name, value] : keywords) {
    const int at = op.find_argument(name);
    RL_CHECK(at >= 0, Type, op.name, "(): got an unexpected keyword argument '", name,
             "'; the schema is ", op.schema);
    RL_CHECK(!given[static_cast<size_t>(at)], Type, op.name,
             "(): got multiple values for argument '", name, "'");
    bound[static_cast<size_t>(at)] = std::move(value);
    given[static_cast<size_t>(at)] = true;
  }
  for (size_t i = 0; i < bound.size(); ++i) {
    const ArgumentSpec& spec = op.arguments[i];
    if (!given[i]) {
      RL_CHECK(spec.has_default, Type, op.name, "(): missing required argument '", spec.name,
               "'; the schema is ", op.schema);
      bound[i] = spec.default_value;
      continue;
    }
    // A number stands for a 0-d tensor where the pointwise driver takes it as it is.
    const bool number = takes_numbers(op) && spec.type == ArgType::Tensor && !spec.written &&
                        bound[i].index() >= 3 && bound[i].index() <= 6;
    if (!number) bound[i] = coerce_argument(op, spec, std::move(bound[i]));
  }
  return bound;
}

}  // namespace rushlight
