// Program -> the JSON text of a PT2 model file; the mirror of pt2_model.h.
#pragma once

#include <string>

#include "runtime/pt2_model.h"

namespace rushlight::pt2 {

/// The schema that we write: the newest that torch 2.13 knows.
inline constexpr int64_t kWrittenSchema[] = {8, 20};

/// `program.graph` is plain ATen: it has no `kScatterView` (see passes/write_through_views.h).
/// `opset_version` adds to, and overrides, what `notes` says.
std::string write_model(const Program& program, const ModelNotes& notes,
                        const std::map<std::string, int64_t>& opset_version = {});

}  // namespace rushlight::pt2
