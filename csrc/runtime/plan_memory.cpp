// Where every slot of a plan lives: the arena by lifetime, memory taken over from dying inputs.
#include <algorithm>

#include "runtime/arena.h"
#include "runtime/plan.h"

namespace rushlight {

Slot root_of(const Plan& plan, Slot s) {
  while (plan.slots[static_cast<size_t>(s)].place == Place::View)
    s = plan.slots[static_cast<size_t>(s)].root;
  return s;
}

namespace {

class Layout {
 public:
  Layout(const Graph& graph, Plan& plan) : graph_(graph), plan_(plan) {}

  void assign_memory() {
    const size_t steps = plan_.steps.size();
    std::vector<int32_t> last(plan_.slots.size(), -1);
    const auto touch = [&](Slot s, size_t step) {
      last[static_cast<size_t>(root(s))] = static_cast<int32_t>(step);
    };
    for (size_t i = 0; i < steps; ++i) {
      Step& step = plan_.steps[i];
      for_each_value(step.operands, [&](ValueId v) {
        if (graph_.at(v).type == ValueType::Tensor) touch(v, i);
      });
      for (Slot s : step.inputs) touch(s, i);
      for (Slot s : step.outs)
        if (s >= 0 && is_tensor(s)) touch(s, i);
    }
    for (ValueId v : graph_.outputs)
      if (graph_.at(v).type == ValueType::Tensor) touch(v, steps);
    std::vector<std::vector<Slot>> dies(steps + 1);
    for (size_t s = 0; s < last.size(); ++s)
      if (last[s] >= 0) dies[static_cast<size_t>(last[s])].push_back(static_cast<Slot>(s));

    Arena arena;
    for (size_t i = 0; i < steps; ++i) {
      Step& step = plan_.steps[i];
      std::vector<Slot> freed;
      for (Slot s : dies[i])
        if (slot(s).place == Place::Arena) freed.push_back(s);
      reuse_in_place(step, freed);
      for (Slot s : step.outs) {
        if (s < 0 || !is_tensor(s) || slot(s).place != Place::Arena || slot(s).offset >= 0)
          continue;
        slot(s).offset = static_cast<int64_t>(arena.allocate(bytes(s)));
      }
      for (Slot s : freed) arena.release(static_cast<size_t>(slot(s).offset), bytes(s));
      for (Slot s : dies[i])
        if (slot(s).place == Place::Dynamic) step.release.push_back(s);
    }
    plan_.arena_bytes = arena.size();
  }

  void collect_rebound() {
    std::vector<Step*> computes(plan_.slots.size());
    for (Step& step : plan_.steps)
      for (Slot s : step.outs)
        if (s >= 0) computes[static_cast<size_t>(s)] = &step;
    for (size_t s = 0; s < plan_.slots.size(); ++s) {
      const SlotPlan& p = plan_.slots[s];
      if (p.place != Place::View) continue;
      const Place from = slot(p.root).place;
      if (from == Place::Bound || from == Place::Output)
        plan_.rebound.push_back(static_cast<Slot>(s));
      else if (from == Place::Dynamic)
        computes[static_cast<size_t>(p.root)]->rebind.push_back(static_cast<Slot>(s));
    }
  }

 private:
  SlotPlan& slot(Slot s) { return plan_.slots[static_cast<size_t>(s)]; }
  Slot root(Slot s) const { return root_of(plan_, s); }
  bool is_tensor(Slot s) const {
    return static_cast<size_t>(s) >= graph_.values.size() || graph_.at(s).type == ValueType::Tensor;
  }
  size_t bytes(Slot s) {
    // Of the memory a dense tensor spans, whatever the order of its dimensions.
    return static_cast<size_t>(slot(s).meta.nbytes());
  }

  // The output takes the memory of an input that nobody reads afterwards. `freed` loses it.
  void reuse_in_place(Step& step, std::vector<Slot>& freed) {
    if (step.outs.size() != 1 || slot(step.outs[0]).place != Place::Arena) return;
    const Slot out = step.outs[0];
    const auto take = [&](Slot s) {
      const auto it = std::find(freed.begin(), freed.end(), s);
      if (it == freed.end()) return false;
      slot(out).offset = slot(s).offset;
      freed.erase(it);
      return true;
    };
    if (step.kind == Step::Kind::Scatter) {
      const Slot base = step.inputs[0];
      const TensorMeta &a = slot(base).meta, &b = slot(out).meta;
      if (a.strides == b.strides && slot(base).place == Place::Arena &&
          root(step.inputs[1]) != base)
        step.in_place = take(base);
      return;
    }
    if (step.kind != Step::Kind::Pointwise) return;
    for (Slot s : step.inputs) {
      const TensorMeta &a = slot(s).meta, &b = slot(out).meta;
      if (slot(s).place != Place::Arena || a.sizes != b.sizes || a.strides != b.strides ||
          item_size(a.dtype) != item_size(b.dtype))
        continue;
      bool seen_otherwise = false;  // the same memory through another view
      for (Slot other : step.inputs) seen_otherwise |= other != s && root(other) == s;
      if (!seen_otherwise && take(s)) return;
    }
  }

  const Graph& graph_;
  Plan& plan_;
};

}  // namespace

void assign_memory(const Graph& graph, Plan& plan) {
  Layout layout(graph, plan);
  layout.assign_memory();
  layout.collect_rebound();
}

}  // namespace rushlight
