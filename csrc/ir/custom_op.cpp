#include "ir/custom_op.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "ir/op_table.h"
#include "kernels/copy.h"

namespace rushlight {
namespace {

// The texts that an OpDef's views look at stand beside it.
struct Definition {
  std::string name, schema, twin;
  OpDef op;
};

struct Registry {
  std::shared_mutex mutex;
  // Graphs hold pointers to operators, so that nothing is ever removed here …
  std::vector<std::unique_ptr<Definition>> all;
  // … only here, where names are looked up. Twins of operators that write are found here too.
  std::map<std::string, const OpDef*, std::less<>> by_name;
  std::atomic<bool> used = false;
};

// Never destroyed: programs may outlive static objects.
Registry& registry() {
  static Registry* const instance = new Registry;
  return *instance;
}

// Copies of the written arguments take what the operator writes, and are returned last.
CustomCalls functional_calls(const CustomCalls& calls, std::vector<uint8_t> written, bool gives) {
  CustomCalls twin;
  twin.runs_at_call = calls.runs_at_call;
  twin.allocate = [calls, written, gives](std::span<const Argument> args) {
    std::vector<Argument> own(args.begin(), args.end());
    std::vector<Tensor> copies;
    copies.reserve(written.size());
    for (uint8_t i : written) {
      if (is_none(own[i])) {
        copies.emplace_back();
        continue;
      }
      copies.push_back(unpack<Tensor>::from(own[i]).clone());
      own[i] = static_cast<const Tensor*>(&copies.back());
    }
    std::vector<Tensor> results;
    if (gives)
      results = calls.allocate(own);
    else
      calls.fill(own, {});
    for (Tensor& copy : copies) results.push_back(std::move(copy));
    return results;
  };
  return twin;
}

OpKind kind_of(const OpDef& op, const CustomCalls& calls, std::string_view returned) {
  if (!op.written.empty()) return OpKind::InPlace;
  if (op.returns == 0) return OpKind::Check;
  if (!returned.starts_with("Tensor")) return OpKind::Scalar;
  return calls.shape ? OpKind::Kernel : OpKind::Dynamic;
}

bool is_number(std::string_view type) {
  constexpr std::string_view numbers[] = {"int",  "SymInt",  "float", "SymFloat",
                                          "bool", "SymBool", "Scalar"};
  return std::find(std::begin(numbers), std::end(numbers), type) != std::end(numbers);
}

void check_calls(const OpDef& op, const CustomCalls& calls) {
  const bool fits = op.kind == OpKind::Scalar   ? calls.number != nullptr
                    : op.kind == OpKind::Kernel ? calls.fill != nullptr
                    : op.returns == 0           ? calls.fill != nullptr
                                                : calls.allocate != nullptr;
  RL_CHECK(fits, Runtime, op.name, ": the function does not give what the schema ", op.schema,
           " returns");
}

std::unique_ptr<Definition> make(std::string name, std::string schema, CustomCalls calls) {
  auto made = std::make_unique<Definition>();
  made->name = std::move(name);
  made->schema = std::move(schema);
  OpDef& op = made->op;
  op.name = made->name;
  op.schema = made->schema;
  ParsedSchema parsed = parse_schema(op.schema);
  op.arguments = std::move(parsed.arguments);
  op.returns = parsed.returns;
  op.returns_list = parsed.returns_list;
  RL_CHECK(op.arguments.size() < 64, NotImplemented, op.name, ": more than 63 arguments");
  const std::string_view returned = returns_of(op.schema);
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    if (!op.arguments[i].written) continue;
    RL_CHECK(!op.arguments[i].list, NotImplemented, op.name, ": argument '", op.arguments[i].name,
             "' is a list of tensors that are written");
    op.written.push_back(static_cast<uint8_t>(i));
  }
  const auto aliases = std::count(returned.begin(), returned.end(), '!');
  RL_CHECK(aliases == 0 || aliases == op.returns, NotImplemented, op.name,
           ": some results are written arguments and some are not");
  if (aliases > 0) {
    RL_CHECK(op.returns == static_cast<int>(op.written.size()), NotImplemented, op.name,
             ": all written arguments are returned, or none");
    op.returns = 0;
    op.aliases = true;
  }
  op.kind = kind_of(op, calls, returned);
  RL_CHECK(op.kind != OpKind::Scalar || is_number(returned), NotImplemented, op.name,
           ": an operator gives tensors, or one number, not ", returned);
  check_calls(op, calls);
  op.custom = std::make_shared<const CustomCalls>(std::move(calls));
  return made;
}

}  // namespace

const OpDef& define_op(std::string_view schema, CustomCalls calls) {
  OperatorName checked = check_schema(schema);
  RL_CHECK(!find_op(checked.name) || find_custom_op(checked.name), Runtime, "operator ",
           checked.name, " is one of rushlight's own and can't be defined anew");
  std::unique_ptr<Definition> made =
      make(checked.name, checked.name + checked.signature, std::move(calls));
  OpDef& op = made->op;
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  if (op.kind == OpKind::InPlace) {
    made->twin = made->name + "@functional";  // no name that a schema can have
    op.functional = made->twin;
    auto twin = std::make_unique<Definition>();
    twin->name = made->twin;
    twin->schema = made->schema;
    OpDef& functional = twin->op;
    functional = op;
    functional.name = twin->name;
    functional.schema = twin->schema;
    // Names of arguments are views of the first definition's schema, which lives as long.
    functional.kind = OpKind::Dynamic;
    functional.returns = op.returns + static_cast<int>(op.written.size());
    functional.returns_list = false;
    functional.written.clear();
    for (ArgumentSpec& spec : functional.arguments) spec.written = false;
    functional.custom = std::make_shared<const CustomCalls>(
        functional_calls(*op.custom, op.written, op.returns > 0));
    r.by_name.insert_or_assign(twin->name, &functional);
    r.all.push_back(std::move(twin));
  }
  r.by_name.insert_or_assign(made->name, &op);
  r.all.push_back(std::move(made));
  r.used.store(true, std::memory_order_release);
  return op;
}

bool undefine_op(std::string_view name) {
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  const auto it = r.by_name.find(name);
  if (it == r.by_name.end()) return false;
  r.by_name.erase(it);
  return true;
}

const OpDef* find_custom_op(std::string_view name) {
  Registry& r = registry();
  if (!r.used.load(std::memory_order_acquire)) return nullptr;
  std::shared_lock lock(r.mutex);
  const auto it = r.by_name.find(name);
  return it == r.by_name.end() ? nullptr : it->second;
}

std::vector<const OpDef*> custom_ops() {
  Registry& r = registry();
  std::shared_lock lock(r.mutex);
  std::vector<const OpDef*> ops;
  for (const auto& [name, op] : r.by_name)
    if (name.find('@') == name.npos) ops.push_back(op);
  return ops;
}

void OpDef::infer(std::span<const Argument> args, std::vector<TensorMeta>& outs) const {
  if (!custom) return shape(args, outs);
  custom->shape(args, outs);
}

void OpDef::compute(std::span<const Argument> args, std::span<Tensor* const> outs,
                    const Epilogue& tail) const {
  if (!custom) return kernel(args, outs, tail);
  custom->fill(args, outs);
}

Argument OpDef::give_number(std::span<const Argument> args) const {
  return custom ? custom->number(args) : scalar(args);
}

}  // namespace rushlight
