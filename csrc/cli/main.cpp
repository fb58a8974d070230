// rushlight-run: `rushlight run` without Python.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

#include "cli/accuracy.h"
#include "cli/batches.h"
#include "cli/errors.h"
#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cpu/parallel.h"
#include "library.h"
#include "runtime/npy.h"

namespace rushlight::cli {
namespace {

double timed_ms(Model& model, const Batch& call) {
  const auto start = std::chrono::steady_clock::now();
  model.run(call.values);
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - start).count();
}

// What files and reports hold: NumPy has no bfloat16.
Tensor as_array(const Tensor& output) {
  return output.defined() && output.dtype == DType::BFloat16 ? converted(output, DType::Float32)
                                                             : output;
}

/// The outputs of one pass over all samples. An output that is None is left out.
NamedTensors first_pass(Model& model, const std::vector<Batch>& calls) {
  std::vector<std::vector<Tensor>> parts(model.outputs().size());
  for (const Batch& call : calls) {
    const std::vector<Tensor> outputs = model.run(call.values);
    for (size_t k = 0; k < outputs.size(); ++k) parts[k].push_back(as_array(outputs[k]));
  }
  NamedTensors named;
  for (size_t k = 0; k < parts.size(); ++k) {
    if (!parts[k][0].defined()) continue;
    const std::string& name = model.outputs()[k].name;
    const auto joined = join(calls, parts[k]);
    RL_CHECK(joined, Value, name,
             " has no dimension of samples, so its values of several calls can't be joined");
    named.emplace_back(name, *joined);
  }
  return named;
}

void write_outputs(const std::string& path, const NamedTensors& outputs) {
  if (!path.ends_with(".npy")) return write_npz(path, outputs);
  if (outputs.size() != 1)
    throw UsageError(detail::concat("--output: a .npy file holds one array, the program gives ",
                                    outputs.size()));
  write_npy(path, outputs[0].second);
}

Report describe_run(const Options& options, const Model& model, const Inputs& inputs,
                    const std::vector<Batch>& calls, const NamedTensors& outputs) {
  Report report;
  report.model = options.model;
  report.written = options.output;
  report.threads = options.threads.value_or(cpu::num_threads());
  report.calls_per_pass = static_cast<int64_t>(calls.size());
  for (const Batch& call : calls) {
    report.samples += call.size - call.padding;
    report.batch = std::max(report.batch, call.size);
  }
  for (size_t i = 0; i < inputs.tensors.size(); ++i) {
    const ModelValue& input = model.inputs()[i];
    report.inputs.push_back({input.name, {}});
    if (input.dtype) report.inputs.back().tensor = inputs.tensors[i];
  }
  for (const auto& [name, tensor] : outputs) report.outputs.push_back({name, tensor});
  return report;
}

int run(const Options& options) {
  if (options.help || options.version) {
    if (options.help)
      std::fputs(kUsage, stdout);
    else
      std::printf("rushlight-run %s\n", std::string(version()).c_str());
    return 0;
  }
  if (options.threads) cpu::set_num_threads(*options.threads);
  for (const std::string& library : options.libraries) load_library(library);
  Model model(options.model, options.threads.value_or(0));
  const Inputs inputs = read_inputs(options.inputs, model);
  const std::vector<Batch> calls = split(model.inputs(), inputs.tensors, options.batch);
  RL_CHECK(!calls.back().padding || !model.keeps_state(), Value,
           "the program keeps a state from call to call, so a last call can't be filled up: give a "
           "multiple of ",
           calls[0].size, " samples");
  const NamedTensors outputs = first_pass(model, calls);
  Report report = describe_run(options, model, inputs, calls, outputs);
  if (inputs.labels) {
    const bool has_first = !outputs.empty() && outputs[0].first == "output_0";
    report.right = count_right(has_first ? outputs[0].second : Tensor(), *inputs.labels);
    report.labels = inputs.labels->numel();
  }
  if (!options.output.empty()) write_outputs(options.output, outputs);
  for (int i = 0; i < options.repeat; ++i) {
    auto& pass = report.passes_ms.emplace_back();
    for (const Batch& call : calls) pass.push_back(timed_ms(model, call));
  }
  const std::string text = options.json ? as_json(report) : as_table(report);
  std::fputs(text.c_str(), stdout);
  return 0;
}

int complain(std::string message, int status) {
  std::replace(message.begin(), message.end(), '\n', ';');
  std::fprintf(stderr, "rushlight-run: error: %s\n", message.c_str());
  return status;
}

}  // namespace
}  // namespace rushlight::cli

int main(int argc, char** argv) {
  using namespace rushlight::cli;
  try {
    return run(parse_options(argc, argv));
  } catch (const UsageError& error) {
    return complain(error.what(), 2);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}
