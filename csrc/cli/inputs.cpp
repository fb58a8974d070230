#include "cli/inputs.h"

#include <algorithm>

#include "runtime/npy.h"

namespace rushlight::cli {
namespace {

constexpr std::string_view kLabels = "labels";

std::string listed(const std::vector<ModelValue>& inputs) {
  std::string out;
  for (const ModelValue& input : inputs)
    out += (out.empty() ? "" : ", ") + input.name + ": " + input.type;
  return out.empty() ? "none" : out;
}

}  // namespace

Inputs read_inputs(const std::string& path, const Model& model) {
  const std::vector<ModelValue>& wanted = model.inputs();
  Inputs inputs;
  if (path.empty()) {
    RL_CHECK(wanted.empty(), Value, "--inputs is needed: the program takes ", listed(wanted));
    return inputs;
  }
  if (!path.ends_with(".npz")) {
    RL_CHECK(wanted.size() == 1, Value, path, ": one array does not suffice: the program takes ",
             listed(wanted), "; give them by name in an .npz file");
    inputs.tensors.push_back(read_npy(path).clone());
    return inputs;
  }
  const NamedTensors arrays = read_npz(path);
  std::string missing, unknown;
  for (const ModelValue& input : wanted) {
    const auto it = std::find_if(arrays.begin(), arrays.end(),
                                 [&](const auto& array) { return array.first == input.name; });
    if (it == arrays.end())
      missing += (missing.empty() ? "" : ", ") + input.name;
    else
      inputs.tensors.push_back(it->second.clone());  // a program may write into its inputs
  }
  for (const auto& [name, tensor] : arrays) {
    const bool used = std::any_of(wanted.begin(), wanted.end(),
                                  [&, &name = name](const auto& v) { return v.name == name; });
    if (used) continue;
    if (name == kLabels)
      inputs.labels = tensor;
    else
      unknown += (unknown.empty() ? "" : ", ") + name;
  }
  RL_CHECK(missing.empty(), Value, path, ": no array for ", missing, "; the program takes ",
           listed(wanted));
  RL_CHECK(unknown.empty(), Value, path, ": no input is called ", unknown, "; the program takes ",
           listed(wanted));
  return inputs;
}

}  // namespace rushlight::cli
