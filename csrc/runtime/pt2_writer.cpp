#include "pt2_writer.h"

#include <algorithm>

#include "passes/write_through_views.h"
#include "runtime/pt2_model.h"
#include "runtime/pt2_model_writer.h"
#include "runtime/pt2_weights_writer.h"
#include "runtime/pytorch_file.h"

namespace rushlight {
namespace {

constexpr std::string_view kVersion = "0";

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string model_text(const Program& program, const SaveOptions& options) {
  if (program.model_text) {
    const pt2::ParsedModel file = pt2::parse_model(as_text(*program.model_text), program.path);
    if (file.notes.verbatim) return std::string(as_text(*program.model_text));
    return pt2::write_model(file.program, file.notes, options.opset_version);
  }
  const bool plain = std::none_of(program.graph.nodes.begin(), program.graph.nodes.end(),
                                  [](const Node& node) { return node.target == kScatterView; });
  if (plain) return pt2::write_model(program, {}, options.opset_version);
  Program written = program;
  written.graph = write_through_views(program.graph);
  return pt2::write_model(written, {}, options.opset_version);
}

void check_name(const std::string& name) {
  RL_CHECK(!name.empty() && name.find('/') == std::string::npos && name[0] != '.', Value,
           "a model's name is part of file names: '", name, "' is not possible");
}

// What one program puts into the archive; prepared for all before anything is written.
struct Parts {
  std::string name, model;
  pt2::WeightWriter weights, constants;
  StoragePtr sample_inputs;
};

Parts prepare(const NamedProgram& named, size_t weights, size_t constants,
              const SaveOptions& options) {
  check_name(named.name);
  const Program& program = *named.program;
  Parts parts{named.name,
              model_text(program, options),
              {"weight_", weights},
              {"tensor_", constants},
              program.sample_inputs};
  for (const InputSpec& input : program.inputs) {
    if (input.target.empty()) continue;
    const auto weight = program.weights.find(input.target);
    RL_CHECK(weight != program.weights.end(), Value, "the program has no tensor for '",
             input.target, "'");
    const bool parameter = input.kind == InputSpec::Kind::Parameter;
    const bool state = parameter || (input.kind == InputSpec::Kind::Buffer && input.persistent);
    (state ? parts.weights : parts.constants)
        .add(input.target, weight->second, parameter, program.graph.at(input.value).requires_grad);
  }
  return parts;
}

void write_folder(PyTorchFileWriter& file, const std::string& folder, const std::string& config,
                  const pt2::WeightWriter& weights) {
  for (const auto& record : weights.records()) file.add(folder + record.name, record.bytes());
  file.add(folder + config, bytes_of(weights.config()));
}

}  // namespace

void save_programs(std::unique_ptr<ByteSink> sink, std::string archive_name,
                   std::span<const NamedProgram> programs, const SaveOptions& options) {
  std::vector<Parts> all;
  size_t weights = 0, constants = 0;
  for (const NamedProgram& program : programs) {
    all.push_back(prepare(program, weights, constants, options));
    weights += all.back().weights.records().size();
    constants += all.back().constants.records().size();
  }
  PyTorchFileWriter file(std::move(sink), std::move(archive_name), {.zip64 = Zip64::Always});
  file.set_min_version(6);
  file.add("archive_format", bytes_of("pt2"));
  file.add("archive_version", bytes_of(kVersion));
  file.add("byteorder", bytes_of("little"));
  for (const Parts& parts : all) {
    write_folder(file, "data/weights/", parts.name + "_weights_config.json", parts.weights);
    write_folder(file, "data/constants/", parts.name + "_constants_config.json", parts.constants);
    file.add("models/" + parts.name + ".json", bytes_of(parts.model));
    std::span<const std::byte> inputs;
    if (parts.sample_inputs) inputs = {parts.sample_inputs->data(), parts.sample_inputs->nbytes()};
    file.add("data/sample_inputs/" + parts.name + ".pt", inputs);
  }
  for (const auto& [name, contents] : options.extra_files)
    file.add("extra/" + name, bytes_of(contents));
  file.finish();
}

std::shared_ptr<Program> pure_program(const Program& program) {
  auto pure = std::make_shared<Program>(program);
  pure->model_text = nullptr;
  return pure;
}

}  // namespace rushlight
