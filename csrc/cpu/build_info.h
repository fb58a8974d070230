// How this library was built and what it runs on, for reports.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rushlight::cpu {

/// Pairs of name and text: compiler, build, capabilities compiled and in use, BLAS.
std::vector<std::pair<std::string, std::string>> build_info();

}  // namespace rushlight::cpu
