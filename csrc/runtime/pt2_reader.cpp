// Opens a PT2 archive: weights, signature and graph become a Program.
#include <set>

#include "ir/control_flow.h"
#include "ir/verify.h"
#include "passes/functionalize.h"
#include "runtime/program.h"
#include "runtime/pt2_enums.h"
#include "runtime/pt2_graph.h"
#include "runtime/pt2_weights.h"
#include "runtime/pytorch_file.h"

namespace rushlight {
namespace {

using JsonValue = json::Value;

// The newest schema read in full; a newer minor version is read too, its new fields ignored.
constexpr int64_t kSchemaMajor = 8;

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

std::string model_name(const PyTorchFileReader& file) {
  constexpr std::string_view prefix = "models/";
  std::vector<std::string> names;
  for (std::string_view name : file.records()) {
    if (!name.starts_with(prefix) || !name.ends_with(".json")) continue;
    name.remove_prefix(prefix.size());
    names.emplace_back(name.substr(0, name.size() - 5));
  }
  RL_CHECK(!names.empty(), Runtime, file.name(),
           ": the archive has no model (models/NAME.json): the save may have failed half-way");
  RL_CHECK(names.size() == 1, NotImplemented, file.name(), ": the archive has ", names.size(),
           " models; only archives with one are supported");
  return names[0];
}

std::pair<std::string_view, JsonValue> union_member(JsonValue value) {
  for (const auto& [key, member] : value.members())
    if (!member.is_null()) return {key, member};
  value.fail("empty union");
}

class Reader {
 public:
  Reader(const std::string& path, bool allow_missing)
      : allow_missing_(allow_missing), file_(ZipArchive::open(path)) {
    check_archive(file_);
    program_->path = path;
  }

  std::shared_ptr<const Program> read() {
    const std::string name = model_name(file_);
    const StoragePtr text = file_.read("models/" + name + ".json");
    constexpr std::string_view skipped[] = {"metadata"};
    const json::Document document = json::Document::parse(
        as_text(*text),
        {.name = file_.name() + ": models/" + name + ".json", .skip_keys = skipped});
    const JsonValue root = document.root();
    read_version(root);
    const JsonValue module = root["graph_module"];
    pt2::ParsedGraph parsed = pt2::parse_graph(module["graph"]);
    report_missing(parsed.graph);
    read_signature(module["signature"], parsed);
    read_calling_convention(module);
    read_ranges(root);
    program_->graph = std::move(parsed.graph);
    if (missing_.empty()) {
      functionalize(*program_);
      check_rules();
    }
    read_weights(name);
    return program_;
  }

 private:
  void read_version(JsonValue root) {
    const JsonValue version = root["schema_version"];
    program_->schema_major = version["major"].as_int();
    program_->schema_minor = version["minor"].as_int();
    RL_CHECK(program_->schema_major == kSchemaMajor, Runtime, file_.name(), ": schema version ",
             program_->schema_major, ".", program_->schema_minor, " is not supported: expected ",
             kSchemaMajor, ".x, which torch 2.13 writes");
    if (const auto torch = root.find("torch_version"); torch && torch->is_string())
      program_->torch_version = torch->as_string();
  }

  // What the parser has not seen, such as outputs of the wrong type, breaks a rule of the graph.
  void check_rules() const {
    try {
      verify(program_->graph);
    } catch (const Error& error) {
      RL_FAIL(Value, file_.name(), ": ", error.what());
    }
  }

  // One error for all missing operators, with the nodes that use them.
  void report_missing(const Graph& graph) {
    const std::map<std::string, std::vector<std::string>> missing = missing_operators(graph);
    missing_ = missing;
    if (missing.empty() || allow_missing_) return;
    std::string message =
        detail::concat(file_.name(), ": ", missing.size(),
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

  ValueId value_of(JsonValue name, const pt2::ParsedGraph& parsed) {
    const auto it = parsed.by_name.find(std::string(name.as_string()));
    RL_CHECK(it != parsed.by_name.end(), Value, name.path(), ": no value '", name.as_string(),
             "' in the graph");
    return it->second;
  }

  void read_signature(JsonValue signature, const pt2::ParsedGraph& parsed) {
    for (JsonValue spec : signature["input_specs"].elements())
      program_->inputs.push_back(read_input(spec, parsed));
    for (JsonValue spec : signature["output_specs"].elements())
      program_->outputs.push_back(read_output(spec, parsed));
    std::vector<ValueId> values;
    for (const InputSpec& input : program_->inputs)
      if (input.value != kNoValue) values.push_back(input.value);
    RL_CHECK(values == parsed.graph.inputs, Value, signature.path(),
             ": input_specs and the graph's inputs differ");
  }

  InputSpec read_input(JsonValue spec, const pt2::ParsedGraph& parsed) {
    const auto [kind, body] = union_member(spec);
    InputSpec input{InputSpec::Kind::User};
    if (kind == "user_input") {
      const Operand operand = pt2::parse_operand(body["arg"], parsed);
      RL_CHECK(operand.kind != Operand::Kind::List, Value, body.path(),
               ": a list is no user input");
      input.value = operand.value;
      input.literal = operand.literal;
    } else if (kind == "constant_input") {
      input.kind = InputSpec::Kind::Constant;
      input.name = body["name"].as_string();
      input.literal = pt2::parse_operand(body["value"], parsed).literal;
    } else if (kind == "token") {
      input.kind = InputSpec::Kind::Token;
      input.name = body["arg"]["name"].as_string();
    } else {
      constexpr std::tuple<std::string_view, std::string_view, InputSpec::Kind> kinds[] = {
          {"parameter", "parameter_name", InputSpec::Kind::Parameter},
          {"buffer", "buffer_name", InputSpec::Kind::Buffer},
          {"tensor_constant", "tensor_constant_name", InputSpec::Kind::TensorConstant}};
      bool found = false;
      for (const auto& [name, field, value] : kinds) {
        if (kind != name) continue;
        found = true;
        input.kind = value;
        input.value = value_of(body["arg"]["name"], parsed);
        input.target = body[field].as_string();
        if (const auto persistent = body.find("persistent"))
          input.persistent = persistent->as_bool();
      }
      RL_CHECK(found, NotImplemented, spec.path(), ": inputs of kind '", kind,
               "' are not supported");
    }
    if (input.value != kNoValue) input.name = parsed.graph.at(input.value).name;
    return input;
  }

  OutputSpec read_output(JsonValue spec, const pt2::ParsedGraph& parsed) {
    const auto [kind, body] = union_member(spec);
    OutputSpec output{OutputSpec::Kind::User};
    if (kind == "user_output") {
      const Operand operand = pt2::parse_operand(body["arg"], parsed);
      RL_CHECK(operand.kind != Operand::Kind::List, NotImplemented, body.path(),
               ": an output that is a list is not supported");
      output.value = operand.value;
      output.literal = operand.literal;
    } else if (kind == "loss_output") {
      output.value = value_of(body["arg"]["name"], parsed);
    } else if (kind == "buffer_mutation") {
      output.kind = OutputSpec::Kind::BufferMutation;
      output.value = value_of(body["arg"]["name"], parsed);
      output.target = body["buffer_name"].as_string();
    } else if (kind == "user_input_mutation") {
      output.kind = OutputSpec::Kind::InputMutation;
      output.value = value_of(body["arg"]["name"], parsed);
      output.target = body["user_input_name"].as_string();
    } else if (kind == "token") {
      output.kind = OutputSpec::Kind::Token;
    } else {
      RL_FAIL(NotImplemented, spec.path(), ": outputs of kind '", kind, "' are not supported");
    }
    return output;
  }

  void read_calling_convention(JsonValue module) {
    const auto tuples = module.find("treespec_namedtuple_fields");
    if (tuples && !tuples->is_null())
      for (const auto& [name, definition] : tuples->members())
        for (JsonValue field : definition["field_names"].elements())
          program_->namedtuple_fields[std::string(name)].emplace_back(field.as_string());
    for (JsonValue entry : module["module_call_graph"].elements()) {
      if (!entry["fqn"].as_string().empty()) continue;
      const JsonValue signature = entry["signature"];
      if (signature.is_null()) return;
      program_->in_spec = signature["in_spec"].as_string();
      program_->out_spec = signature["out_spec"].as_string();
      if (const auto names = signature.find("forward_arg_names"); names && names->is_array())
        for (JsonValue name : names->elements())
          program_->argument_names.emplace_back(name.as_string());
      return;
    }
  }

  void read_ranges(JsonValue root) {
    const auto ranges = root.find("range_constraints");
    if (!ranges || ranges->is_null()) return;
    for (const auto& [expression, bounds] : ranges->members()) {
      SymbolRange range{std::string(expression)};
      if (const auto low = bounds.find("min_val"); low && low->is_int()) range.min = low->as_int();
      if (const auto high = bounds.find("max_val"); high && high->is_int())
        range.max = high->as_int();
      program_->ranges.push_back(std::move(range));
    }
  }

  void read_weights(const std::string& name) {
    std::set<std::string> wanted;
    for (const InputSpec& input : program_->inputs)
      if (!input.target.empty()) wanted.insert(input.target);
    const auto folder = [&](std::string_view kind) {
      return pt2::WeightFolder{.folder = "data/" + std::string(kind) + "/",
                               .config = name + "_" + std::string(kind) + "_config.json"};
    };
    pt2::read_weights(file_, folder("weights"), wanted, program_->weights);
    pt2::read_weights(file_, folder("constants"), wanted, program_->weights);
    for (const InputSpec& input : program_->inputs) {
      if (input.target.empty()) continue;
      const auto it = program_->weights.find(input.target);
      RL_CHECK(it != program_->weights.end(), Runtime, file_.name(), ": no data for '",
               input.target, "', which the graph uses");
      const Value& value = program_->graph.at(input.value);
      if (!value.known) continue;
      bool fits = value.dtype == it->second.dtype && value.sizes.size() == it->second.sizes.size();
      for (size_t i = 0; fits && i < value.sizes.size(); ++i)
        fits = !value.sizes[i].is_static() || value.sizes[i].hint == it->second.sizes[i];
      RL_CHECK(fits, Runtime, file_.name(), ": '", input.target, "' is stored as ",
               describe(it->second), ", which differs from what the graph says");
    }
  }

  bool allow_missing_;
  PyTorchFileReader file_;
  std::map<std::string, std::vector<std::string>> missing_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
};

}  // namespace

std::shared_ptr<const Program> load_program(const std::string& path, bool allow_missing) {
  return Reader(path, allow_missing).read();
}

}  // namespace rushlight
