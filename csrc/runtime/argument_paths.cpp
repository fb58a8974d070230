#include "runtime/argument_paths.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "runtime/json.h"

namespace rushlight {
namespace {

constexpr int kMaxDepth = 200;

bool is_any_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
bool is_sequence(std::string_view type) {
  constexpr std::array<std::string_view, 5> names = {
      "builtins.tuple", "builtins.list", "torch.Size", "collections.deque",
      "torch.fx.immutable_collections.immutable_list"};
  return is_any_of(type, names);
}
bool is_mapping(std::string_view type) {
  constexpr std::array<std::string_view, 3> names = {
      "builtins.dict", "collections.OrderedDict", "torch.fx.immutable_collections.immutable_dict"};
  return is_any_of(type, names);
}

// As Python shows a key: 'x' or 3.
std::string shown(json::Value key) {
  if (key.is_int()) return std::to_string(key.as_int());
  const std::string_view text = key.as_string();
  RL_CHECK(text.find_first_of("'\\\n\r\t") == text.npos, Value, "a key that needs quoting");
  return "'" + std::string(text) + "'";
}

class Paths {
 public:
  explicit Paths(const Program& program) : program_(program) {}

  std::vector<std::string> all() {
    const json::Document document = json::Document::parse(program_.in_spec);
    const json::Value call = document.root()[size_t{1}]["children_spec"];
    const json::Value positional = call[size_t{0}]["children_spec"], keywords = call[size_t{1}];
    size_t i = 0;
    const std::vector<std::string>& names = program_.argument_names;
    for (json::Value argument : positional.elements()) {
      walk(argument, i < names.size() ? names[i] : "arg_" + std::to_string(i), 0);
      ++i;
    }
    for (const auto& [name, argument] : members(keywords)) {
      RL_CHECK(name.starts_with('\''), Value, "a keyword that is no name");
      walk(argument, name.substr(1, name.size() - 2), 0);
    }
    return std::move(paths_);
  }

 private:
  // A mapping's context is the JSON of its keys.
  static std::vector<std::pair<std::string, json::Value>> members(json::Value node) {
    const std::string context(node["context"].as_string());
    const json::Document keys = json::Document::parse(context);
    std::vector<std::pair<std::string, json::Value>> out;
    RL_CHECK(keys.root().size() == node["children_spec"].size(), Value,
             "not as many keys as children");
    for (json::Value child : node["children_spec"].elements()) out.emplace_back("", child);
    size_t i = 0;
    for (json::Value key : keys.root().elements()) out[i++].first = shown(key);
    return out;
  }

  void walk(json::Value node, const std::string& path, int depth) {
    RL_CHECK(depth < kMaxDepth, Value, "nested too deep");
    if (node["type"].is_null()) {
      paths_.push_back(path);
      return;
    }
    const std::string_view type = node["type"].as_string();
    if (is_sequence(type)) {
      int64_t i = 0;
      for (json::Value child : node["children_spec"].elements())
        walk(child, path + "[" + std::to_string(i++) + "]", depth + 1);
    } else if (is_mapping(type)) {
      for (const auto& [key, child] : members(node)) walk(child, path + "[" + key + "]", depth + 1);
    } else if (type == "collections.namedtuple") {
      walk_namedtuple(node, path, depth);
    } else {
      RL_FAIL(Value, "a container of type ", type);
    }
  }

  void walk_namedtuple(json::Value node, const std::string& path, int depth) {
    const std::string context(node["context"].as_string());
    const json::Document name = json::Document::parse(context);
    const auto found = program_.namedtuple_fields.find(std::string(name.root().as_string()));
    RL_CHECK(found != program_.namedtuple_fields.end() &&
                 found->second.size() == node["children_spec"].size(),
             Value, "unknown fields");
    size_t i = 0;
    for (json::Value child : node["children_spec"].elements())
      walk(child, path + "." + found->second[i++], depth + 1);
  }

  const Program& program_;
  std::vector<std::string> paths_;
};

}  // namespace

std::vector<std::string> argument_paths(const Program& program) {
  if (program.in_spec.empty()) return {};
  const auto is_user = [](const InputSpec& spec) {
    return spec.kind == InputSpec::Kind::User || spec.kind == InputSpec::Kind::Constant;
  };
  try {
    std::vector<std::string> paths = Paths(program).all();
    const auto count = std::count_if(program.inputs.begin(), program.inputs.end(), is_user);
    if (static_cast<std::ptrdiff_t>(paths.size()) == count) return paths;
  } catch (const Error&) {
    // The names of the graph are enough to run a program; Python says what is wrong here.
  }
  return {};
}

}  // namespace rushlight
