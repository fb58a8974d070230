#include "lazy/program.h"

#include <set>

namespace rushlight::lazy {
namespace {

using Owner = Replay::Owner;

class Builder {
 public:
  Builder(const Replay& replay, const Naming& naming)
      : replay_(replay), naming_(naming), program_(std::make_shared<Program>()) {}

  std::shared_ptr<Program> run() {
    add_weights();
    add_arguments();
    if (replay_.graph) add_nodes();
    add_mutations();
    for (const Naming::Leaf& leaf : naming_.outputs) add_output(leaf);
    return program_;
  }

 private:
  Graph& graph() { return program_->graph; }

  // A name that no value has yet: "mul", "mul_1", …
  std::string unique(const std::string& name) {
    std::string out = name;
    for (int i = 1; !names_.insert(out).second; ++i) out = name + "_" + std::to_string(i);
    return out;
  }
  // "aten.mul.Tensor" -> "mul"
  static std::string stem(std::string_view target) {
    const size_t start = target.find('.') + 1;
    return std::string(target.substr(start, target.find('.', start) - start));
  }

  ValueId tensor_value(std::string name, const TensorMeta& meta) {
    Value value;
    value.name = std::move(name);
    value.dtype = meta.dtype;
    for (int64_t s : meta.sizes) value.sizes.push_back({s, ""});
    value.hint_strides = meta.strides;
    value.known = true;
    return graph().add_value(std::move(value));
  }

  void add_weights() {
    captured_.assign(replay_.captured.size(), kNoValue);
    for (size_t i = 0; i < replay_.captured.size(); ++i) {
      const Naming::Weight& weight = naming_.captured.at(i);
      const Tensor& tensor = replay_.captured[i];
      RL_CHECK(tensor.is_contiguous(), NotImplemented, "export(): '", weight.target,
               "' is not contiguous: give the function a contiguous copy of it");
      InputSpec spec{weight.kind};
      names_.insert(weight.name);
      spec.value = captured_[i] = tensor_value(weight.name, tensor);
      spec.name = weight.name;
      spec.target = weight.target;
      program_->weights[weight.target] = tensor;
      graph().inputs.push_back(spec.value);
      program_->inputs.push_back(std::move(spec));
    }
  }

  void add_arguments() {
    arguments_.assign(replay_.arguments.size(), kNoValue);
    for (const Naming::Leaf& leaf : naming_.inputs) {
      InputSpec spec{InputSpec::Kind::User};
      spec.name = leaf.name;
      names_.insert(leaf.name);
      spec.literal = leaf.literal;
      if (leaf.tensor >= 0) {
        const auto k = static_cast<size_t>(leaf.tensor);
        spec.value = arguments_[k] = tensor_value(leaf.name, replay_.arguments[k].meta);
        graph().inputs.push_back(spec.value);
      }
      program_->inputs.push_back(std::move(spec));
    }
  }

  // The part of `base`, which has the layout `whole`, with this layout and offset in bytes.
  ValueId part(ValueId base, const TensorMeta& whole, const TensorMeta& meta, int64_t offset) {
    if (offset == 0 && whole.same_layout(meta)) return base;
    RL_CHECK(whole.dtype == meta.dtype && offset >= 0 && offset % item_size(meta.dtype) == 0,
             NotImplemented, "export(): a view that starts before the tensor that was given, or ",
             "has another dtype, has no form in the file");
    Node node;
    node.op = find_op("aten.as_strided.default");
    node.target = node.op->name;
    node.operands = {Operand::ref(base), Operand::of(meta.sizes), Operand::of(meta.strides),
                     Operand::of(offset / item_size(meta.dtype))};
    node.name = unique("as_strided");
    node.outputs = {tensor_value(node.name, meta)};
    graph().nodes.push_back(node);
    return node.outputs[0];
  }

  ValueId owner_value(const Owner& owner) const {
    const auto index = static_cast<size_t>(owner.index);
    if (owner.kind == Owner::Kind::Argument) return arguments_[index];
    if (owner.kind == Owner::Kind::Value) return values_[index];
    return captured_[index];
  }
  const TensorMeta& owner_meta(const Owner& owner) const {
    const auto index = static_cast<size_t>(owner.index);
    if (owner.kind == Owner::Kind::Argument) return replay_.arguments[index].meta;
    if (owner.kind == Owner::Kind::Value) return replay_.values[index];
    return replay_.captured[index];
  }

  void add_nodes() {
    const Graph& from = replay_.graph->graph;
    std::vector<ValueId> mapped(from.values.size(), kNoValue);
    std::vector<const Argument*> numbers(from.values.size(), nullptr);
    for (size_t i = 0; i < replay_.inputs.size(); ++i) {
      const Replay::Input& input = replay_.inputs[i];
      mapped[static_cast<size_t>(from.inputs[i])] =
          part(owner_value(input.owner), owner_meta(input.owner), input.meta, input.offset);
    }
    for (size_t i = 0; i < replay_.numbers.size(); ++i)
      if (const ValueId v = replay_.graph->numbers[i]; v != kNoValue)
        numbers[static_cast<size_t>(v)] = &replay_.numbers[i];
    for (Node node : from.nodes) {
      for (Operand& operand : node.operands) translate(operand, mapped, numbers);
      node.name = unique(stem(node.target));
      for (ValueId& out : node.outputs) {
        if (out == kNoValue) continue;
        Value value = from.at(out);
        value.name = node.outputs.size() == 1 ? node.name : unique(node.name + "_out");
        out = mapped[static_cast<size_t>(out)] = graph().add_value(std::move(value));
      }
      graph().nodes.push_back(std::move(node));
    }
    for (ValueId v : from.outputs) values_.push_back(mapped[static_cast<size_t>(v)]);
  }

  static void translate(Operand& operand, const std::vector<ValueId>& mapped,
                        const std::vector<const Argument*>& numbers) {
    for (Operand& item : operand.items) translate(item, mapped, numbers);
    if (!operand.is_value()) return;
    const auto v = static_cast<size_t>(operand.value);
    operand = numbers[v] ? Operand::of(*numbers[v]) : Operand::ref(mapped[v]);
  }

  void add_mutations() {
    for (const Owner::Kind kind : {Owner::Kind::Captured, Owner::Kind::Argument})
      for (const Replay::Write& write : replay_.writes) {
        if (write.owner.kind != kind) continue;
        const auto index = static_cast<size_t>(write.owner.index);
        const TensorMeta& whole = replay_.values[static_cast<size_t>(write.value)];
        const TensorMeta& meta = owner_meta(write.owner);
        OutputSpec spec;
        const bool buffer = kind == Owner::Kind::Captured;
        spec.kind = buffer ? OutputSpec::Kind::BufferMutation : OutputSpec::Kind::InputMutation;
        spec.target = buffer ? naming_.captured[index].target : name_of_argument(index);
        spec.value = part(values_[static_cast<size_t>(write.value)], whole, meta, -write.offset);
        (buffer ? captured_ : arguments_)[index] = spec.value;
        graph().outputs.push_back(spec.value);
        program_->outputs.push_back(std::move(spec));
      }
  }
  std::string name_of_argument(size_t index) const {
    for (const Naming::Leaf& leaf : naming_.inputs)
      if (leaf.tensor == static_cast<int32_t>(index)) return leaf.name;
    return "";
  }

  void add_output(const Naming::Leaf& leaf) {
    OutputSpec spec;
    spec.kind = OutputSpec::Kind::User;
    spec.literal = leaf.literal;
    if (leaf.tensor >= 0) {
      const Replay::Result& result = replay_.results.at(static_cast<size_t>(leaf.tensor));
      spec.value =
          part(owner_value(result.owner), owner_meta(result.owner), result.meta, result.offset);
      graph().outputs.push_back(spec.value);
    }
    program_->outputs.push_back(std::move(spec));
  }

  const Replay& replay_;
  const Naming& naming_;
  std::shared_ptr<Program> program_;
  std::set<std::string> names_;
  std::vector<ValueId> captured_, arguments_, values_;
};

}  // namespace

std::shared_ptr<Program> to_program(const Replay& replay, const Naming& naming) {
  return Builder(replay, naming).run();
}

}  // namespace rushlight::lazy
