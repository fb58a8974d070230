// Pickles, and containers of PyTorch with a pickle inside.
#include "core/error.h"
#include "input.h"
#include "runtime/pickle.h"
#include "runtime/pytorch_file.h"

using namespace rushlight;

namespace {

// Everything that a run would rely on.
void check(const pickle::Program& program) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const pickle::Step& step = program.steps[i];
    for (const pickle::Node node : program.operands_of(step)) RL_ASSERT(node < i);
    if (step.kind == pickle::StepKind::Global) {
      const auto [module, name] = pickle::split_global(step.text);
      RL_ASSERT(!module.empty() && !name.empty());
    }
  }
  if (program.error.empty()) {
    RL_ASSERT(program.result < program.steps.size());
    RL_ASSERT(program.size > 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const StoragePtr held = fuzz::input(data, size);
  const std::span<const std::byte> bytes(held->data(), size);
  check(pickle::parse(bytes));
  try {
    const PyTorchFileReader reader(ZipArchive(bytes, held, "fuzz", {.max_inflated_size = 1 << 20}));
    reader.serialization_id();
    for (const std::string_view record : reader.records()) {
      const StoragePtr contents = reader.read(record);
      check(pickle::parse({contents->data(), contents->nbytes()}));
    }
  } catch (const Error&) {
  }
  return 0;
}
