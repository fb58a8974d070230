#include "pt2_weights_writer.h"

#include "runtime/json_writer.h"
#include "runtime/pt2_graph_writer.h"

namespace rushlight::pt2 {
namespace {

std::vector<SymbolicSize> fixed(const Dims& dims) {
  std::vector<SymbolicSize> out;
  for (const int64_t dim : dims) out.push_back({dim, ""});
  return out;
}

}  // namespace

// PyTorch reads a number of elements, so bytes behind the last whole one stay out.
std::span<const std::byte> WeightWriter::Record::bytes() const {
  const size_t nbytes = tensor.storage()->nbytes();
  return {tensor.storage()->data(), nbytes - nbytes % static_cast<size_t>(item_size(tensor.dtype))};
}

void WeightWriter::add(const std::string& name, Tensor tensor, bool is_param, bool requires_grad) {
  RL_CHECK(tensor.defined(), Value, "'", name, "' has no memory: it can't be saved");
  RL_ASSERT(!tensor.storage()->deferred(), "'", name, "' is not computed yet");
  // The format counts the offset in elements.
  const bool aligned = (tensor.raw() - tensor.storage()->data()) % item_size(tensor.dtype) == 0;
  if (!aligned) tensor = tensor.clone();
  const size_t nbytes = tensor.storage()->nbytes();
  size_t record = records_.size();
  if (nbytes > 0)
    record = by_memory_.try_emplace({tensor.storage()->data(), nbytes, tensor.dtype}, record)
                 .first->second;
  if (record == records_.size()) records_.push_back({prefix_ + std::to_string(next_++), tensor});
  entries_.push_back({name, std::move(tensor), record, is_param, requires_grad});
}

std::string WeightWriter::config() const {
  json::JsonWriter json;
  json.begin_object().key("config").begin_object();
  for (const Entry& entry : entries_) {
    const Tensor& tensor = entry.tensor;
    json.key(entry.name).begin_object();
    json.key("path_name").value(records_[entry.record].name);
    json.key("is_param").value(entry.is_param).key("use_pickle").value(false);
    json.key("tensor_meta");
    write_tensor_meta(json, tensor.dtype, fixed(tensor.sizes), fixed(tensor.strides),
                      tensor.storage_offset(), entry.requires_grad);
    json.end_object();
  }
  json.end_object().end_object();
  return json.take();
}

}  // namespace rushlight::pt2
