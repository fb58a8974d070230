#include "graph_runner.h"

#include <bit>

#include "runtime/regions.h"

namespace rushlight {

GraphRunner::GraphRunner(PreparedGraph prepared, Numbers numbers)
    : prepared_(std::move(prepared)), numbers_(numbers) {
  const auto given = [&](ValueId v) {
    return prepared_.constants.contains(v) || prepared_.numbers.contains(v);
  };
  for (ValueId v : prepared_.graph.inputs)
    if (!given(v)) inputs_.push_back(v);
  run_pipeline(prepared_);
  for (const auto& [value, tensor] : prepared_.constants) weights_.emplace_back(value, tensor);
  regions_ = std::make_unique<const Regions>(prepared_);
}

GraphRunner::~GraphRunner() = default;

bool GraphRunner::keeps(const StoragePtr& storage) const {
  for (const auto& [slot, tensor] : weights_)
    if (tensor.storage() == storage) return true;
  return false;
}

// What distinguishes plans: dtypes and sizes of tensors, values of numbers.
std::vector<int64_t> GraphRunner::plan_key(std::span<const RunValue> inputs) const {
  std::vector<int64_t> key;
  for (const RunValue& v : inputs) {
    if (v.tensor) {
      key.push_back(v.tensor->rank());
      key.push_back(static_cast<int64_t>(v.tensor->dtype));
      key.insert(key.end(), v.tensor->sizes.begin(), v.tensor->sizes.end());
      continue;
    }
    key.push_back(-1 - static_cast<int64_t>(v.literal.index()));
    if (numbers_ == Numbers::Varying) continue;
    if (const int64_t* i = std::get_if<int64_t>(&v.literal)) key.push_back(*i);
    if (const bool* b = std::get_if<bool>(&v.literal)) key.push_back(*b);
    if (const double* d = std::get_if<double>(&v.literal))
      key.push_back(std::bit_cast<int64_t>(*d));
  }
  return key;
}

std::shared_ptr<GraphRunner::Planned> GraphRunner::planned(std::span<const RunValue> inputs) {
  RL_ASSERT(inputs.size() == inputs_.size(), inputs.size(), " inputs, ", inputs_.size());
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
    PlanInput input{inputs_[k], Place::Bound, {}};
    if (inputs[k].tensor) {
      TensorMeta meta;
      meta.set(inputs[k].tensor->dtype, inputs[k].tensor->sizes);
      input.tensor = Tensor(meta, nullptr, nullptr);
    } else if (numbers_ == Numbers::Planned) {
      input.number = inputs[k].literal;
    }
    plan_inputs.push_back(std::move(input));
  }
  for (const auto& [value, tensor] : weights_)
    plan_inputs.push_back({value, Place::Weight, tensor});
  for (const auto& [value, number] : prepared_.numbers)
    plan_inputs.push_back({value, Place::None, {}, number});
  auto entry = std::make_shared<Planned>();
  entry->key = std::move(key);
  entry->plan = make_plan(prepared_.graph, plan_inputs, regions_.get());
  std::lock_guard lock(mutex_);
  plans_.push_front(entry);
  if (plans_.size() > kMaxPlans) plans_.pop_back();
  return entry;
}

std::shared_ptr<const Plan> GraphRunner::plan(std::span<const RunValue> inputs) {
  return planned(inputs)->plan;
}

std::unique_ptr<Frame> GraphRunner::borrow(Planned& planned) {
  {
    std::lock_guard lock(planned.mutex);
    if (!planned.idle.empty()) {
      auto frame = std::move(planned.idle.back());
      planned.idle.pop_back();
      return frame;
    }
  }
  return std::make_unique<Frame>(planned.plan, prepared_.graph, weights_, regions_.get());
}

GraphRunner::Result GraphRunner::run(std::span<const RunValue> inputs) {
  std::shared_ptr<Planned> entry = planned(inputs);
  std::unique_ptr<Frame> frame = borrow(*entry);
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].tensor)
      frame->bind(inputs_[k], inputs[k].tensor->contiguous());
    else
      frame->set_number(inputs_[k], inputs[k].literal);
  }
  frame->run();
  return {std::move(entry), std::move(frame)};
}

std::vector<RunValue> GraphRunner::call(std::span<const RunValue> inputs) {
  const Result result = run(inputs);
  std::vector<RunValue> outputs;
  for (ValueId v : prepared_.graph.outputs) {
    if (prepared_.graph.at(v).type != ValueType::Tensor) {
      outputs.push_back({std::nullopt, result.frame().number(v)});
      continue;
    }
    const Tensor& t = result.frame().tensor(v);
    outputs.push_back({keeps(t.storage()) ? t.clone() : t, {}});
  }
  return outputs;
}

GraphRunner::Result::~Result() {
  if (!frame_) return;
  frame_->clear();
  std::lock_guard lock(planned_->mutex);
  if (planned_->idle.size() < kMaxIdleFrames) planned_->idle.push_back(std::move(frame_));
}

}  // namespace rushlight
