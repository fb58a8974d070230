// In-place operators: the storages that they write get another current value.
#include "ir/op.h"
#include "lazy/capture.h"
#include "lazy/location.h"
#include "lazy/recorder.h"
#include "lazy/state.h"

namespace rushlight::lazy {
namespace {

// Does the tensor hold every byte of its storage, each once?
bool covers_storage(const Tensor& t) {
  return t.byte_offset() == 0 && t.nbytes() == static_cast<int64_t>(t.storage()->nbytes()) &&
         t.is_non_overlapping_and_dense();
}

// A tensor over the whole memory of a storage, as elements of `dtype`.
Tensor whole(const StoragePtr& storage, DType dtype) {
  TensorMeta meta;
  const Dims sizes{static_cast<int64_t>(storage->nbytes()) / item_size(dtype)};
  meta.set(dtype, sizes);
  return Tensor(meta, storage, storage->data());
}

bool can_defer(const Tensor& self) {
  const Storage& storage = *self.storage();
  return (!storage.exposed() || is_capturing()) && !storage.read_only() && self.numel() > 0 &&
         storage.nbytes() % static_cast<size_t>(item_size(self.dtype)) == 0;
}

Tensor converted(const Tensor& value, DType dtype) {
  if (value.dtype == dtype) return value;
  static const OpDef* const op = find_op("aten._to_copy.default");
  std::vector<Argument> args{&value, dtype};
  for (size_t i = 2; i < op->arguments.size(); ++i) args.push_back(op->arguments[i].default_value);
  return record_call(*op, args).value().tensors.at(0);
}

// `self` holds `value` from now on. Its storage and the value's belong to the open trace.
void assign(const Tensor& self, const Tensor& value) {
  std::lock_guard lock(state_mutex());
  const std::shared_ptr<Trace>& trace = open_trace();
  const StoragePtr& storage = self.storage();
  ValueId current = value_of(*trace, value);
  const TensorMeta& meta = trace->meta(current);
  if (!(covers_storage(self) && meta.strides == self.strides)) {
    TensorMeta region = self;
    region.view_offset = self.storage_offset();
    const Pending* pending = pending_of(*storage);
    const ValueId base = pending ? pending->value : trace->add_input(whole(storage, self.dtype));
    current = trace->add_scatter(base, current, region);
    locate(*trace);
  }
  if (Pending* pending = pending_of(*storage)) {
    pending->value = current;
    return;
  }
  storage->defer_contents(std::make_unique<Pending>(trace, current));
  trace->storages.push_back(storage);
}

}  // namespace

std::optional<CallResult> record_write(const OpDef& op, std::span<const Argument> args) {
  const OpDef* functional = find_op(op.functional);
  RL_ASSERT(functional, op.functional, " is missing");
  if (functional->kind == OpKind::Composite || functional->kind == OpKind::Dynamic)
    return std::nullopt;
  const std::vector<Argument> named = functional->arguments.size() == args.size()
                                          ? std::vector<Argument>(args.begin(), args.end())
                                          : renamed(op, args, *functional);
  if (functional->kind == OpKind::View) return call(*functional, named);
  if (functional->pointwise.result == ResultRule::Real &&
      is_complex(unpack<Tensor>::from(args[0]).dtype))
    return std::nullopt;  // the eager call has the error
  {
    std::unique_lock lock(state_mutex());
    if (settle(args, lock) == Operands::Exposed) return std::nullopt;
  }
  for (uint8_t i : op.written) {
    if (is_none(args[i])) continue;
    const Tensor& self = unpack<Tensor>::from(args[i]);
    if (!can_defer(self)) return std::nullopt;
    if (!self.storage()->deferred()) run_readers(self.storage());
  }
  auto result = record_call(*functional, named);
  if (!result) return std::nullopt;
  const size_t fresh = result->tensors.size() - op.written.size();
  for (size_t i = 0; i < op.written.size(); ++i) {
    if (is_none(args[op.written[i]])) continue;
    const Tensor& self = unpack<Tensor>::from(args[op.written[i]]);
    const Tensor value = result->tensors.at(fresh + i);
    RL_CHECK(value.sizes == self.sizes, Runtime, "output with shape ", self.sizes,
             " doesn't match the broadcast shape ", value.sizes);
    RL_CHECK(category(value.dtype) <= category(self.dtype), Runtime, op.name, ": result type ",
             dtype_name(value.dtype), " can't be cast to the desired output type ",
             dtype_name(self.dtype));
    assign(self, converted(value, self.dtype));
    result->tensors[fresh + i] = self;
  }
  if (fresh > 0) result->tensors.resize(fresh);
  return result;
}

}  // namespace rushlight::lazy
