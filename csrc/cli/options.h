// The arguments of rushlight-run: those of `rushlight run` (src/rushlight/cli/run.py).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rushlight::cli {

struct Options {
  std::string model;
  std::string inputs;  // "" for a program without inputs
  std::string output;  // "" writes nothing
  std::optional<int> threads;
  std::optional<int> batch;
  int repeat = 10;
  std::vector<std::string> libraries;  // of custom operators, loaded first
  bool json = false;
  bool help = false;
  bool version = false;
};

/// Throws `UsageError` for arguments that do not make sense.
Options parse_options(int argc, char** argv);

extern const char* const kUsage;

}  // namespace rushlight::cli
