#include "pt2_weights.h"

#include <cstring>

#include "runtime/json.h"
#include "runtime/pt2_enums.h"
#include "runtime/pt2_graph.h"

namespace rushlight::pt2 {
namespace {

int64_t static_size(json::Value size) {
  const SymbolicSize parsed = parse_size(size);
  RL_CHECK(parsed.is_static(), Value, size.path(), ": a stored tensor needs a number here");
  return parsed.hint;
}

Tensor make_tensor(const StoragePtr& storage, json::Value json) {
  TensorMeta meta;
  meta.dtype = dtype_from_number(json["dtype"]);
  for (json::Value size : json["sizes"].elements()) meta.sizes.push_back(static_size(size));
  for (json::Value stride : json["strides"].elements()) meta.strides.push_back(static_size(stride));
  if (const auto layout = json.find("layout"))
    RL_CHECK(layout->as_int() == 7, NotImplemented, layout->path(), ": layout number ",
             layout->as_int(), " (sparse or opaque tensors) is not supported");
  const int64_t offset = static_size(json["storage_offset"]);
  try {
    check_in_bounds(meta, offset, storage->nbytes());
  } catch (const Error& error) {
    RL_FAIL(Runtime, json.path(), ": ", error.what());
  }
  return Tensor(meta, storage, storage->data() + offset * item_size(meta.dtype));
}

}  // namespace

StoragePtr aligned(StoragePtr storage, int64_t item) {
  if (reinterpret_cast<uintptr_t>(storage->data()) % static_cast<uintptr_t>(item) == 0)
    return storage;
  StoragePtr copy = Storage::allocate(storage->nbytes());
  std::memcpy(copy->data(), storage->data(), storage->nbytes());
  return copy;
}

void read_weights(const PyTorchFileReader& file, const WeightFolder& from,
                  const std::set<std::string>& wanted,
                  std::map<std::string, Tensor, std::less<>>& weights) {
  if (!file.has_record(from.folder + from.config)) return;
  const StoragePtr text = file.read(from.folder + from.config);
  const json::Document document =
      json::Document::parse(as_text(*text), {.name = file.name() + ": " + from.config});
  std::map<std::string, StoragePtr> storages;
  for (const auto& [name, entry] : document.root()["config"].members()) {
    if (!wanted.count(std::string(name))) continue;
    const json::Value pickled = entry["use_pickle"];
    RL_CHECK(!pickled.as_bool(), NotImplemented, entry.path(),
             ": a pickled tensor subclass is not supported");
    const std::string record(entry["path_name"].as_string());
    StoragePtr& storage = storages[record];
    const json::Value meta = entry["tensor_meta"];
    if (!storage) storage = file.read(from.folder + record);
    // Tensors of several dtypes may share a record; what shares one stays shared.
    storage = aligned(std::move(storage), item_size(dtype_from_number(meta["dtype"])));
    weights.insert_or_assign(std::string(name), make_tensor(storage, meta));
  }
}

}  // namespace rushlight::pt2
