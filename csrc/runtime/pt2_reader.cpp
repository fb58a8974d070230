// Opens a PT2 archive: weights, signature and graph become a Program.
#include <algorithm>
#include <set>

#include "ir/control_flow.h"
#include "ir/verify.h"
#include "library.h"
#include "passes/functionalize.h"
#include "runtime/program.h"
#include "runtime/pt2_model.h"
#include "runtime/pt2_state_dict.h"
#include "runtime/pt2_weights.h"
#include "runtime/pytorch_file.h"

namespace rushlight {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  return text;
}

void check_archive(const PyTorchFileReader& file) {
  RL_CHECK(file.has_record("archive_format"), Runtime, file.name(),
           ": not a PT2 archive: it has no entry 'archive_format'");
  const StoragePtr format = file.read("archive_format");
  RL_CHECK(trimmed(as_text(*format)) == "pt2", Runtime, file.name(),
           ": archive_format: expected 'pt2', got '", trimmed(as_text(*format)).substr(0, 32), "'");
  const StoragePtr version = file.read("archive_version");
  RL_CHECK(trimmed(as_text(*version)) == "0", Runtime, file.name(), ": archive_version ",
           trimmed(as_text(*version)).substr(0, 16),
           " is newer than 0, the newest that this version of rushlight reads");
  if (file.has_record("byteorder")) {
    const StoragePtr order = file.read("byteorder");
    RL_CHECK(trimmed(as_text(*order)) == "little", Runtime, file.name(),
             ": byteorder: only 'little' is supported, got '",
             trimmed(as_text(*order)).substr(0, 16), "'");
  }
}

constexpr std::string_view kModels = "models/";
constexpr std::string_view kSuffix = ".json";

// PyTorch 2.6 and 2.7 wrote these files, without a folder around them.
constexpr std::string_view kOldProgram = "serialized_exported_program.json";
constexpr std::string_view kOldName = "model";

std::vector<std::string> names_of(const PyTorchFileReader& file) {
  std::vector<std::string> names;
  for (std::string_view name : file.records()) {
    if (!name.starts_with(kModels) || !name.ends_with(kSuffix)) continue;
    name.remove_prefix(kModels.size());
    names.emplace_back(name.substr(0, name.size() - kSuffix.size()));
  }
  if (!names.empty()) return names;
  for (const std::string_view name : file.records())
    RL_CHECK(!name.starts_with("data/aotinductor/"), NotImplemented, file.name(),
             ": an AOTInductor package: it holds code compiled for one kind of machine, not a "
             "program. Save the program itself, torch.export.save(exported_program, path), and "
             "open that");
  RL_FAIL(Runtime, file.name(),
          ": the archive has no model (models/NAME.json): the save may have failed half-way");
}

std::string choose(const std::vector<std::string>& names, const std::string& wanted,
                   const std::string& file) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "'" : ", '") + name + "'";
  const auto has = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  RL_CHECK(wanted.empty() || has(wanted), Value, file, ": no model '", wanted,
           "' in the archive; it has ", list);
  if (!wanted.empty()) return wanted;
  if (names.size() == 1) return names[0];
  RL_CHECK(has(kOldName), Value, file, ": the archive has ", names.size(),
           " models: choose one by its name, of ", list);
  return std::string(kOldName);
}

using Weights = std::map<std::string, Tensor, std::less<>>;

class Reader {
 public:
  Reader(std::string file, const LoadOptions& options)
      : file_(std::move(file)), options_(options) {}

  std::shared_ptr<const Program> read_archive(ZipArchive zip) {
    const PyTorchFileReader file(std::move(zip));
    check_archive(file);
    const std::string name = choose(names_of(file), options_.model, file_);
    const std::string inputs = "data/sample_inputs/" + name + ".pt";
    read_program(file.read("models/" + name + ".json"), "models/" + name + ".json");
    if (file.has_record(inputs)) program_->sample_inputs = file.read(inputs);
    const std::set<std::string> wanted = wanted_weights();
    for (const std::string kind : {"weights", "constants"}) {
      const std::string folder = "data/" + kind + "/";
      // PyTorch 2.8 had the config's place for a file with all tensors.
      if (const std::string all = folder + name + ".pt"; file.has_record(all))
        pt2::read_state_dict(file.read(all), file_ + ": " + all, wanted, program_->weights);
      else
        pt2::read_weights(file, {folder, name + "_" + kind + "_config.json"}, wanted,
                          program_->weights);
    }
    check_weights();
    return program_;
  }

  std::shared_ptr<const Program> read_old(const ZipArchive& zip) {
    choose({std::string(kOldName)}, options_.model, file_);
    read_program(zip.read(kOldProgram), std::string(kOldProgram));
    if (const ZipEntry* inputs = zip.find("serialized_example_inputs.pt"))
      program_->sample_inputs = zip.read(*inputs);
    const std::set<std::string> wanted = wanted_weights();
    for (const std::string name : {"serialized_state_dict.pt", "serialized_constants.pt"})
      if (const ZipEntry* entry = zip.find(name))
        pt2::read_state_dict(zip.read(*entry), file_ + ": " + name, wanted, program_->weights);
    check_weights();
    return program_;
  }

 private:
  void read_program(const StoragePtr& text, const std::string& part) {
    *program_ = pt2::parse_model(as_text(*text), file_ + ": " + part).program;
    program_->path = file_;
    program_->model_text = text;
    report_missing(program_->graph);
    if (!missing_.empty()) return;
    functionalize(*program_);
    check_rules();
  }

  // What the parser has not seen, such as outputs of the wrong type, breaks a rule of the graph.
  void check_rules() const {
    try {
      verify(program_->graph);
    } catch (const Error& error) {
      RL_FAIL(Value, file_, ": ", error.what());
    }
  }

  // One error for all missing operators, with the nodes that use them.
  void report_missing(const Graph& graph) {
    const std::map<std::string, std::vector<std::string>> missing = missing_operators(graph);
    missing_ = missing;
    if (missing.empty() || options_.allow_missing) return;
    std::string message =
        detail::concat(file_, ": ", missing.size(),
                       missing.size() == 1 ? " operator is" : " operators are", " not supported:");
    for (const auto& [target, nodes] : missing) {
      message += "\n  " + target + " (" + std::to_string(nodes.size()) +
                 (nodes.size() == 1 ? " node: " : " nodes: ");
      for (size_t i = 0; i < nodes.size() && i < 5; ++i) message += (i ? ", " : "") + nodes[i];
      message += nodes.size() > 5 ? ", …)" : ")";
      if (const auto close = suggest_op(target); !close.empty())
        message += " — the nearest that is: " + std::string(close);
    }
    throw Error(ErrorKind::NotImplemented, message);
  }

  std::set<std::string> wanted_weights() const {
    std::set<std::string> wanted;
    for (const InputSpec& input : program_->inputs)
      if (!input.target.empty()) wanted.insert(input.target);
    return wanted;
  }

  void check_weights() const {
    for (const InputSpec& input : program_->inputs) {
      if (input.target.empty()) continue;
      const auto it = program_->weights.find(input.target);
      RL_CHECK(it != program_->weights.end(), Runtime, file_, ": no data for '", input.target,
               "', which the graph uses");
      const Value& value = program_->graph.at(input.value);
      if (!value.known) continue;
      bool fits = value.dtype == it->second.dtype && value.sizes.size() == it->second.sizes.size();
      for (size_t i = 0; fits && i < value.sizes.size(); ++i)
        fits = !value.sizes[i].is_static() || value.sizes[i].hint == it->second.sizes[i];
      RL_CHECK(fits, Runtime, file_, ": '", input.target, "' is stored as ", describe(it->second),
               ", which differs from what the graph says");
    }
  }

  std::string file_;
  LoadOptions options_;
  std::map<std::string, std::vector<std::string>> missing_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
};

}  // namespace

std::shared_ptr<const Program> load_program(const std::string& path, const LoadOptions& options) {
  detail::define_new_libraries();
  ZipArchive zip = ZipArchive::open(path);
  Reader reader(zip.name(), options);
  return zip.find(kOldProgram) ? reader.read_old(zip) : reader.read_archive(std::move(zip));
}

std::vector<std::string> model_names(const std::string& path) {
  ZipArchive zip = ZipArchive::open(path);
  if (zip.find(kOldProgram)) return {std::string(kOldName)};
  const PyTorchFileReader file(std::move(zip));
  check_archive(file);
  return names_of(file);
}

}  // namespace rushlight
