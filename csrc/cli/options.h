// The arguments of rushlight-run.
#pragma once

#include <string>

namespace rushlight::cli {

struct Options {
  std::string model;
  std::string inputs;  // "" for a program without inputs
  std::string output;  // "" writes nothing
  int threads = 0;
  int repeat = 10;
  bool json = false;
  bool help = false;
  bool version = false;
};

/// Throws `Error(Value)` for arguments that do not make sense.
Options parse_options(int argc, char** argv);

extern const char* const kUsage;

}  // namespace rushlight::cli
