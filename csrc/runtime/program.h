// A loaded program: the graph, what its inputs and outputs mean, and its weights.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace rushlight {

struct InputSpec {
  enum class Kind : uint8_t { Parameter, Buffer, TensorConstant, User, Constant, Token };
  Kind kind;
  ValueId value = kNoValue;  // no value: a literal user input such as None or 2
  std::string target;        // qualified name of the parameter, buffer or constant
  bool persistent = true;
  Argument literal{};  // what a literal input was at export time
  std::string name;    // the input's name in the graph
};

struct OutputSpec {
  enum class Kind : uint8_t { User, BufferMutation, InputMutation, Token };
  Kind kind;
  ValueId value = kNoValue;  // no value: `literal` is returned
  Argument literal{};
  std::string target;  // buffer or input that the value replaces
};

/// Bounds of a symbol or of an expression of symbols; inclusive.
struct SymbolRange {
  std::string expression;  // as written in the file
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
};

struct Program {
  std::string path;
  Graph graph;
  std::vector<InputSpec> inputs;  // in the order of graph.inputs, literals included
  std::vector<OutputSpec> outputs;
  /// Parameters, buffers and constants that the graph uses, by qualified name. Memory-mapped: a
  /// page is read when a kernel touches it.
  std::map<std::string, Tensor, std::less<>> weights;
  std::vector<SymbolRange> ranges;
  /// The calling convention: tree specifications (JSON) and the parameter names of `forward`.
  std::string in_spec, out_spec;
  std::vector<std::string> argument_names;
  /// Field names of the named tuples that the tree specifications name.
  std::map<std::string, std::vector<std::string>> namedtuple_fields;
  std::string torch_version;
  std::map<std::string, int64_t> opset_version;
  int64_t schema_major = 0, schema_minor = 0;
  /// Programs from a file: the model's JSON, and the example inputs (a `.pt` file, may be null).
  /// Both are what saving needs, and mapped: nothing is read until then.
  StoragePtr model_text, sample_inputs;
};

struct LoadOptions {
  /// Operators we do not have are no error: their nodes have no `op`.
  bool allow_missing = false;
  /// Which of several models in an archive; "" for the only one, or the one called "model".
  std::string model = "";
};

/// Reads a `.pt2` archive that `torch.export.save` wrote, of PyTorch 2.6 or newer. Throws `Error`
/// naming the file and the part that is wrong; operators we do not have are all listed in one
/// error.
std::shared_ptr<const Program> load_program(const std::string& path,
                                            const LoadOptions& options = {});

/// The names of an archive's models, in its order.
std::vector<std::string> model_names(const std::string& path);

}  // namespace rushlight
