// Runs a trace call by call: for traces of one call, and where a plan fails.
#include "kernels/copy.h"
#include "lazy/location.h"
#include "lazy/state.h"
#include "runtime/eager.h"

namespace rushlight::lazy {
namespace {

class Interpreter {
 public:
  explicit Interpreter(const Trace& trace) : trace_(trace), values_(trace.values().size()) {
    for (const Trace::Input& input : trace.inputs()) at(input.value) = input.tensor;
  }

  void run(std::span<const ValueId> wanted, std::exception_ptr& error) {
    find_last_uses(wanted);
    const auto calls = trace_.calls();
    for (size_t i = 0; i < calls.size(); ++i) {
      if (last_use_of_outputs(calls[i]) < 0 || !has_operands(calls[i])) continue;
      try {
        run(calls[i]);
      } catch (...) {
        if (!error) error = with_location(calls[i]);
      }
      for (ValueId v : dies_[i]) at(v) = Tensor();
    }
  }

  Tensor& at(ValueId v) { return values_[static_cast<size_t>(v)]; }

 private:
  void find_last_uses(std::span<const ValueId> wanted) {
    const auto calls = trace_.calls();
    last_.assign(values_.size(), -1);
    dies_.resize(calls.size());
    for (ValueId v : wanted) last_[static_cast<size_t>(v)] = static_cast<int64_t>(calls.size());
    for (size_t i = calls.size(); i-- > 0;) {
      if (last_use_of_outputs(calls[i]) < 0) continue;
      for (const Source& s : trace_.sources(calls[i])) use(s, i);
    }
  }
  void use(const Source& s, size_t call) {
    if (s.kind == Source::Kind::List)
      for (const Source& item : trace_.list(s)) use(item, call);
    if (s.kind != Source::Kind::Value) return;
    int64_t& last = last_[static_cast<size_t>(s.index)];
    if (last < 0) {
      last = static_cast<int64_t>(call);
      dies_[call].push_back(s.index);
    }
  }
  int64_t last_use_of_outputs(const Call& call) const {
    int64_t last = -1;
    for (uint32_t i = 0; i < call.outputs; ++i)
      last = std::max(last, last_[static_cast<size_t>(call.first_output) + i]);
    return last;
  }

  bool has_operands(const Call& call) {
    for (const Source& s : trace_.sources(call)) {
      if (s.kind == Source::Kind::Value && !at(s.index).defined()) return false;
      if (s.kind == Source::Kind::List)
        for (const Source& item : trace_.list(s))
          if (item.kind == Source::Kind::Value && !at(item.index).defined()) return false;
    }
    return true;
  }

  Argument argument(const Source& s) {
    switch (s.kind) {
      case Source::Kind::Value:
        return static_cast<const Tensor*>(&at(s.index));
      case Source::Kind::Number:
        return trace_.numbers()[static_cast<size_t>(s.index)];
      case Source::Kind::Literal:
        return trace_.literals()[static_cast<size_t>(s.index)];
      case Source::Kind::List:
        break;
    }
    std::vector<const Tensor*> tensors;
    for (const Source& item : trace_.list(s))
      tensors.push_back(item.kind == Source::Kind::Value ? &at(item.index) : nullptr);
    return tensors;
  }

  void run(const Call& call) {
    std::vector<Argument> args;
    for (const Source& s : trace_.sources(call)) args.push_back(argument(s));
    if (!call.op) return scatter(call, args);
    CallResult result = call_op(*call.op, args);
    for (uint32_t i = 0; i < call.outputs; ++i)
      at(static_cast<ValueId>(static_cast<uint32_t>(call.first_output) + i)) =
          std::move(result.tensors.at(i));
  }

  void scatter(const Call& call, const std::vector<Argument>& args) {
    const TensorMeta& base = trace_.meta(call.first_output);
    Tensor out = Tensor::empty(base);
    kernels::copy_strided(unpack<Tensor>::from(args[0]), out);
    TensorMeta region;
    region.dtype = base.dtype;
    region.sizes = std::get<Dims>(args[2]);
    region.strides = std::get<Dims>(args[3]);
    region.view_offset = std::get<int64_t>(args[4]);
    kernels::copy_strided(unpack<Tensor>::from(args[1]), out.view(region));
    at(call.first_output) = std::move(out);
  }

  // The exception in flight, with the line that recorded the call.
  static std::exception_ptr with_location(const Call& call) {
    const std::string where = location_text(call.location);
    try {
      throw;
    } catch (const Error& e) {
      if (where.empty()) return std::current_exception();
      return std::make_exception_ptr(
          Error(e.kind(), detail::concat(e.what(), "\n(recorded at ", where, ")")));
    } catch (...) {
      return std::current_exception();
    }
  }

  const Trace& trace_;
  std::vector<Tensor> values_;
  std::vector<int64_t> last_;
  std::vector<std::vector<ValueId>> dies_;
};

}  // namespace

std::vector<Tensor> interpret(const Trace& trace, std::span<const ValueId> wanted,
                              std::exception_ptr& error) {
  Interpreter interpreter(trace);
  interpreter.run(wanted, error);
  std::vector<Tensor> out;
  for (ValueId v : wanted) out.push_back(interpreter.at(v));
  return out;
}

}  // namespace rushlight::lazy
