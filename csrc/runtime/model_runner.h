// Runs a program. May be called from many threads at once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/graph_runner.h"
#include "runtime/input_check.h"
#include "runtime/program.h"

namespace rushlight {

class ModelRunner {
 public:
  /// `num_threads` limits the threads of one call; 0 takes the process-wide number.
  explicit ModelRunner(std::shared_ptr<const Program> program, int num_threads = 0);
  explicit ModelRunner(const std::string& path, int num_threads = 0)
      : ModelRunner(load_program(path), num_threads) {}

  /// Runs the program on its user inputs, flattened in order, and gives its user outputs. Buffers
  /// that the program writes keep their value for the next call; inputs that it writes are
  /// updated in place. Throws what `InputCheck` and the operators throw.
  std::vector<RunValue> run(std::span<const RunValue> inputs);

  const Program& program() const { return *program_; }
  const InputCheck& inputs() const { return check_; }
  /// The current value of a parameter, buffer or constant.
  Tensor weight(const std::string& name) const;
  /// The plan for these inputs, for reports.
  std::shared_ptr<const Plan> plan(std::span<const RunValue> inputs);

 private:
  void prepare();
  /// What the graph is run on: the user's inputs and the buffers that the program writes.
  std::vector<RunValue> graph_inputs(std::span<const RunValue> inputs) const;
  std::vector<RunValue> collect(const Frame& frame, std::span<const RunValue> inputs);
  using NewBuffers = std::vector<std::pair<std::string_view, Tensor>>;
  bool keeps(const StoragePtr& storage, const NewBuffers& buffers) const;

  std::shared_ptr<const Program> program_;
  InputCheck check_;
  int num_threads_;
  std::unique_ptr<GraphRunner> runner_;
  std::vector<size_t> written_buffers_;  // positions in Program::inputs
  std::vector<size_t> graph_inputs_;     // positions in Program::inputs, by input of the runner

  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, Tensor, std::less<>> buffers_;
};

}  // namespace rushlight
