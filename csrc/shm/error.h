// Failures of system calls: what was being done, with numbers, and errno.
#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>

namespace rushlight::shm {

class SystemError : public std::runtime_error {
 public:
  SystemError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

[[noreturn]] inline void fail(int code, const std::string& message) {
  throw SystemError(code, message);
}

}  // namespace rushlight::shm
