// Every program in tests/data/pt2 gives the outputs that PyTorch gave.
#include <cmath>

#include "fixtures.h"
#include "runtime/json.h"
#include "runtime/model_runner.h"
#include "runtime/npy.h"
#include "test.h"

using namespace rushlight;
using namespace rushlight::test;

namespace {

double element(const Tensor& dense, int64_t i) {
  return dispatch_dtype(dense.dtype, [&]<class T>(T) -> double {
    const T value = dense.data<T>()[i];
    if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
      return std::abs(complex128(value));
    else
      return static_cast<double>(value);
  });
}

// ‖a − b‖ / ‖b‖ over all elements; 16-bit results carry their rounding.
void expect_close(const Tensor& got, const Tensor& wanted, const std::string& where) {
  const Tensor a = got.contiguous(), b = wanted.contiguous();
  if (!(a.sizes == b.sizes))
    return report_failure(__FILE__, __LINE__, where + ": " + describe(a) + ", not " + describe(b));
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < a.numel(); ++i) {
    difference += std::pow(element(a, i) - element(b, i), 2);
    norm += std::pow(element(b, i), 2);
  }
  const double tolerance = a.dtype == DType::BFloat16  ? 2e-2
                           : a.dtype == DType::Float16 ? 2e-3
                           : is_floating(a.dtype)      ? 1e-5
                                                       : 0;
  if (!(std::sqrt(difference) <= tolerance * std::sqrt(norm)))
    report_failure(__FILE__, __LINE__,
                   where + ": relative error " + show(std::sqrt(difference / norm)));
}

const Tensor* find(const NamedTensors& record, const std::string& name) {
  for (const auto& [key, tensor] : record)
    if (key == name) return &tensor;
  return nullptr;
}

// NumPy has no bfloat16: the record holds float32.
Tensor as_input(const Tensor& tensor, DType dtype) {
  if (tensor.dtype == dtype) return tensor.clone();
  Tensor out = Tensor::empty(tensor.sizes, dtype);
  const Tensor dense = tensor.contiguous();
  for (int64_t i = 0; i < out.numel(); ++i)
    out.data<BFloat16>()[i] = BFloat16(static_cast<float>(element(dense, i)));
  return out;
}

RunValue literal_of(json::Value value) {
  if (value.is_null()) return {};
  if (value.is_bool()) return {std::nullopt, value.as_bool()};
  if (value.is_int()) return {std::nullopt, value.as_int()};
  if (value.is_string()) return {std::nullopt, std::string(value.as_string())};
  return {std::nullopt, value.as_double()};
}

void check_call(ModelRunner& runner, const NamedTensors& record, json::Value literals, int64_t call,
                const std::string& where) {
  const Program& program = runner.program();
  const std::string k = std::to_string(call);
  std::vector<RunValue> inputs;
  for (size_t i : runner.inputs().user_inputs()) {
    const InputSpec& spec = program.inputs[i];
    if (const Tensor* tensor = find(record, "in" + k + "." + spec.name))
      inputs.push_back({as_input(*tensor, program.graph.at(spec.value).dtype), {}});
    else
      inputs.push_back(literal_of(literals[spec.name]));
  }
  const std::vector<RunValue> outputs = runner.run(inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string name = "out" + k + "." + std::to_string(i);
    const Tensor* wanted = find(record, name);
    if (outputs[i].tensor && wanted) expect_close(*outputs[i].tensor, *wanted, where + " " + name);
    if (!outputs[i].tensor && wanted)
      EXPECT_EQ(std::get<int64_t>(outputs[i].literal), *wanted->data<int64_t>());
    EXPECT(wanted || !outputs[i].tensor);
  }
}

}  // namespace

TEST(every_fixture_gives_the_recorded_outputs) {
  for (const std::string& file : program_files()) {
    const std::string stem = file.substr(0, file.rfind('.', file.size() - 5));
    const NamedTensors record = read_npz(stem + ".npz");
    const std::string text = read_file(stem + ".json");
    const json::Document info = json::Document::parse(text, {.name = stem + ".json"});
    ModelRunner runner(file);
    int64_t call = 0;
    for (json::Value literals : info.root()["literals"].elements())
      check_call(runner, record, literals, call++, file);
    EXPECT_EQ(call, info.root()["calls"].as_int());
  }
}
