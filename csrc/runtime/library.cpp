// Libraries of operators in C++: how they are loaded, and what they may define.
#include "library.h"

#include <dlfcn.h>

#include <mutex>

#include "ir/custom_op.h"
#include "ir/op_table.h"

namespace rushlight {
namespace {

struct Entry {
  const char *name, *file;
  void (*define)(Library&);
};

struct Entries {
  std::mutex mutex;  // guards `waiting`
  std::vector<Entry> waiting;
  // Held while a library is loaded and its operators are defined, so that nobody who looks for them
  // meets half of them; a library may load another.
  std::recursive_mutex defining;
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

void check_parameters(const OperatorName& op, std::span<const Parameter> parameters) {
  const std::vector<ArgumentSpec> specs = parse_schema(op.signature).arguments;
  RL_CHECK(parameters.size() == specs.size(), Type, op.name, ": the schema has ", specs.size(),
           " arguments, the function takes ", parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ArgumentSpec& spec = specs[i];
    const Parameter& p = parameters[i];
    RL_CHECK(p.type == type_name(spec.type) && p.list == spec.list && p.optional == spec.optional,
             Type, op.name, ": argument '", spec.name, "' is ", type_name(spec.type),
             spec.list ? "[]" : "", spec.optional ? "?" : "", " in the schema, ", p.type,
             p.list ? "[]" : "", p.optional ? "?" : "", " in the function");
  }
}

// The same function; what it throws that nobody up the stack could report becomes an Error.
template <class R, class... P>
std::function<R(P...)> reporting(const std::string& name, std::function<R(P...)> function) {
  if (!function) return nullptr;
  return [name, function = std::move(function)](P... args) -> R {
    try {
      return function(args...);
    } catch (const std::exception&) {
      throw;
    } catch (...) {
      RL_FAIL(Runtime, name, ": threw something that is no std::exception");
    }
  };
}

}  // namespace

void Library::add(std::string_view schema, std::vector<Parameter> parameters, Allocate allocate,
                  Number number, Shape shape, Fill fill) {
  const std::string whole = name_ + "::" + std::string(schema);
  const OperatorName op = check_schema(whole);
  check_parameters(op, parameters);
  CustomCalls calls;
  calls.allocate = reporting(op.name, std::move(allocate));
  calls.number = reporting(op.name, std::move(number));
  if (fill)
    calls.fill = [fill = reporting(op.name, std::move(fill))](Arguments args,
                                                              std::span<Tensor* const> outs) {
      fill(args, outs.empty() ? nullptr : outs[0]);
    };
  if (shape)
    calls.shape = [shape = reporting(op.name, std::move(shape))](Arguments args,
                                                                 std::vector<TensorMeta>& outs) {
      RL_CHECK(outs.size() == 1, Runtime, "a shape function stands for one output, not ",
               outs.size());
      outs[0] = shape(args);
    };
  define_op(whole, std::move(calls));
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
  Entries& all = entries();
  const std::lock_guard defining(all.defining);
  int count = 0;
  while (true) {
    Entry entry;
    {
      const std::lock_guard lock(all.mutex);
      if (all.waiting.empty()) return count;
      entry = all.waiting.front();
      all.waiting.erase(all.waiting.begin());
    }
    Library library(entry.name);
    try {
      entry.define(library);
    } catch (const Error& error) {
      throw Error(error.kind(), concat(entry.file, ": ", error.what()));
    } catch (const std::exception& error) {
      RL_FAIL(Runtime, entry.file, ": ", error.what());
    } catch (...) {
      RL_FAIL(Runtime, entry.file, ": threw something that is no std::exception");
    }
    ++count;
  }
}

}  // namespace detail

void load_library(const std::string& path) {
  const std::lock_guard defining(entries().defining);
  detail::define_new_libraries();
  // A name without a slash would be searched for in the system's folders.
  const std::string file = path.find('/') == path.npos ? "./" + path : path;
  RL_CHECK(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), OSError, "cannot load ", path, ": ",
           dlerror());
  RL_CHECK(detail::define_new_libraries() > 0, Value, path,
           ": defines no operator (RUSHLIGHT_LIBRARY), or was loaded before");
}

}  // namespace rushlight
