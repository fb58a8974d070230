// The numbers that PT2 archives use for enumerations (torch/_export/serde/schema.py).
#pragma once

#include "core/tensor.h"
#include "runtime/json.h"

namespace rushlight::pt2 {

/// Throws naming the dtype for those the engine lacks (float8, unsigned 16 to 64 bits, complex32).
DType dtype_from_number(json::Value number);
MemoryFormat memory_format_from_number(json::Value number);
int64_t number_of(DType dtype);
int64_t number_of(MemoryFormat format);

/// The one layout there is here.
inline constexpr int64_t kStridedLayout = 7;

}  // namespace rushlight::pt2
