// rushlight-run: the command line without Python.
#include <chrono>
#include <cstdio>
#include <exception>

#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cpu/parallel.h"
#include "runtime/npy.h"

namespace rushlight::cli {
namespace {

double timed_ms(Model& model, std::span<const Tensor> inputs) {
  const auto start = std::chrono::steady_clock::now();
  model.run(inputs);
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - start).count();
}

// Values that are None have no array.
void write_outputs(const std::string& path, const NamedTensors& outputs) {
  NamedTensors arrays;
  for (const auto& [name, tensor] : outputs)
    if (tensor.defined()) arrays.emplace_back(name, tensor);
  write_npz(path, arrays);
}

int run(const Options& options) {
  if (options.help || options.version) {
    if (options.help)
      std::fputs(kUsage, stdout);
    else
      std::printf("rushlight-run %s\n", std::string(version()).c_str());
    return 0;
  }
  if (options.threads) cpu::set_num_threads(options.threads);
  Model model(options.model, options.threads);
  const Inputs inputs = read_inputs(options.inputs, model);
  const std::vector<Tensor> outputs = model.run(inputs.tensors);

  Report report;
  report.model = options.model;
  report.threads = cpu::num_threads();
  for (size_t i = 0; i < inputs.tensors.size(); ++i)
    report.inputs.emplace_back(model.inputs()[i].name, inputs.tensors[i]);
  for (size_t i = 0; i < outputs.size(); ++i)
    report.outputs.emplace_back(model.outputs()[i].name, outputs[i]);
  if (inputs.labels) {
    RL_CHECK(!outputs.empty(), Value, "labels: the program has no output to compare them with");
    report.accuracy = count_right(outputs[0], *inputs.labels);
  }
  if (!options.output.empty()) write_outputs(options.output, report.outputs);
  for (int i = 0; i < options.repeat; ++i)
    report.latencies_ms.push_back(timed_ms(model, inputs.tensors));
  const std::string text = options.json ? as_json(report) : as_table(report);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace rushlight::cli

int main(int argc, char** argv) {
  try {
    return rushlight::cli::run(rushlight::cli::parse_options(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rushlight-run: %s\n", error.what());
    return 1;
  }
}
