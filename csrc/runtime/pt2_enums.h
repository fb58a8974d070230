// The numbers that PT2 archives use for enumerations (torch/_export/serde/schema.py).
#pragma once

#include "core/tensor.h"
#include "runtime/json.h"

namespace rushlight::pt2 {

/// Throws naming the dtype for those the engine lacks (float8, unsigned 16 to 64 bits, complex32).
DType dtype_from_number(json::Value number);
MemoryFormat memory_format_from_number(json::Value number);

}  // namespace rushlight::pt2
