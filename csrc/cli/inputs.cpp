#include "cli/inputs.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "cli/errors.h"
#include "kernels/copy.h"
#include "runtime/npy.h"

namespace rushlight::cli {
namespace {

constexpr std::string_view kLabels = "labels";

bool is_zip(const std::string& path) {
  std::array<char, 2> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return start[0] == 'P' && start[1] == 'K';
}

std::string joined(const auto& items, auto&& text) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + text(item);
  return out;
}

NamedTensors read_arrays(const std::string& path, const std::vector<ModelValue>& wanted) {
  if (path.empty()) return {};
  if (is_zip(path)) return read_npz(path);
  Tensor array = read_npy(path);
  if (wanted.size() != 1)
    throw UsageError(detail::concat(path, ": a .npy file holds one array, but the program takes ",
                                    wanted.size(), " (",
                                    joined(wanted, [](const ModelValue& v) { return v.name; }),
                                    "); use a .npz file with these names"));
  return {{wanted[0].name, std::move(array)}};
}

Tensor value_of(const ModelValue& input, const Tensor& array) {
  RL_CHECK(input.dtype || array.rank() == 0, Value, "input '", input.name, "': expected ",
           input.type, ", got ", describe(array));
  if (input.dtype == DType::BFloat16 && array.dtype == DType::Float32)
    return converted(array, DType::BFloat16);  // NumPy has no bfloat16
  return array.clone();                        // a program may write into its inputs
}

}  // namespace

Tensor converted(const Tensor& tensor, DType dtype) {
  Tensor out = Tensor::empty(tensor.sizes, dtype);
  kernels::copy_strided(tensor, out);
  return out;
}

Inputs read_inputs(const std::string& path, const Model& model) {
  const std::vector<ModelValue>& wanted = model.inputs();
  NamedTensors arrays = read_arrays(path, wanted);
  const auto find = [&](std::string_view name) {
    return std::find_if(arrays.begin(), arrays.end(),
                        [&](const auto& a) { return a.first == name; });
  };
  Inputs inputs;
  const bool labels_are_an_input =
      std::any_of(wanted.begin(), wanted.end(),
                  [](const ModelValue& v) { return v.name == kLabels || v.path == kLabels; });
  if (const auto labels = find(kLabels); labels != arrays.end() && !labels_are_an_input) {
    inputs.labels = labels->second;
    arrays.erase(labels);
  }
  std::vector<ModelValue> missing;
  for (const ModelValue& input : wanted) {
    auto found = find(input.name);
    if (found == arrays.end() && !input.path.empty()) found = find(input.path);
    if (found != arrays.end())
      inputs.tensors.push_back(value_of(input, found->second));
    else
      missing.push_back(input);
  }
  const auto type = [](const ModelValue& v) { return "'" + v.name + "' (" + v.type + ")"; };
  const auto name = [](const auto& array) { return "'" + array.first + "'"; };
  RL_CHECK(missing.empty(), Value, path.empty() ? "no --inputs" : path, ": no array for input ",
           joined(missing, type), "; it has ", arrays.empty() ? "nothing" : joined(arrays, name));
  return inputs;
}

}  // namespace rushlight::cli
