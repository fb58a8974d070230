#include "pt2_state_dict.h"

#include "runtime/pickle.h"
#include "runtime/pt2_weights.h"
#include "runtime/pytorch_file.h"

namespace rushlight::pt2 {
namespace {

using pickle::Node;
using pickle::Step;
using pickle::StepKind;

constexpr std::pair<std::string_view, DType> kStorages[] = {
    {"FloatStorage", DType::Float32},
    {"DoubleStorage", DType::Float64},
    {"HalfStorage", DType::Float16},
    {"BFloat16Storage", DType::BFloat16},
    {"LongStorage", DType::Int64},
    {"IntStorage", DType::Int32},
    {"ShortStorage", DType::Int16},
    {"CharStorage", DType::Int8},
    {"ByteStorage", DType::UInt8},
    {"BoolStorage", DType::Bool},
    {"ComplexFloatStorage", DType::Complex64},
    {"ComplexDoubleStorage", DType::Complex128}};

// A parameter may wrap a tensor, and that is all.
constexpr int kMaxWrapping = 4;

class StateDict {
 public:
  StateDict(const StoragePtr& contents, const std::string& name)
      : name_(name),
        file_(ZipArchive({contents->data(), contents->nbytes()}, contents, name)),
        pickled_(file_.read("data.pkl")),
        program_(pickle::parse({pickled_->data(), pickled_->nbytes()})) {
    RL_CHECK(program_.error.empty(), Runtime, name_, ": data.pkl: ", program_.error);
  }

  void read(const std::set<std::string>& wanted,
            std::map<std::string, Tensor, std::less<>>& weights) {
    for (const Step& step : program_.steps) {
      const auto operands = program_.operands_of(step);
      if (step.kind != StepKind::SetItems || operands[0] != program_.result) continue;
      for (size_t i = 1; i + 1 < operands.size(); i += 2) {
        const Step& key = at(operands[i]);
        if (key.kind != StepKind::Text || !wanted.count(std::string(key.text))) continue;
        weights.insert_or_assign(std::string(key.text), tensor(operands[i + 1], key.text, 0));
      }
    }
  }

 private:
  const Step& at(Node node) const { return program_.steps[node]; }

  [[noreturn]] void fail(std::string_view key, std::string_view problem) const {
    RL_FAIL(Runtime, name_, ": '", key, "': ", problem);
  }

  std::span<const Node> tuple(Node node, std::string_view key, size_t least) const {
    const Step& step = at(node);
    if (step.kind != StepKind::Tuple || step.count < least) fail(key, "a damaged tensor");
    return program_.operands_of(step);
  }

  int64_t integer(Node node, std::string_view key) const {
    if (at(node).kind != StepKind::Int) fail(key, "expected an integer in a tensor");
    return at(node).integer;
  }

  Dims dims(Node node, std::string_view key) const {
    Dims out;
    for (const Node item : tuple(node, key, 0)) out.push_back(integer(item, key));
    return out;
  }

  // _rebuild_parameter(tensor, …) or _rebuild_tensor_v2(storage, offset, sizes, strides, …).
  Tensor tensor(Node node, std::string_view key, int depth) {
    const Step& call = at(node);
    if (call.kind != StepKind::Call || depth > kMaxWrapping) fail(key, "is not a plain tensor");
    const auto operands = program_.operands_of(call);
    const auto [module, function] = pickle::split_global(at(operands[0]).text);
    if (module != "torch._utils") fail(key, "is not a plain tensor");
    if (function == "_rebuild_parameter" || function == "_rebuild_parameter_with_state")
      return tensor(tuple(operands[1], key, 1)[0], key, depth + 1);
    if (function != "_rebuild_tensor_v2") fail(key, "is not a plain tensor");
    const auto arguments = tuple(operands[1], key, 4);
    TensorMeta meta;
    StoragePtr storage = read_storage(arguments[0], key, meta.dtype);
    meta.sizes = dims(arguments[2], key);
    meta.strides = dims(arguments[3], key);
    if (meta.sizes.size() != meta.strides.size()) fail(key, "sizes and strides differ in rank");
    const int64_t offset = integer(arguments[1], key);
    try {
      check_in_bounds(meta, offset, storage->nbytes());
    } catch (const Error& error) {
      fail(key, error.what());
    }
    return Tensor(meta, storage, storage->data() + offset * item_size(meta.dtype));
  }

  // ("storage", torch.FloatStorage, key, location, number of elements)
  StoragePtr read_storage(Node node, std::string_view key, DType& dtype) {
    const Step& id = at(node);
    if (id.kind != StepKind::PersistentId) fail(key, "is not a plain tensor");
    const auto fields = tuple(program_.operands_of(id)[0], key, 3);
    const auto [module, type] = pickle::split_global(at(fields[1]).text);
    const StepKind kinds[] = {at(fields[1]).kind, at(fields[2]).kind};
    if (kinds[0] != StepKind::Global || kinds[1] != StepKind::Text || module != "torch")
      fail(key, "a damaged storage");
    bool found = false;
    for (const auto& [name, stored] : kStorages)
      if (name == type) found = true, dtype = stored;
    RL_CHECK(found, NotImplemented, name_, ": '", key, "': storages of type ", type,
             " are not supported");
    const std::string record = "data/" + std::string(at(fields[2]).text);
    StoragePtr& storage = storages_[record];
    if (!storage) storage = file_.read(record);
    storage = aligned(std::move(storage), item_size(dtype));
    return storage;
  }

  std::string name_;
  PyTorchFileReader file_;
  StoragePtr pickled_;
  pickle::Program program_;
  std::map<std::string, StoragePtr> storages_;
};

}  // namespace

void read_state_dict(const StoragePtr& contents, const std::string& name,
                     const std::set<std::string>& wanted,
                     std::map<std::string, Tensor, std::less<>>& weights) {
  if (contents->nbytes() > 0) StateDict(contents, name).read(wanted, weights);
}

}  // namespace rushlight::pt2
