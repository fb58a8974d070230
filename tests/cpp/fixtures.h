// The programs in tests/data/pt2: each in both forms, with recorded inputs and outputs.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "test.h"

namespace rushlight::test {

/// Paths of all fixture archives, sorted.
inline std::vector<std::string> program_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(data_file("pt2")))
    if (entry.path().extension() == ".pt2") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace rushlight::test
