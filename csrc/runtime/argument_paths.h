// Where each input of a program is among the arguments it was exported with.
#pragma once

#include <string>
#include <vector>

#include "runtime/program.h"

namespace rushlight {

/// Names such as `images`, `batch['x']` or `pair[0]`, one for each user input, as
/// `rushlight.export` gives them. Empty when the calling convention is missing, or names
/// containers whose parts only Python can name.
std::vector<std::string> argument_paths(const Program& program);

}  // namespace rushlight
