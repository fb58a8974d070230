#include "pipeline.h"

#include <cstdlib>

#include "ir/verify.h"

namespace rushlight {

std::span<const Pass> pipeline() {
  static constexpr Pass passes[] = {
      {"decompose", decompose},            // composite operators become their expression
      {"fold_constants", fold_constants},  // what depends on weights and literals only
      {"remove_dead_code", remove_dead_code},
  };
  return passes;
}

void verify_prepared(const PreparedGraph& prepared, const std::string& when) {
  std::vector<ValueId> given;
  for (const auto& [value, tensor] : prepared.constants) given.push_back(value);
  for (const auto& [value, number] : prepared.numbers) given.push_back(value);
  try {
    verify(prepared.graph, given);
  } catch (const Error& error) {
    throw InternalError(__FILE__, __LINE__, when + ": " + error.what());
  }
}

void run_pipeline(PreparedGraph& prepared) {
  const char* wanted = std::getenv("RUSHLIGHT_VERIFY");
  const bool check = wanted && std::string_view(wanted) == "1";
  if (check) verify_prepared(prepared, "before the first pass");
  for (const Pass& pass : pipeline()) {
    pass.run(prepared);
    if (check) verify_prepared(prepared, std::string("after the pass ") + pass.name);
  }
}

}  // namespace rushlight
