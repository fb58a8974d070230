// The public face of ModelRunner: tensors in, tensors out.
#include "model.h"

#include "runtime/argument_paths.h"
#include "runtime/model_runner.h"

namespace rushlight {
namespace {

Argument to_number(const Tensor& tensor, const ModelValue& input) {
  RL_CHECK(tensor.defined() && tensor.numel() == 1, Type, "input '", input.name, "': expected ",
           input.type, ", got ", tensor.defined() ? describe(tensor) : "nothing");
  return dispatch_dtype(tensor.dtype, [&]<class T>(T) -> Argument {
    const T value = *tensor.data<T>();
    if constexpr (std::is_same_v<T, bool>)
      return value;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<int64_t>(value);
    else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
      return complex128(value);
    else
      return static_cast<double>(value);
  });
}

Tensor to_tensor(const Argument& literal) {
  if (const bool* v = std::get_if<bool>(&literal)) return Tensor::scalar(*v);
  if (const int64_t* v = std::get_if<int64_t>(&literal)) return Tensor::scalar(*v);
  if (const double* v = std::get_if<double>(&literal)) return Tensor::scalar(*v);
  if (const complex128* v = std::get_if<complex128>(&literal)) return Tensor::scalar(*v);
  return {};
}

ModelSize size_of(const SymbolicSize& size, const Program& program) {
  if (size.is_static()) return {std::to_string(size.hint), size.hint, size.hint};
  const auto expression = SymbolExpr::parse(size.expression);
  ModelSize out{expression ? expression->text() : "?"};
  for (const SymbolRange& range : program.ranges)
    if (range.expression == out.text)
      out.min = std::max(range.min, int64_t{0}), out.max = range.max;
  return out;
}

ModelValue describe_value(std::string name, ValueId id, const Program& program) {
  constexpr std::string_view numbers[] = {"", "an int", "a float", "a bool", "a token"};
  if (id == kNoValue) return {std::move(name), "a constant"};
  const Value& value = program.graph.at(id);
  if (value.type != ValueType::Tensor)
    return {std::move(name), std::string(numbers[static_cast<size_t>(value.type)])};
  if (!value.known) return {std::move(name), "a tensor"};
  ModelValue out{std::move(name), std::string(dtype_name(value.dtype)) + '[', value.dtype};
  for (const SymbolicSize& size : value.sizes) {
    out.sizes.push_back(size_of(size, program));
    out.type += (out.sizes.size() > 1 ? ", " : "") + out.sizes.back().text;
  }
  out.type += ']';
  return out;
}

}  // namespace

struct Model::Impl {
  Impl(const std::string& path, int num_threads) : runner(path, num_threads) {
    const Program& program = runner.program();
    const std::vector<std::string> paths = argument_paths(program);
    for (size_t k = 0; const size_t i : runner.inputs().user_inputs()) {
      const size_t argument = k++;
      const InputSpec& spec = program.inputs[i];
      if (spec.value == kNoValue) continue;
      inputs.push_back(describe_value(spec.name, spec.value, program));
      if (argument < paths.size()) inputs.back().path = paths[argument];
    }
    for (const OutputSpec& spec : program.outputs) {
      keeps_state |= spec.kind == OutputSpec::Kind::BufferMutation;
      if (spec.kind != OutputSpec::Kind::User) continue;
      outputs.push_back(
          describe_value("output_" + std::to_string(outputs.size()), spec.value, program));
    }
  }

  ModelRunner runner;
  std::vector<ModelValue> inputs, outputs;
  bool keeps_state = false;
};

std::string_view version() { return RUSHLIGHT_VERSION; }

Model::Model(const std::string& path, int num_threads)
    : impl_(std::make_unique<Impl>(path, num_threads)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

const std::vector<ModelValue>& Model::inputs() const { return impl_->inputs; }
const std::vector<ModelValue>& Model::outputs() const { return impl_->outputs; }
bool Model::keeps_state() const { return impl_->keeps_state; }

std::vector<Tensor> Model::run(std::span<const Tensor> inputs) {
  ModelRunner& runner = impl_->runner;
  const Program& program = runner.program();
  if (inputs.size() != impl_->inputs.size()) {
    std::string list;
    for (const ModelValue& input : impl_->inputs)
      list += (list.empty() ? "" : ", ") + input.name + ": " + input.type;
    RL_FAIL(Type, "the program takes ", impl_->inputs.size(), " inputs (", list, "), but ",
            inputs.size(), " were given");
  }
  std::vector<RunValue> values;
  size_t given = 0;
  for (size_t i : runner.inputs().user_inputs()) {
    const InputSpec& spec = program.inputs[i];
    if (spec.value == kNoValue) {
      values.push_back({std::nullopt, spec.literal});
      continue;
    }
    const Tensor& tensor = inputs[given];
    const ModelValue& input = impl_->inputs[given++];
    if (program.graph.at(spec.value).type != ValueType::Tensor) {
      values.push_back({std::nullopt, to_number(tensor, input)});
      continue;
    }
    RL_CHECK(tensor.defined(), Type, "input '", input.name, "': expected ", input.type,
             ", got a tensor without memory");
    values.push_back({tensor, {}});
  }
  std::vector<Tensor> outputs;
  for (const RunValue& value : runner.run(values))
    outputs.push_back(value.tensor ? *value.tensor : to_tensor(value.literal));
  return outputs;
}

}  // namespace rushlight
