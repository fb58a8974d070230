// Libraries of operators in C++: how they are loaded, and what they may define.
#include "library.h"

#include <dlfcn.h>

#include <atomic>
#include <mutex>

#include "ir/custom_op.h"

namespace rushlight {
namespace {

struct Entry {
  const char *name, *file;
  void (*define)(Library&);
};

struct Entries {
  std::mutex mutex;
  std::vector<Entry> waiting;
};

// Static objects of other libraries come here before ours may exist.
Entries& entries() {
  static Entries* const instance = new Entries;
  return *instance;
}

std::string_view type_name(ArgType type) {
  constexpr std::string_view names[] = {"Tensor", "int",    "float",      "bool",
                                        "Scalar", "str",    "ScalarType", "MemoryFormat",
                                        "Device", "Layout", "Generator"};
  return names[static_cast<size_t>(type)];
}

void check_parameters(const OpDef& op, std::span<const Parameter> parameters) {
  RL_CHECK(parameters.size() == op.arguments.size(), Type, op.name, ": the schema has ",
           op.arguments.size(), " arguments, the function takes ", parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ArgumentSpec& spec = op.arguments[i];
    const Parameter& p = parameters[i];
    RL_CHECK(p.type == type_name(spec.type) && p.list == spec.list && p.optional == spec.optional,
             Type, op.name, ": argument '", spec.name, "' is ", type_name(spec.type),
             spec.list ? "[]" : "", spec.optional ? "?" : "", " in the schema, ", p.type,
             p.list ? "[]" : "", p.optional ? "?" : "", " in the function");
  }
}

}  // namespace

void Library::add(std::string_view schema, std::vector<Parameter> parameters, Allocate allocate,
                  Number number, Shape shape, Fill fill) {
  CustomCalls calls;
  calls.allocate = std::move(allocate);
  calls.number = std::move(number);
  if (fill)
    calls.fill = [fill = std::move(fill)](Arguments args, std::span<Tensor* const> outs) {
      fill(args, outs.empty() ? nullptr : outs[0]);
    };
  if (shape)
    calls.shape = [shape = std::move(shape)](Arguments args, std::vector<TensorMeta>& outs) {
      RL_CHECK(outs.size() == 1, Runtime, "a shape function stands for one output, not ",
               outs.size());
      outs[0] = shape(args);
    };
  const std::string whole = name_ + "::" + std::string(schema);
  const std::string name = check_schema(whole).name;
  const OpDef& op = define_op(whole, std::move(calls));
  try {
    check_parameters(op, parameters);
  } catch (...) {
    undefine_op(name);
    throw;
  }
}

namespace detail {

LibraryEntry::LibraryEntry(const char* name, const char* file, void (*define)(Library&)) noexcept {
  try {
    Entries& all = entries();
    const std::lock_guard lock(all.mutex);
    all.waiting.push_back({name, file, define});
  } catch (...) {
    // Without memory for one entry the operator is missing, which loading a program reports.
  }
}

int define_new_libraries() {
  std::vector<Entry> found;
  {
    Entries& all = entries();
    const std::lock_guard lock(all.mutex);
    found.swap(all.waiting);
  }
  for (const Entry& entry : found) {
    Library library(entry.name);
    try {
      entry.define(library);
    } catch (const Error& error) {
      throw Error(error.kind(), concat(entry.file, ": ", error.what()));
    }
  }
  return static_cast<int>(found.size());
}

}  // namespace detail

void load_library(const std::string& path) {
  detail::define_new_libraries();
  // A name without a slash would be searched for in the system's folders.
  const std::string file = path.find('/') == path.npos ? "./" + path : path;
  RL_CHECK(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), OSError, "cannot load ", path, ": ",
           dlerror());
  RL_CHECK(detail::define_new_libraries() > 0, Value, path,
           ": defines no operator (RUSHLIGHT_LIBRARY), or was loaded before");
}

}  // namespace rushlight
