// The grammar of schemas: `namespace::name.overload(Type name=default, *, Type name) -> Type`.
#include <algorithm>

#include "ir/custom_op.h"
#include "ir/text_cursor.h"

namespace rushlight {
namespace {

constexpr std::string_view kTypes[] = {"Tensor", "int",          "SymInt", "float",    "SymFloat",
                                       "bool",   "SymBool",      "Scalar", "str",      "ScalarType",
                                       "Device", "MemoryFormat", "Layout", "Generator"};

// Checks a schema, and writes it again in the one form that `parse_schema` reads.
class SchemaChecker {
 public:
  explicit SchemaChecker(std::string_view text) : text_(text), cursor_(text, "schema") {}

  OperatorName check() {
    OperatorName op;
    op.name = cursor_.word("a namespace");
    cursor_.expect("::");
    op.name += "." + cursor_.word("the operator's name");
    op.name += cursor_.accept(".") ? "." + cursor_.word("the overload's name") : ".default";
    op.signature = "(" + arguments() + ") -> ";
    cursor_.expect("->");
    op.signature += returns();
    if (!cursor_.at_end()) cursor_.fail("expected the end of the schema");
    return op;
  }

 private:
  std::string arguments() {
    std::string out;
    std::vector<std::string> names;
    bool keywords = false;
    cursor_.expect("(");
    while (!cursor_.accept(")")) {
      if (!out.empty()) {
        cursor_.expect(",");
        out += ", ";
      }
      if (!keywords && cursor_.accept("*")) {
        keywords = true;
        out += "*";
        continue;
      }
      const std::string type = this->type();
      const size_t at = cursor_.position();
      names.push_back(cursor_.word("the argument's name"));
      if (std::count(names.begin(), names.end(), names.back()) > 1)
        cursor_.fail_at(at, "two arguments are called '" + names.back() + "'");
      out += type + " " + names.back();
      if (cursor_.accept("=")) out += "=" + default_value(type);
    }
    return out;
  }

  std::string returns() {
    if (!cursor_.accept("(")) return result();
    std::string out;
    while (!cursor_.accept(")")) {
      if (!out.empty()) {
        cursor_.expect(",");
        out += ", ";
      }
      out += result();
    }
    return "(" + out + ")";
  }

  std::string result() {
    std::string out = type();
    const std::string_view name = cursor_.accept_word();
    if (!name.empty()) out += " " + std::string(name);
    return out;
  }

  std::string type() {
    const size_t at = cursor_.position();
    std::string out(cursor_.accept_word());
    if (std::find(std::begin(kTypes), std::end(kTypes), out) == std::end(kTypes))
      cursor_.fail_at(at, "expected a type of PyTorch's schemas (Tensor, int, float, …)");
    if (cursor_.accept("(")) {
      if (out != "Tensor") cursor_.fail_at(at, "only tensors can be written");
      out += "(" + cursor_.word("an alias set");
      if (cursor_.accept("!")) out += "!";
      cursor_.expect(")");
      out += ")";
    }
    if (cursor_.accept("?")) out += "?";
    if (cursor_.accept("[")) {
      out += "[";
      if (cursor_.peek() != ']') {
        const size_t position = cursor_.position();
        const int64_t size = cursor_.integer("a list's size");
        if (size < 1 || size > 64) cursor_.fail_at(position, "a list's size is between 1 and 64");
        out += std::to_string(size);
      }
      cursor_.expect("]");
      out += "]";
      if (cursor_.accept("?")) out += "?";
    }
    return out;
  }

  std::string default_value(std::string_view type) {
    const size_t start = cursor_.position();
    if (cursor_.accept("None")) {
      if (!type.ends_with('?')) cursor_.fail_at(start, "None is no " + std::string(type));
    } else if (!cursor_.accept("[")) {
      one_default(type);
    } else if (type.find('[') == type.npos) {
      cursor_.fail_at(start, "a list is no " + std::string(type));
    } else if (!cursor_.accept("]")) {
      do one_default(type);
      while (cursor_.accept(","));
      cursor_.expect("]");
    }
    std::string_view text = text_.substr(start, cursor_.position() - start);
    while (text.ends_with(' ') || text.ends_with('\n') || text.ends_with('\t'))
      text.remove_suffix(1);
    return std::string(text);
  }

  void one_default(std::string_view type) {
    const std::string_view base = type.substr(0, type.find_first_of("([?"));
    const auto is = [&](std::string_view one, std::string_view symbolic) {
      return base == one || base == symbolic;
    };
    if (base == "str") {
      cursor_.quoted();
    } else if (is("int", "SymInt")) {
      cursor_.integer("an integer");
    } else if (is("float", "SymFloat") || (base == "Scalar" && cursor_.at_number())) {
      if (!cursor_.at_number()) cursor_.fail("expected a number");
      cursor_.number();
    } else if (is("bool", "SymBool") || base == "Scalar") {
      if (!cursor_.accept("True") && !cursor_.accept("False"))
        cursor_.fail(base == "Scalar" ? "expected a number" : "expected True or False");
    } else {
      cursor_.fail("an argument of type " + std::string(base) + " has no default but None");
    }
  }

  std::string_view text_;
  TextCursor cursor_;
};

}  // namespace

OperatorName check_schema(std::string_view schema) { return SchemaChecker(schema).check(); }

std::string_view returns_of(std::string_view schema) {
  std::string_view text = schema.substr(schema.rfind("-> ") + 3);
  return text.starts_with('(') ? text.substr(1, text.size() - 2) : text;
}

}  // namespace rushlight
