#include "runtime/control_flow.h"

#include "kernels/copy.h"
#include "runtime/eager.h"
#include "runtime/graph_runner.h"

namespace rushlight {
namespace {

using Values = std::vector<RunValue>;

Values joined(std::initializer_list<std::span<const RunValue>> groups) {
  Values out;
  for (const auto& group : groups) out.insert(out.end(), group.begin(), group.end());
  return out;
}

Values call(const Region& region, const Values& inputs) {
  return region.runner->call(region.select(inputs));
}

std::string text(const RunValue& v) { return v.tensor ? describe(*v.tensor) : "a number"; }

// A predicate: a bool, or a tensor of one element, true unless zero.
bool is_true(const RunValue& pred) {
  if (!pred.tensor) return unpack<bool>::from(pred.literal);
  const OpDef* is_nonzero = find_op("aten.is_nonzero.default");
  RL_ASSERT(is_nonzero);
  const Argument args[] = {&*pred.tensor};
  return unpack<bool>::from(call_op(*is_nonzero, args).number);
}

Values run_cond(const std::vector<Region>& regions, const RunGroups& operands) {
  const RunValue& pred = operands[0].at(0);
  RL_CHECK(!pred.tensor || pred.tensor->numel() == 1, Runtime,
           "Expected pred to be bool or single-element tensor, but got ", text(pred), ".");
  return call(regions[is_true(pred) ? 0 : 1], operands[1]);
}

// The body's results take the place of what was carried in: they must look the same.
void check_carried(const Values& before, const Values& after, size_t count, std::string_view what) {
  for (size_t i = 0; i < count; ++i) {
    const bool same = before[i].tensor && after[i].tensor
                          ? before[i].tensor->dtype == after[i].tensor->dtype &&
                                before[i].tensor->sizes == after[i].tensor->sizes
                          : before[i].tensor.has_value() == after[i].tensor.has_value();
    RL_CHECK(same, Runtime, "Expected ", what,
             " and body outputs to have same metadata but found: "
             "pair[",
             i, "] is ", text(before[i]), " before and ", text(after[i]), " after a step");
  }
}

Values run_while(const std::vector<Region>& regions, const RunGroups& operands) {
  Values carried = operands[0];
  while (true) {
    const Values go = call(regions[0], joined({carried, operands[1]}));
    const RunValue& pred = go.at(0);
    RL_CHECK(pred.tensor ? pred.tensor->rank() == 0 && pred.tensor->dtype == DType::Bool
                         : std::holds_alternative<bool>(pred.literal),
             Runtime, "cond_fn must return a boolean scalar tensor or a boolean but got ",
             text(pred));
    if (!is_true(pred)) return carried;
    Values next = call(regions[1], joined({carried, operands[1]}));
    check_carried(carried, next, carried.size(), "carried inputs");
    carried = std::move(next);
  }
}

// The length along dimension 0 that all have.
int64_t common_length(const Values& xs, std::string_view name) {
  int64_t length = -1;
  for (const RunValue& x : xs) {
    RL_CHECK(x.tensor, Runtime, "All xs leaves must be a Tensor but got ", text(x));
    RL_CHECK(x.tensor->rank() > 0 && x.tensor->sizes[0] > 0, Runtime, name,
             ": xs must have a dimension 0 of at least 1, got ", text(x));
    if (length < 0) length = x.tensor->sizes[0];
    RL_CHECK(x.tensor->sizes[0] == length, Runtime, name,
             ": leading dimensions of xs must be consistent, got ", length, " and ",
             x.tensor->sizes[0]);
  }
  RL_CHECK(length >= 0, Runtime, name, ": xs are empty");
  return length;
}

Tensor slice_of(const Tensor& x, int64_t i) {
  TensorMeta meta = x;
  meta.view_offset = i * x.strides[0];
  meta.sizes = Dims(IntList(x.sizes).subspan(1));
  meta.strides = Dims(IntList(x.strides).subspan(1));
  return x.view(meta);
}

Values slices(const Values& xs, int64_t i) {
  Values out;
  for (const RunValue& x : xs) out.push_back({slice_of(*x.tensor, i), {}});
  return out;
}

TensorMeta stacked(const TensorMeta& slice, int64_t length) {
  Dims sizes{length};
  for (int64_t size : slice.sizes) sizes.push_back(size);
  TensorMeta meta;
  meta.set(slice.dtype, sizes);
  return meta;
}

// Results of all steps, one tensor for each output of a step.
class Stack {
 public:
  explicit Stack(int64_t length) : length_(length) {}
  void set(int64_t i, std::span<const RunValue> step) {
    if (i == 0)
      for (const RunValue& v : step) whole_.push_back(Tensor::empty(stacked(*v.tensor, length_)));
    for (size_t k = 0; k < whole_.size(); ++k) {
      const Tensor into = slice_of(whole_[k], i);
      RL_CHECK(step[k].tensor->dtype == into.dtype && step[k].tensor->sizes == into.sizes, Runtime,
               "step ", i, " gives ", describe(*step[k].tensor), ", the first step gave ",
               describe(into));
      kernels::copy_strided(*step[k].tensor, into);
    }
  }
  Values values() {
    Values out;
    for (Tensor& t : whole_) out.push_back({std::move(t), {}});
    return out;
  }

 private:
  int64_t length_;
  std::vector<Tensor> whole_;
};

Values run_scan(const std::vector<Region>& regions, const RunGroups& operands) {
  Values carried = operands[0];
  const int64_t length = common_length(operands[1], "scan");
  Stack results(length);
  for (int64_t i = 0; i < length; ++i) {
    Values step = call(regions[0], joined({carried, slices(operands[1], i), operands[2]}));
    check_carried(carried, step, carried.size(), "init");
    results.set(i, std::span(step).subspan(carried.size()));
    step.resize(carried.size());
    carried = std::move(step);
  }
  return joined({carried, results.values()});
}

Values run_map(const std::vector<Region>& regions, const RunGroups& operands) {
  const int64_t length = common_length(operands[0], "map");
  Stack results(length);
  for (int64_t i = 0; i < length; ++i)
    results.set(i, call(regions[0], joined({slices(operands[0], i), operands[1]})));
  return results.values();
}

// In sequence: the combination is associative, so the order of additions is ours to choose.
Values run_associative_scan(const std::vector<Region>& regions, const RunGroups& operands) {
  const int64_t length = common_length(operands[0], "associative_scan");
  Stack results(length);
  Values carried = slices(operands[0], 0);
  results.set(0, carried);
  for (int64_t i = 1; i < length; ++i) {
    carried = call(regions[0], joined({carried, slices(operands[0], i), operands[1]}));
    results.set(i, carried);
  }
  return results.values();
}

}  // namespace

Values run_control_flow(const ControlFlowOp& op, const std::vector<Region>& regions,
                        const RunGroups& operands) {
  switch (op.kind) {
    case ControlFlow::Cond:
      return run_cond(regions, operands);
    case ControlFlow::WhileLoop:
      return run_while(regions, operands);
    case ControlFlow::Scan:
      return run_scan(regions, operands);
    case ControlFlow::Map:
      return run_map(regions, operands);
    case ControlFlow::AssociativeScan:
      return run_associative_scan(regions, operands);
  }
  RL_ASSERT(false, op.target);
}

namespace {

using Metas = std::vector<std::optional<TensorMeta>>;

// What a run of the region gives, if its sizes are known before.
Metas outputs_of(const Region& region, const Values& inputs) {
  return region.runner->plan(region.select(inputs))->output_metas;
}

Metas metas_of(const Values& values) {
  Metas out;
  for (const RunValue& v : values) {
    out.emplace_back();
    if (!v.tensor) continue;
    out.back().emplace().set(v.tensor->dtype, v.tensor->sizes);
  }
  return out;
}

// The first slice of each; only for sizes.
Values first_slices(const Values& xs) {
  Values out;
  for (const RunValue& x : xs) {
    TensorMeta meta;
    meta.set(x.tensor->dtype, IntList(x.tensor->sizes).subspan(1));
    out.push_back({Tensor(meta, nullptr, nullptr), {}});
  }
  return out;
}

Metas infer(const ControlFlowOp& op, const std::vector<Region>& regions,
            const RunGroups& operands) {
  switch (op.kind) {
    case ControlFlow::Cond: {
      Metas metas = outputs_of(regions[0], operands[1]);
      const Metas other = outputs_of(regions[1], operands[1]);
      for (size_t i = 0; i < metas.size(); ++i)
        if (!metas[i] || !other[i] || metas[i]->dtype != other[i]->dtype ||
            metas[i]->sizes != other[i]->sizes)
          metas[i].reset();
      return metas;
    }
    case ControlFlow::WhileLoop:
    case ControlFlow::AssociativeScan:
      return metas_of(operands[0]);
    case ControlFlow::Scan:
    case ControlFlow::Map: {
      const bool scan = op.kind == ControlFlow::Scan;
      const Values& xs = operands[scan];
      const int64_t length = common_length(xs, scan ? "scan" : "map");
      Metas step =
          outputs_of(regions[0], scan ? joined({operands[0], first_slices(xs), operands[2]})
                                      : joined({first_slices(xs), operands[1]}));
      Metas metas = scan ? metas_of(operands[0]) : Metas{};
      for (size_t i = metas.size(); i < step.size(); ++i) {
        metas.emplace_back();
        if (step[i]) metas.back() = stacked(*step[i], length);
      }
      return metas;
    }
  }
  RL_ASSERT(false, op.target);
}

}  // namespace

Metas infer_control_flow(const ControlFlowOp& op, const std::vector<Region>& regions,
                         const RunGroups& operands) {
  try {
    return infer(op, regions, operands);
  } catch (const Error&) {
    return {};  // the branch that a call takes says what is wrong
  }
}

}  // namespace rushlight
