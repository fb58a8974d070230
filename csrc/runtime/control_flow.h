// What the operators of ir/control_flow.h do.
#pragma once

#include "runtime/regions.h"

namespace rushlight {

std::vector<RunValue> run_control_flow(const ControlFlowOp& op, const std::vector<Region>& regions,
                                       const RunGroups& operands);

/// Outputs as far as sizes tell; see `Regions::infer`.
std::vector<std::optional<TensorMeta>> infer_control_flow(const ControlFlowOp& op,
                                                          const std::vector<Region>& regions,
                                                          const RunGroups& operands);

}  // namespace rushlight
