#include "model_runner.h"

#include "cpu/parallel.h"
#include "kernels/copy.h"

namespace rushlight {
namespace {

// What distinguishes plans: sizes of tensors, values of numbers.
std::vector<int64_t> plan_key(std::span<const RunValue> inputs) {
  std::vector<int64_t> key;
  for (const RunValue& v : inputs) {
    if (v.tensor) {
      key.push_back(v.tensor->rank());
      key.insert(key.end(), v.tensor->sizes.begin(), v.tensor->sizes.end());
      continue;
    }
    key.push_back(-1 - static_cast<int64_t>(v.literal.index()));
    if (const int64_t* i = std::get_if<int64_t>(&v.literal)) key.push_back(*i);
    if (const bool* b = std::get_if<bool>(&v.literal)) key.push_back(*b);
    if (const double* d = std::get_if<double>(&v.literal))
      key.push_back(std::bit_cast<int64_t>(*d));
  }
  return key;
}

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
  prepared_.graph = program_->graph;
  for (const OutputSpec& output : program_->outputs) {
    if (output.kind != OutputSpec::Kind::BufferMutation) continue;
    const size_t before = written_buffers_.size();
    for (size_t i = 0; i < program_->inputs.size(); ++i)
      if (program_->inputs[i].kind == InputSpec::Kind::Buffer &&
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
      prepared_.constants[input.value] = weight;
  }
  const cpu::ThreadLimit limit(num_threads_);
  run_pipeline(prepared_);
  for (const auto& [value, tensor] : prepared_.constants) weights_.emplace_back(value, tensor);
}

std::shared_ptr<ModelRunner::Planned> ModelRunner::planned(std::span<const RunValue> inputs) {
  std::vector<int64_t> key = plan_key(inputs);
  {
    std::lock_guard lock(mutex_);
    for (auto it = plans_.begin(); it != plans_.end(); ++it) {
      if ((*it)->key != key) continue;
      plans_.splice(plans_.begin(), plans_, it);
      return plans_.front();
    }
  }
  std::vector<PlanInput> plan_inputs;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const InputSpec& spec = program_->inputs[check_.user_inputs()[k]];
    if (spec.value == kNoValue) continue;
    PlanInput input{spec.value, Place::Bound, {}, inputs[k].literal};
    if (inputs[k].tensor) {
      TensorMeta meta;
      meta.set(inputs[k].tensor->dtype, inputs[k].tensor->sizes);
      input.tensor = Tensor(meta, nullptr, nullptr);
    }
    plan_inputs.push_back(std::move(input));
  }
  for (size_t i : written_buffers_) {
    const InputSpec& spec = program_->inputs[i];
    const Tensor& weight = program_->weights.at(spec.target);
    TensorMeta meta;
    meta.set(weight.dtype, weight.sizes);
    plan_inputs.push_back({spec.value, Place::Bound, Tensor(meta, nullptr, nullptr)});
  }
  for (const auto& [value, tensor] : weights_)
    plan_inputs.push_back({value, Place::Weight, tensor});
  for (const auto& [value, number] : prepared_.numbers)
    plan_inputs.push_back({value, Place::None, {}, number});
  auto entry = std::make_shared<Planned>();
  entry->key = std::move(key);
  entry->plan = make_plan(prepared_.graph, plan_inputs);
  std::lock_guard lock(mutex_);
  plans_.push_front(entry);
  if (plans_.size() > kMaxPlans) plans_.pop_back();
  return entry;
}

std::shared_ptr<const Plan> ModelRunner::plan(std::span<const RunValue> inputs) {
  check_.check(inputs);
  return planned(inputs)->plan;
}

std::unique_ptr<Frame> ModelRunner::borrow(Planned& planned) {
  {
    std::lock_guard lock(planned.mutex);
    if (!planned.idle.empty()) {
      auto frame = std::move(planned.idle.back());
      planned.idle.pop_back();
      return frame;
    }
  }
  return std::make_unique<Frame>(planned.plan, prepared_.graph, weights_);
}

void ModelRunner::give_back(Planned& planned, std::unique_ptr<Frame> frame) {
  frame->clear();
  std::lock_guard lock(planned.mutex);
  if (planned.idle.size() < kMaxIdleFrames) planned.idle.push_back(std::move(frame));
}

void ModelRunner::bind(Frame& frame, std::span<const RunValue> inputs, std::vector<Tensor>& kept) {
  for (size_t k = 0; k < inputs.size(); ++k) {
    const InputSpec& spec = program_->inputs[check_.user_inputs()[k]];
    if (spec.value == kNoValue || !inputs[k].tensor) continue;
    kept.push_back(inputs[k].tensor->contiguous());
    frame.bind(spec.value, kept.back());
  }
  if (written_buffers_.empty()) return;
  std::lock_guard lock(mutex_);
  for (size_t i : written_buffers_) {
    const InputSpec& spec = program_->inputs[i];
    frame.bind(spec.value, buffers_.at(spec.target));
  }
}

std::vector<RunValue> ModelRunner::run(std::span<const RunValue> inputs) {
  check_.check(inputs);
  const cpu::ThreadLimit limit(num_threads_);
  const std::shared_ptr<Planned> entry = planned(inputs);
  std::unique_ptr<Frame> frame = borrow(*entry);
  std::vector<Tensor> kept;
  bind(*frame, inputs, kept);
  frame->run();
  std::vector<RunValue> outputs = collect(*frame, inputs);
  give_back(*entry, std::move(frame));
  return outputs;
}

namespace {

bool is_one_of(const Tensor& value, std::span<const RunValue> inputs) {
  for (const RunValue& input : inputs)
    if (input.tensor && input.tensor->storage() == value.storage()) return true;
  return false;
}

}  // namespace

bool ModelRunner::keeps(const StoragePtr& storage, const NewBuffers& buffers) const {
  for (const auto& [slot, tensor] : weights_)
    if (tensor.storage() == storage) return true;
  for (const auto& [name, tensor] : buffers)
    if (tensor.storage() == storage) return true;
  return false;
}

std::vector<RunValue> ModelRunner::collect(Frame& frame, std::span<const RunValue> inputs) {
  std::vector<RunValue> outputs;
  NewBuffers buffers;
  for (const OutputSpec& spec : program_->outputs) {
    if (spec.kind == OutputSpec::Kind::Token) continue;
    if (spec.value == kNoValue) {
      outputs.push_back({std::nullopt, spec.literal});
      continue;
    }
    if (prepared_.graph.at(spec.value).type != ValueType::Tensor) {
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
