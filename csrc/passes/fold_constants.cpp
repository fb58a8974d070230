// Computes once what depends on nothing but weights and literals.
#include <deque>

#include "passes/pipeline.h"
#include "runtime/eager.h"

namespace rushlight {
namespace {

// Folding may not blow a small program up: larger results are computed in each call.
constexpr int64_t kMaxFoldedBytes = int64_t{64} << 20;

class Folder {
 public:
  explicit Folder(PreparedGraph& prepared) : prepared_(prepared) {}

  bool fold(const Node& node) {
    const OpDef* op = node.op;
    if (!op || op->custom || op->random || op->kind == OpKind::Check || op->kind == OpKind::InPlace)
      return false;
    std::vector<Argument> args;
    for (const Operand& operand : node.operands) {
      auto arg = argument(operand);
      if (!arg) return false;
      args.push_back(std::move(*arg));
    }
    if (too_large(*op, args)) return false;
    CallResult result = call_op(*op, args);
    if (!is_none(result.number)) {
      prepared_.numbers[node.outputs.at(0)] = result.number;
      return true;
    }
    RL_CHECK(node.outputs.size() <= result.tensors.size(), Runtime, "has ", node.outputs.size(),
             " outputs, the operator gives ", result.tensors.size());
    for (size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i] != kNoValue)
        prepared_.constants[node.outputs[i]] = std::move(result.tensors.at(i));
    return true;
  }

 private:
  std::optional<Argument> argument(const Operand& operand) {
    if (operand.kind == Operand::Kind::Literal) return operand.literal;
    if (operand.kind == Operand::Kind::Value) {
      if (const auto it = prepared_.constants.find(operand.value); it != prepared_.constants.end())
        return Argument{static_cast<const Tensor*>(&it->second)};
      if (const auto it = prepared_.numbers.find(operand.value); it != prepared_.numbers.end())
        return it->second;
      return std::nullopt;
    }
    std::vector<const Tensor*> tensors;
    Dims ints;
    for (const Operand& item : operand.items) {
      const auto arg = argument(item);
      if (!arg) return std::nullopt;
      if (const auto* t = std::get_if<const Tensor*>(&*arg))
        tensors.push_back(*t);
      else if (is_none(*arg))
        tensors.push_back(nullptr);
      else
        ints.push_back(unpack<int64_t>::from(*arg));
    }
    if (!tensors.empty()) return Argument{tensors};
    return Argument{ints};
  }

  static bool too_large(const OpDef& op, std::span<const Argument> args) {
    if (op.kind != OpKind::Kernel || !op.shape) return false;
    std::vector<TensorMeta> metas(static_cast<size_t>(op.returns));
    op.shape(args, metas);
    int64_t bytes = 0;
    for (const TensorMeta& meta : metas) bytes += meta.nbytes();
    return bytes > kMaxFoldedBytes;
  }

  PreparedGraph& prepared_;
};

}  // namespace

void fold_constants(PreparedGraph& prepared) {
  Folder folder(prepared);
  std::vector<Node> kept;
  for (Node& node : prepared.graph.nodes) {
    try {
      if (folder.fold(node)) continue;
    } catch (const Error&) {
      // It fails in the call instead, where the error names the node.
    }
    kept.push_back(std::move(node));
  }
  prepared.graph.nodes = std::move(kept);
}

}  // namespace rushlight
