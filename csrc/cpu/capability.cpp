#include "capability.h"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "core/error.h"

namespace rushlight::cpu {
namespace {

#if defined(__x86_64__)
// Older compilers do not know the name "f16c" in __builtin_cpu_supports.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

Capability detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return Capability::AVX512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c())
    return Capability::AVX2;
#endif
  return Capability::Baseline;
}

Capability choose() {
  const Capability best = detect();
  const char* wanted = std::getenv("RUSHLIGHT_CPU_CAPABILITY");
  if (!wanted || !*wanted) return best;
  for (Capability c : {Capability::Baseline, Capability::AVX2, Capability::AVX512}) {
    if (capability_name(c) != wanted) continue;
    RL_CHECK(c <= best, Value, "RUSHLIGHT_CPU_CAPABILITY=", wanted, ": this CPU has only ",
             capability_name(best));
    return c;
  }
  RL_FAIL(Value, "RUSHLIGHT_CPU_CAPABILITY: expected baseline, avx2 or avx512, got '", wanted, "'");
}

}  // namespace

Capability capability() {
  static const Capability chosen = choose();
  return chosen;
}

std::string_view capability_name(Capability c) {
  constexpr std::string_view names[] = {"baseline", "avx2", "avx512"};
  return names[static_cast<int>(c)];
}

}  // namespace rushlight::cpu
