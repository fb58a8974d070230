#include "frame.h"

#include <algorithm>

#include "kernels/copy.h"
#include "runtime/eager.h"
#include "runtime/regions.h"
#include "runtime/scatter_region.h"

namespace rushlight {

Frame::Frame(std::shared_ptr<const Plan> plan, const Graph& graph,
             std::span<const std::pair<Slot, Tensor>> weights, const Regions* regions)
    : plan_(std::move(plan)),
      graph_(graph),
      regions_(regions),
      arena_(Storage::allocate(plan_->arena_bytes)),
      slots_(plan_->slots.size()),
      numbers_(plan_->slots.size()) {
  arena_->set_recycled();
  for (size_t v = 0; v < plan_->numbers.size(); ++v)
    if (plan_->numbers[v]) numbers_[v] = *plan_->numbers[v];
  for (const auto& [slot, tensor] : weights) slots_[static_cast<size_t>(slot)] = tensor;
  for (size_t s = 0; s < slots_.size(); ++s) place(static_cast<Slot>(s));
  prepare();
}

void Frame::place(Slot slot) {
  const SlotPlan& p = plan_->slots[static_cast<size_t>(slot)];
  Tensor& t = slots_[static_cast<size_t>(slot)];
  switch (p.place) {
    case Place::Arena:
      t = Tensor(p.meta, arena_, arena_->data() + p.offset);
      break;
    case Place::View: {
      const Tensor& root = slots_[static_cast<size_t>(p.root)];
      t = Tensor(p.meta, root.storage(), root.raw() ? root.raw() + p.offset : nullptr);
      break;
    }
    case Place::Bound:
    case Place::Output:
      t = Tensor(p.meta, nullptr, nullptr);
      break;
    default:
      break;
  }
}

void Frame::prepare() {
  for (const Step& step : plan_->steps) {
    Call call;
    if (step.kind == Step::Kind::Kernel)
      for (const Operand& operand : step.operands) call.args.push_back(argument(operand));
    if (step.kind != Step::Kind::Call && step.kind != Step::Kind::Regions)
      for (Slot s : step.outs) call.outs.push_back(&slots_[static_cast<size_t>(s)]);
    for (Slot s : step.inputs) call.inputs.push_back(&slots_[static_cast<size_t>(s)]);
    calls_.push_back(std::move(call));
  }
  for (size_t i = 0; i < calls_.size(); ++i) name_numbers(plan_->steps[i], calls_[i]);
  std::sort(uses_.begin(), uses_.end(),
            [](const NumberUse& a, const NumberUse& b) { return a.number < b.number; });
}

void Frame::name_numbers(const Step& step, Call& call) {
  if (step.kind == Step::Kind::Kernel)
    for (size_t i = 0; i < step.operands.size(); ++i)
      if (step.operands[i].is_value() &&
          graph_.at(step.operands[i].value).type != ValueType::Tensor)
        uses_.push_back({step.operands[i].value, &call.args[i], nullptr});
  call.program = &step.program;
  const auto is_number = [](int32_t number) { return number != kLiteral; };
  bool any = false;
  for (const auto& operand : step.program.operands) any |= is_number(operand.number);
  for (const auto& s : step.program.steps)
    for (int32_t number : s.params.numbers) any |= is_number(number);
  if (!any) return;
  PointwiseProgram& own = programs_.emplace_back(step.program);
  call.program = &own;
  for (auto& operand : own.operands)
    if (is_number(operand.number)) uses_.push_back({operand.number, nullptr, &*operand.constant});
  for (auto& s : own.steps)
    for (size_t i = 0; i < s.params.numbers.size(); ++i)
      if (is_number(s.params.numbers[i]))
        uses_.push_back({s.params.numbers[i], nullptr, &s.params.values[i]});
}

void Frame::set_number(ValueId value, const Argument& number) {
  numbers_[static_cast<size_t>(value)] = number;
  auto use = std::lower_bound(uses_.begin(), uses_.end(), value,
                              [](const NumberUse& u, ValueId v) { return u.number < v; });
  for (; use != uses_.end() && use->number == value; ++use) {
    if (use->argument)
      *use->argument = number;
    else
      *use->scalar = unpack<Scalar>::from(number);
  }
}

Argument Frame::argument(const Operand& operand) const {
  if (operand.kind == Operand::Kind::Literal) return operand.literal;
  if (operand.kind == Operand::Kind::Value) {
    if (graph_.at(operand.value).type == ValueType::Tensor)
      return &slots_[static_cast<size_t>(operand.value)];
    return numbers_[static_cast<size_t>(operand.value)];
  }
  std::vector<const Tensor*> tensors;
  Dims ints;
  for (const Operand& item : operand.items) {
    const Argument a = argument(item);
    if (const auto* t = std::get_if<const Tensor*>(&a))
      tensors.push_back(*t);
    else if (is_none(a))
      tensors.push_back(nullptr);
    else
      ints.push_back(unpack<int64_t>::from(a));
  }
  if (!tensors.empty()) return tensors;
  return ints;
}

void Frame::bind(Slot slot, const Tensor& tensor) { slots_[static_cast<size_t>(slot)] = tensor; }

void Frame::run() {
  for (Slot s : plan_->outputs) {
    Tensor& t = slots_[static_cast<size_t>(s)];
    t = Tensor::empty(plan_->slots[static_cast<size_t>(s)].meta);
  }
  for (Slot s : plan_->rebound) place(s);
  for (size_t i = 0; i < plan_->steps.size(); ++i) {
    const Step& step = plan_->steps[i];
    try {
      run_step(step, calls_[i]);
    } catch (const Error& error) {
      const Node& node = graph_.nodes[static_cast<size_t>(step.node)];
      throw Error(error.kind(), detail::concat(node.name, " (", node.target, "): ", error.what()));
    }
  }
}

void Frame::run_kernel(const Step& step, Call& call) {
  if (step.program.steps.empty()) return step.op->compute(call.args, call.outs, Epilogue{});
  // Operands of the tail under the output's sizes: the kernel may see that under other ones.
  const Dims& sizes = call.outs[0]->sizes;
  std::vector<Tensor> expanded;
  expanded.reserve(call.inputs.size());
  std::vector<const Tensor*> operands;
  for (const Tensor* input : call.inputs) {
    if (input->sizes == sizes) {
      operands.push_back(input);
      continue;
    }
    TensorMeta meta;
    meta.dtype = input->dtype;
    meta.sizes = sizes;
    const size_t missing = sizes.size() - input->sizes.size();
    for (size_t d = 0; d < sizes.size(); ++d) {
      const bool repeats = d < missing || input->sizes[d - missing] == 1;
      meta.strides.push_back(repeats ? 0 : input->strides[d - missing]);
    }
    expanded.emplace_back(meta, input->storage(), input->raw());
    operands.push_back(&expanded.back());
  }
  step.op->compute(call.args, call.outs, Epilogue(call.program, operands));
}

void Frame::run_step(const Step& step, Call& call) {
  switch (step.kind) {
    case Step::Kind::Kernel:
      return run_kernel(step, call);
    case Step::Kind::Pointwise:
      return run_pointwise(*call.program, call.inputs, call.outs);
    case Step::Kind::Scatter:
      return run_scatter(step);
    case Step::Kind::Call:
      return run_call(step);
    case Step::Kind::Regions:
      return run_regions(step);
  }
}

void Frame::run_scatter(const Step& step) {
  const Tensor& base = slots_[static_cast<size_t>(step.inputs[0])];
  const Tensor& source = slots_[static_cast<size_t>(step.inputs[1])];
  const Tensor& out = slots_[static_cast<size_t>(step.outs[0])];
  if (!step.in_place) kernels::copy_strided(base, out);
  kernels::copy_strided(source, out.view(step.region));
}

// A scatter whose region is known only now.
void Frame::run_scatter_call(const Step& step) {
  const Tensor& base = unpack<Tensor>::from(argument(step.operands.at(0)));
  const Tensor& source = unpack<Tensor>::from(argument(step.operands.at(1)));
  std::vector<Argument> numbers;
  for (size_t i = 2; i < step.operands.size(); ++i) numbers.push_back(argument(step.operands[i]));
  const TensorMeta meta = scattered(base);
  const Node& node = graph_.nodes[static_cast<size_t>(step.node)];
  const TensorMeta region = region_for(*node.regions[0], meta, numbers, source);
  Tensor out = Tensor::empty(meta);
  kernels::copy_strided(base, out);
  kernels::copy_strided(source, out.view(region));
  slots_[static_cast<size_t>(step.outs.at(0))] = std::move(out);
  release(step);
}

void Frame::release(const Step& step) {
  for (Slot s : step.release) slots_[static_cast<size_t>(s)] = Tensor();
}

// Sizes are known only now: shape rule, allocation and kernel in one go.
void Frame::run_call(const Step& step) {
  if (!step.op) return run_scatter_call(step);
  std::vector<Argument> args;
  args.reserve(step.operands.size());
  for (const Operand& operand : step.operands) args.push_back(argument(operand));
  CallResult result = call_op(*step.op, args);
  if (!is_none(result.number)) {
    numbers_[static_cast<size_t>(step.outs.at(0))] = result.number;
  } else {
    RL_CHECK(result.tensors.size() >= step.outs.size(), Runtime, "gives ", result.tensors.size(),
             " tensors, the graph expects ", step.outs.size());
    for (size_t i = 0; i < step.outs.size(); ++i) {
      if (step.outs[i] != kNoValue) set_dynamic(step.outs[i], std::move(result.tensors[i]));
    }
  }
  release(step);
}

void Frame::set_dynamic(Slot slot, Tensor tensor) {
  // A view of planned memory would outlive what it views.
  if (tensor.storage() == arena_) tensor = tensor.clone();
  const SlotPlan& p = plan_->slots[static_cast<size_t>(slot)];
  if (p.sized) {
    RL_CHECK(tensor.dtype == p.meta.dtype && tensor.sizes == p.meta.sizes, Runtime, "gives ",
             describe(tensor), ", expected ", describe(p.meta));
    if (tensor.strides != p.meta.strides) {
      const Tensor planned = Tensor::empty(p.meta);
      kernels::copy_strided(tensor, planned);
      tensor = planned;
    }
  }
  slots_[static_cast<size_t>(slot)] = std::move(tensor);
}

void Frame::run_regions(const Step& step) {
  const Node& node = graph_.nodes[static_cast<size_t>(step.node)];
  const ControlFlowOp* op = find_control_flow(node.target);
  RL_ASSERT(op && regions_);
  RunGroups groups;
  const auto add = [&](const Operand& operand) {
    const Argument a = argument(operand);
    if (const auto* t = std::get_if<const Tensor*>(&a))
      groups.back().push_back({**t, {}});
    else
      groups.back().push_back({std::nullopt, a});
  };
  for (const Operand& operand : step.operands) {
    groups.emplace_back();
    if (operand.kind != Operand::Kind::List) add(operand);
    for (const Operand& item : operand.items) add(item);
  }
  std::vector<RunValue> results = regions_->run(static_cast<size_t>(step.node), *op, groups);
  RL_CHECK(results.size() == step.outs.size(), Runtime, "gives ", results.size(),
           " values, the graph expects ", step.outs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    if (step.outs[i] == kNoValue) continue;
    if (results[i].tensor)
      set_dynamic(step.outs[i], std::move(*results[i].tensor));
    else
      numbers_[static_cast<size_t>(step.outs[i])] = results[i].literal;
  }
  for (Slot s : step.rebind) place(s);
  release(step);
}

void Frame::clear() {
  for (size_t s = 0; s < slots_.size(); ++s) {
    const Place place = plan_->slots[s].place;
    if (place == Place::Bound || place == Place::Output) slots_[s].set_storage(nullptr);
    if (place == Place::Dynamic) slots_[s] = Tensor();
  }
  for (Slot s : plan_->rebound) slots_[static_cast<size_t>(s)].set_storage(nullptr);
  for (const Step& step : plan_->steps)
    for (Slot s : step.rebind) slots_[static_cast<size_t>(s)].set_storage(nullptr);
}

}  // namespace rushlight
