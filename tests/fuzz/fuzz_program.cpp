// Loads any bytes as a program, and plans and runs what is accepted and small.
//
// An input that begins with "PK" is an archive as it is. Any other is the JSON of a model, then,
// after a zero byte each, those of the weights and of the constants: an archive is made of them,
// since changed bytes in an archive end at its checksums nearly always.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "core/error.h"
#include "input.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "runtime/crc32.h"
#include "runtime/model_runner.h"

using namespace rushlight;

namespace {

constexpr int64_t kMaxElements = 1 << 14;  // of all tensors of a program that is run

class Archive {
 public:
  void add(const std::string& name, std::string_view contents) {
    const uint32_t crc = crc32(std::as_bytes(std::span(contents)));
    std::string common;  // what local header and directory share
    for (uint16_t v : {20, 0, 0, 0, 33}) put(common, v);
    put(common, crc);
    put(common, static_cast<uint32_t>(contents.size()));
    put(common, static_cast<uint32_t>(contents.size()));
    put(common, static_cast<uint16_t>(name.size()));
    put(common, uint16_t{0});
    put(directory_, uint32_t{0x02014b50});
    put(directory_, uint16_t{20});
    directory_ += common;
    for (int i = 0; i < 3; ++i) put(directory_, uint16_t{0});
    put(directory_, uint32_t{0});
    put(directory_, static_cast<uint32_t>(bytes_.size()));
    directory_ += name;
    put(bytes_, uint32_t{0x04034b50});
    ((bytes_ += common) += name) += contents;
    ++count_;
  }
  std::string finish() {
    const auto offset = static_cast<uint32_t>(bytes_.size());
    bytes_ += directory_;
    put(bytes_, uint32_t{0x06054b50});
    put(bytes_, uint32_t{0});
    put(bytes_, count_);
    put(bytes_, count_);
    put(bytes_, static_cast<uint32_t>(directory_.size()));
    put(bytes_, offset);
    put(bytes_, uint16_t{0});
    return bytes_;
  }

 private:
  template <class T>
  static void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::string bytes_, directory_;
  uint16_t count_ = 0;
};

std::string archive_of(std::string_view text) {
  std::string_view parts[3];
  for (std::string_view& part : parts) {
    const size_t end = std::min(text.find('\0'), text.size());
    part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  Archive archive;
  archive.add("m/archive_format", "pt2");
  archive.add("m/archive_version", "0");
  archive.add("m/models/model.json", parts[0]);
  if (!parts[1].empty()) archive.add("m/data/weights/model_weights_config.json", parts[1]);
  if (!parts[2].empty()) archive.add("m/data/constants/model_constants_config.json", parts[2]);
  static const std::string data(2048, '\1');
  for (int i = 0; i < 12; ++i) {
    archive.add("m/data/weights/weight_" + std::to_string(i), data);
    archive.add("m/data/constants/tensor_" + std::to_string(i), data);
  }
  return archive.finish();
}

// A file in memory, the same for all executions.
std::string stored(std::string_view bytes) {
  static const int fd = memfd_create("fuzz", 0);
  if (ftruncate(fd, 0) != 0 ||
      pwrite(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    __builtin_trap();
  return "/proc/self/fd/" + std::to_string(fd);
}

std::optional<std::vector<RunValue>> make_inputs(const Program& program, const InputCheck& check) {
  std::vector<RunValue> inputs;
  int64_t elements = 0;
  for (size_t i : check.user_inputs()) {
    const InputSpec& spec = program.inputs[i];
    if (spec.value == kNoValue) {
      inputs.push_back({std::nullopt, spec.literal});
      continue;
    }
    const Value& value = program.graph.at(spec.value);
    if (value.type == ValueType::Tensor) {
      Dims sizes;
      for (const SymbolicSize& size : value.sizes)
        sizes.push_back(size.is_static() ? size.hint : std::clamp<int64_t>(size.hint, 1, 8));
      const int64_t n = checked_numel(sizes);
      if (n > kMaxElements || (elements += n) > kMaxElements) return std::nullopt;
      Tensor tensor = Tensor::empty(sizes, value.dtype);
      if (tensor.numel() > 0)  // no elements, no address
        std::memset(tensor.raw(), 0, static_cast<size_t>(tensor.nbytes()));
      inputs.push_back({std::move(tensor), {}});
    } else if (value.type == ValueType::Bool) {
      inputs.push_back({std::nullopt, true});
    } else {
      inputs.push_back({std::nullopt, int64_t{2}});
    }
  }
  return inputs;
}

bool is_small(const Plan& plan) {
  int64_t elements = 0;
  for (const SlotPlan& slot : plan.slots) {
    if (slot.place == Place::None || slot.place == Place::Dynamic) continue;
    const int64_t n = checked_numel(slot.meta.sizes);
    if (n > kMaxElements || (elements += n) > kMaxElements) return false;
  }
  return true;
}

void run(const std::shared_ptr<const Program>& program) {
  ModelRunner runner(program, 1);
  const auto inputs = make_inputs(*program, runner.inputs());
  if (!inputs || !is_small(*runner.plan(*inputs))) return;
  runner.run(*inputs);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto program = load_program(stored(text.starts_with("PK") ? text : archive_of(text)));
    // What the loader accepts keeps the rules of the graph.
    verify(program->graph);
    if (!equal(parse(print(program->graph)), program->graph)) __builtin_trap();
    run(program);
  } catch (const Error&) {
  }
  return 0;
}
