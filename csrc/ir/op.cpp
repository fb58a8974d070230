#include "op.h"

#include <algorithm>
#include <numeric>

#include "ir/custom_op.h"
#include "ir/op_table.h"

namespace rushlight {
namespace {

const OpTable& table() {
  static const OpTable built = [] {
    OpTable t;
    register_all(t, cpu::capability());
    return t;
  }();
  return built;
}

// Levenshtein distance, for suggestions only.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

void OpTable::add(const OpRow& row) {
  ParsedSchema schema = parse_schema(row.schema);
  OpDef op;
  op.name = row.name;
  op.schema = row.schema;
  op.kind = row.kind;
  op.arguments = std::move(schema.arguments);
  op.returns = schema.returns;
  op.returns_list = schema.returns_list;
  op.aliases = row.flags & OpRow::aliases;
  op.may_alias = row.flags & OpRow::may_alias;
  op.random = row.flags & OpRow::random;
  op.epilogue = row.flags & OpRow::epilogue;
  op.shape = row.shape;
  op.pointwise.compute = row.compute;
  op.pointwise.result = row.result;
  op.functional = row.functional;
  op.decompose = row.decompose;
  op.training = row.training;
  if (op.kind == OpKind::InPlace)
    for (size_t i = 0; i < op.arguments.size(); ++i)
      if (op.arguments[i].written) op.written.push_back(static_cast<uint8_t>(i));
  if (op.kind == OpKind::Pointwise) {
    for (size_t i = 0; i < op.arguments.size(); ++i) {
      const ArgType type = op.arguments[i].type;
      if (row.operands >> i & 1)
        op.operands.push_back(static_cast<uint8_t>(i));
      else if (type == ArgType::Number || type == ArgType::Int || type == ArgType::Float ||
               type == ArgType::Bool)
        op.parameters.push_back(static_cast<uint8_t>(i));
    }
  }
  ops_.push_back(std::move(op));
}

void OpTable::index() {
  std::sort(ops_.begin(), ops_.end(),
            [](const OpDef& a, const OpDef& b) { return a.name < b.name; });
}

OpDef& OpTable::op(std::string_view name) {
  const auto it = std::lower_bound(ops_.begin(), ops_.end(), name,
                                   [](const OpDef& a, std::string_view n) { return a.name < n; });
  RL_ASSERT(it != ops_.end() && it->name == name, name, " is not in the op table");
  return *it;
}

int OpDef::find_argument(std::string_view argument) const {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].name == argument) return static_cast<int>(i);
  return -1;
}

bool reads_metadata_only(const OpDef& op) {
  return op.kind == OpKind::Scalar &&
         (op.name.starts_with("aten.sym_") || op.name.starts_with("_operator.") ||
          op.name.starts_with("torch."));
}

const OpDef& resolve_training(const OpDef& op, std::span<const Argument> args) {
  if (op.training.empty()) return op;
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    const std::string_view name = op.arguments[i].name;
    if (name != "train" && name != "training") continue;
    const bool* flag = std::get_if<bool>(&args[i]);
    if (!flag || !*flag) return op;
  }
  const OpDef* twin = find_op(op.training);
  RL_ASSERT(twin, op.training, " is missing");
  const std::vector<int> from = arguments_by_name(op, *twin);
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] >= 0 && !twin->arguments[i].optional && is_none(args[from[i]])) return op;
  return *twin;
}

std::vector<int> arguments_by_name(const OpDef& from, const OpDef& to) {
  std::vector<int> positions;
  for (const ArgumentSpec& spec : to.arguments) {
    positions.push_back(from.find_argument(spec.name));
    RL_ASSERT(positions.back() >= 0 || spec.has_default, from.name, " has no argument ", spec.name,
              " for ", to.name);
  }
  return positions;
}

std::vector<Argument> renamed(const OpDef& from, std::span<const Argument> args, const OpDef& to) {
  std::vector<Argument> out;
  const std::vector<int> positions = arguments_by_name(from, to);
  for (size_t i = 0; i < positions.size(); ++i)
    out.push_back(positions[i] < 0 ? to.arguments[i].default_value
                                   : args[static_cast<size_t>(positions[i])]);
  return out;
}

std::span<const OpDef> all_ops() { return table().ops(); }

const OpDef* find_op(std::string_view name) {
  const auto ops = table().ops();
  const auto it = std::lower_bound(ops.begin(), ops.end(), name,
                                   [](const OpDef& a, std::string_view n) { return a.name < n; });
  return it != ops.end() && it->name == name ? &*it : find_custom_op(name);
}

std::string_view suggest_op(std::string_view name) {
  std::string_view best;
  size_t distance = std::max<size_t>(name.size() / 4, 2) + 1;
  for (const OpDef& op : all_ops()) {
    const size_t d = edit_distance(name, op.name);
    if (d < distance) {
      distance = d;
      best = op.name;
    }
  }
  return best;
}

}  // namespace rushlight
