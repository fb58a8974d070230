// A captured call: its trace over placeholders, and what it reads, writes and returns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lazy/structure.h"

namespace rushlight::lazy {

struct Compiled;

class Replay {
 public:
  /// Whose memory a tensor has.
  struct Owner {
    enum class Kind : uint8_t {
      Argument,  // the caller's `index`-th tensor
      Captured,  // a tensor from outside, kept in `captured`
      Constant,  // a tensor the function makes anew from the same data in each call
      Value,     // made by the program: its `index`-th wanted value
    };
    Kind kind = Kind::Value;
    int32_t index = 0;
  };
  struct Input {
    Owner owner;
    TensorMeta meta;
    int64_t offset = 0;  // bytes from the first element of the argument or captured tensor
    uint32_t location = 0;
  };
  struct Write {
    Owner owner;  // Argument or Captured
    int32_t value = 0;
    int64_t offset = 0;  // bytes from the owner's first element
  };
  struct Result {
    Owner owner;
    TensorMeta meta;
    int64_t offset = 0;  // bytes from the start of the value, or from the owner's first element
  };
  struct ArgumentLayout {
    TensorMeta meta;
    int32_t same_storage = 0;  // the first argument with this storage
    bool exact = false;        // its place in its storage matters
    int64_t offset = 0, nbytes = 0;
  };

  /// Says in what two captures of one function differ that must not, or "". From then on what
  /// was made anew in both counts as constant.
  std::string confirm(const Replay& earlier);
  /// Runs on other arguments of the same layout. Nothing if they overlap otherwise than the
  /// captured ones: then the function has to be recorded.
  std::optional<std::vector<Tensor>> run(std::span<const Tensor> arguments);

  std::vector<ArgumentLayout> arguments;
  std::vector<Tensor> captured;
  std::vector<Input> inputs;  // of the trace, in its order
  std::vector<Argument> numbers;
  std::vector<TensorMeta> values;  // wanted
  std::vector<Write> writes;
  std::vector<Result> results;
  Hash hash;
  std::shared_ptr<Compiled> compiled;  // null if nothing is computed
  /// For printing and export.
  std::shared_ptr<const TraceGraph> graph;
  std::vector<std::string> lines;  // by node of the graph

 private:
  Tensor tensor_of(const Owner& owner, std::span<const Tensor> arguments) const;
  bool fits(std::span<const Tensor> arguments) const;
};

}  // namespace rushlight::lazy
