#include "model_runner.h"

#include "cpu/parallel.h"
#include "kernels/copy.h"

namespace rushlight {
namespace {

// A file may name any value as the new contents of a buffer or input; it must fit where it goes.
void check_written(const std::string& name, const TensorMeta& into, const TensorMeta& value) {
  RL_CHECK(into.dtype == value.dtype && into.sizes == value.sizes, Runtime, "the program writes ",
           describe(value), " into '", name, "', which is ", describe(into));
}

}  // namespace

ModelRunner::ModelRunner(std::shared_ptr<const Program> program, int num_threads)
    : program_(std::move(program)), check_(*program_), num_threads_(num_threads) {
  RL_CHECK(num_threads >= 0, Value, "num_threads: expected 0 or more, got ", num_threads);
  prepare();
}

void ModelRunner::prepare() {
  PreparedGraph prepared;
  prepared.graph = program_->graph;
  for (const OutputSpec& output : program_->outputs) {
    if (output.kind != OutputSpec::Kind::BufferMutation) continue;
    const size_t before = written_buffers_.size();
    for (size_t i = 0; i < program_->inputs.size(); ++i)
      if ((program_->inputs[i].kind == InputSpec::Kind::Buffer ||
           program_->inputs[i].kind == InputSpec::Kind::TensorConstant) &&
          program_->inputs[i].target == output.target)
        written_buffers_.push_back(i);
    RL_CHECK(written_buffers_.size() > before, Value, program_->path, ": the program writes into '",
             output.target, "', which is no buffer among its inputs");
  }
  for (size_t i = 0; i < program_->inputs.size(); ++i) {
    const InputSpec& input = program_->inputs[i];
    if (input.target.empty()) continue;
    const Tensor& weight = program_->weights.at(input.target);
    if (std::find(written_buffers_.begin(), written_buffers_.end(), i) != written_buffers_.end())
      buffers_[input.target] = weight.contiguous();
    else
      prepared.constants[input.value] = weight;
  }
  const cpu::ThreadLimit limit(num_threads_);
  runner_ = std::make_unique<GraphRunner>(std::move(prepared));
  for (ValueId v : runner_->inputs())
    for (size_t i = 0; i < program_->inputs.size(); ++i)
      if (program_->inputs[i].value == v) graph_inputs_.push_back(i);
  RL_ASSERT(graph_inputs_.size() == runner_->inputs().size());
}

std::vector<RunValue> ModelRunner::graph_inputs(std::span<const RunValue> inputs) const {
  std::vector<RunValue> values;
  const std::vector<size_t>& users = check_.user_inputs();
  std::lock_guard lock(mutex_);
  for (size_t i : graph_inputs_) {
    const auto user = std::find(users.begin(), users.end(), i);
    if (user != users.end())
      values.push_back(inputs[static_cast<size_t>(user - users.begin())]);
    else
      values.push_back({buffers_.at(program_->inputs[i].target), {}});
  }
  return values;
}

std::shared_ptr<const Plan> ModelRunner::plan(std::span<const RunValue> inputs) {
  check_.check(inputs);
  return runner_->plan(graph_inputs(inputs));
}

std::vector<RunValue> ModelRunner::run(std::span<const RunValue> inputs) {
  check_.check(inputs);
  const cpu::ThreadLimit limit(num_threads_);
  const GraphRunner::Result result = runner_->run(graph_inputs(inputs));
  return collect(result.frame(), inputs);
}

namespace {

bool is_one_of(const Tensor& value, std::span<const RunValue> inputs) {
  for (const RunValue& input : inputs)
    if (input.tensor && input.tensor->storage() == value.storage()) return true;
  return false;
}

}  // namespace

bool ModelRunner::keeps(const StoragePtr& storage, const NewBuffers& buffers) const {
  if (runner_->keeps(storage)) return true;
  for (const auto& [name, tensor] : buffers)
    if (tensor.storage() == storage) return true;
  return false;
}

std::vector<RunValue> ModelRunner::collect(const Frame& frame, std::span<const RunValue> inputs) {
  std::vector<RunValue> outputs;
  NewBuffers buffers;
  for (const OutputSpec& spec : program_->outputs) {
    if (spec.kind == OutputSpec::Kind::Token) continue;
    if (spec.value == kNoValue) {
      outputs.push_back({std::nullopt, spec.literal});
      continue;
    }
    if (runner_->graph().at(spec.value).type != ValueType::Tensor) {
      outputs.push_back({std::nullopt, frame.number(spec.value)});
      continue;
    }
    const Tensor& value = frame.tensor(spec.value);
    switch (spec.kind) {
      case OutputSpec::Kind::BufferMutation:
        check_written(spec.target, program_->weights.find(spec.target)->second, value);
        // What the caller gave stays the caller's: the program keeps a copy.
        buffers.emplace_back(spec.target,
                             is_one_of(value, inputs) ? value.clone() : value.contiguous());
        break;
      case OutputSpec::Kind::InputMutation:
        for (size_t k = 0; k < inputs.size(); ++k) {
          const InputSpec& input = program_->inputs[check_.user_inputs()[k]];
          if (input.name != spec.target || !inputs[k].tensor) continue;
          RL_CHECK(!inputs[k].tensor->storage()->read_only(), Runtime, "input '", input.name,
                   "' is written by the program, but its memory is read-only");
          check_written(spec.target, *inputs[k].tensor, value);
          kernels::copy_strided(value, *inputs[k].tensor);
        }
        break;
      default:
        outputs.push_back({value, {}});
    }
  }
  // The caller may write into results: what the program keeps must not be among them.
  for (RunValue& output : outputs)
    if (output.tensor && keeps(output.tensor->storage(), buffers))
      output.tensor = output.tensor->clone();
  if (!buffers.empty()) {
    // The old contents go with `buffers`, after the lock: their last owner may be Python's.
    std::lock_guard lock(mutex_);
    for (auto& [name, tensor] : buffers) std::swap(buffers_.find(name)->second, tensor);
  }
  return outputs;
}

Tensor ModelRunner::weight(const std::string& name) const {
  std::lock_guard lock(mutex_);
  // A copy: the program's own memory is not the caller's to write.
  if (const auto it = buffers_.find(name); it != buffers_.end()) return it->second.clone();
  const auto it = program_->weights.find(name);
  RL_CHECK(it != program_->weights.end(), Key, "no parameter, buffer or constant called '", name,
           "'");
  return it->second;
}

}  // namespace rushlight
