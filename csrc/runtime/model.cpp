// The public face of ModelRunner: tensors in, tensors out.
#include "model.h"

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

std::string type_of(const Value& value) {
  constexpr std::string_view names[] = {"", "an int", "a float", "a bool", "a token"};
  if (value.type != ValueType::Tensor) return std::string(names[static_cast<size_t>(value.type)]);
  if (!value.known) return "a tensor";
  std::string out(dtype_name(value.dtype));
  out += '[';
  for (size_t i = 0; i < value.sizes.size(); ++i) {
    const SymbolicSize& size = value.sizes[i];
    const auto expression = size.is_static() ? std::nullopt : SymbolExpr::parse(size.expression);
    out += i ? ", " : "";
    out += size.is_static() ? std::to_string(size.hint) : expression ? expression->text() : "?";
  }
  return out + ']';
}

}  // namespace

struct Model::Impl {
  Impl(const std::string& path, int num_threads) : runner(path, num_threads) {
    const Program& program = runner.program();
    for (size_t i : runner.inputs().user_inputs()) {
      const InputSpec& spec = program.inputs[i];
      if (spec.value != kNoValue) inputs.push_back({spec.name, runner.inputs().expected(i)});
    }
    for (const OutputSpec& spec : program.outputs) {
      if (spec.kind != OutputSpec::Kind::User) continue;
      std::string name = "output_" + std::to_string(outputs.size());
      outputs.push_back({std::move(name), spec.value == kNoValue
                                              ? "a constant"
                                              : type_of(program.graph.at(spec.value))});
    }
  }

  ModelRunner runner;
  std::vector<ModelValue> inputs, outputs;
};

std::string_view version() { return RUSHLIGHT_VERSION; }

Model::Model(const std::string& path, int num_threads)
    : impl_(std::make_unique<Impl>(path, num_threads)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

const std::vector<ModelValue>& Model::inputs() const { return impl_->inputs; }
const std::vector<ModelValue>& Model::outputs() const { return impl_->outputs; }

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
