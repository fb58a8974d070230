// The table that the generated code fills once, at first use.
#pragma once

#include <string_view>
#include <vector>

#include "cpu/capability.h"
#include "ir/op.h"

namespace rushlight {

/// A row as the generator writes it: constant data, expanded to an `OpDef` when added.
struct OpRow {
  enum Flag : uint8_t { aliases = 1, may_alias = 2, random = 4, epilogue = 8 };
  std::string_view name;
  std::string_view schema;
  OpKind kind;
  ShapeFn shape;
  uint32_t operands;  // bit i: argument i is a pointwise operand
  ComputeRule compute;
  ResultRule result;
  uint8_t flags;
  std::string_view functional;
  std::string_view decompose;
  std::string_view training;
};

class OpTable {
 public:
  void add(const OpRow& row);
  /// Sorts by name; after this no row is added.
  void index();
  /// The row called `name`, which must exist.
  OpDef& op(std::string_view name);
  std::span<const OpDef> ops() const { return ops_; }

 private:
  std::vector<OpDef> ops_;
};

/// Arguments and returns of an ATen schema. tools/opgen/schema.py has checked the text at build
/// time; a text that does not parse is an `InternalError`.
struct ParsedSchema {
  std::vector<ArgumentSpec> arguments;
  int returns = 0;
  bool returns_list = false;
};
ParsedSchema parse_schema(std::string_view schema);

/// Generated: adds every row and the kernels for `capability`.
void register_all(OpTable& table, cpu::Capability capability);

}  // namespace rushlight
