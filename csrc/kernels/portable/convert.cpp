#include "kernels/convert.h"

#include "core/error.h"
#include "cpu/capability.h"

namespace rushlight::kernels {

#define RL_DECLARE(capability)  \
  namespace capability {        \
  ConvertTable convert_table(); \
  }
RL_DECLARE(baseline)
RL_DECLARE(avx2)
RL_DECLARE(avx512)
#undef RL_DECLARE

namespace {

ConvertTable choose() {
  switch (cpu::capability()) {
    case cpu::Capability::AVX512:
#ifdef RL_HAVE_AVX512
      return avx512::convert_table();
#endif
    case cpu::Capability::AVX2:
#ifdef RL_HAVE_AVX2
      return avx2::convert_table();
#endif
    case cpu::Capability::Baseline:
#ifdef RL_HAVE_BASELINE
      return baseline::convert_table();
#endif
      break;
  }
  RL_FAIL(Runtime, "this build of rushlight has no kernels for the CPU capability ",
          cpu::capability_name(cpu::capability()));
}

}  // namespace

ConvertFn convert_fn(DType from, DType to) {
  static const ConvertTable table = choose();
  return table[static_cast<size_t>(from)][static_cast<size_t>(to)];
}

}  // namespace rushlight::kernels
