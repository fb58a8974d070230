// What ends the program with another status than 1.
#pragma once

#include <stdexcept>

namespace rushlight::cli {

/// The command line asks for something that makes no sense (exit status 2).
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rushlight::cli
