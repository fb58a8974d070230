// A loaded program, ready to run.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace rushlight {

/// rushlight's version: "0.1.0".
std::string_view version();

/// A size of a tensor: a number, or an expression of symbols such as s0, with its bounds.
struct ModelSize {
  std::string text;  // "4" or "s0"; equal texts of one program mean equal sizes
  int64_t min = 0, max = INT64_MAX;
};

/// What a program takes or gives, one tensor or number.
struct ModelValue {
  std::string name;  // an input's in the program's graph; outputs are output_0, output_1, …
  std::string type;  // "float32[s0, 4]"; "an int", "a float" or "a bool" for a number
  std::optional<DType> dtype{};    // of a tensor
  std::vector<ModelSize> sizes{};  // of a tensor
  std::string path{};  // of an input among forward's arguments, such as batch['x'], if known
};

/// May be called from many threads at once. Errors are `Error` (core/error.h), their text made for
/// people: what was expected, what came, where.
class Model {
 public:
  /// Opens a `.pt2` file that `torch.export.save` wrote. Weights are mapped, not copied.
  /// `num_threads` limits the threads of one call; 0 takes the number of cores.
  explicit Model(const std::string& path, int num_threads = 0);
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  /// The inputs of `run`, in order. Arguments that the exporter fixed (None, a string, a number)
  /// are not among them: they are given as they were at export time.
  const std::vector<ModelValue>& inputs() const;
  /// What `run` returns, in order.
  const std::vector<ModelValue>& outputs() const;
  /// Whether a call changes what later calls return: the program writes its buffers.
  bool keeps_state() const;

  /// Runs the program. Tensors may have any strides; a number is a 0-d tensor. An output that is a
  /// number comes as a 0-d tensor of int64, float64 or bool; one that is None comes undefined.
  /// Buffers that the program writes keep their value for the next call; inputs that it writes are
  /// updated in place. Throws `Error` for inputs that do not fit.
  std::vector<Tensor> run(std::span<const Tensor> inputs);
  std::vector<Tensor> run(std::initializer_list<Tensor> inputs) {
    return run(std::span<const Tensor>(inputs.begin(), inputs.size()));
  }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rushlight
