// Weights as PyTorch 2.6 to 2.8 stored them in `.pt2` files: a `.pt` file, which is a ZIP archive
// with a pickle of a dictionary and a record for each storage. The pickle is read as data: tensors
// are recognised by the calls that rebuild them, and nothing else is looked at.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/tensor.h"

namespace rushlight::pt2 {

/// Adds the `wanted` tensors of the `.pt` file `contents` to `weights`; `name` is what errors call
/// it. An empty file has none.
void read_state_dict(const StoragePtr& contents, const std::string& name,
                     const std::set<std::string>& wanted,
                     std::map<std::string, Tensor, std::less<>>& weights);

}  // namespace rushlight::pt2
