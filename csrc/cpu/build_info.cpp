#include "build_info.h"

#include <cblas.h>

#include "capability.h"

namespace rushlight::cpu {
namespace {

std::string compiled_capabilities() {
  std::string out;
#ifdef RL_HAVE_BASELINE
  out += "baseline ";
#endif
#ifdef RL_HAVE_AVX2
  out += "avx2 ";
#endif
#ifdef RL_HAVE_AVX512
  out += "avx512 ";
#endif
  if (!out.empty()) out.pop_back();
  return out;
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "gcc " __VERSION__;
#else
  return "unknown";
#endif
}

std::string build_type() {
#if defined(__SANITIZE_ADDRESS__)
  return "sanitized";
#elif defined(NDEBUG)
  return "release";
#else
  return "debug";
#endif
}

}  // namespace

std::vector<std::pair<std::string, std::string>> build_info() {
  return {{"compiler", compiler()},
          {"build_type", build_type()},
          {"capabilities", compiled_capabilities()},
          {"cpu_capability", std::string(capability_name(capability()))},
          {"blas", scipy_openblas_get_config()},
          {"blas_core", scipy_openblas_get_corename()}};
}

}  // namespace rushlight::cpu
