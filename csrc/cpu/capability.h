// Which instruction sets this process uses.
#pragma once

#include <cstdint>
#include <string_view>

namespace rushlight::cpu {

enum class Capability : uint8_t { Baseline, AVX2, AVX512 };

/// The best capability that both the CPU and this build have, lowered by the environment variable
/// RUSHLIGHT_CPU_CAPABILITY ("baseline", "avx2", "avx512"). Decided once; an unknown value or one
/// the CPU lacks throws `Error(Value)`.
Capability capability();

std::string_view capability_name(Capability c);

}  // namespace rushlight::cpu
