// Two kinds of error. A user's mistake becomes `Error` and carries the Python exception type
// it maps to; a broken promise of our own becomes `InternalError` with file and line.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace rushlight {

enum class ErrorKind { Runtime, Type, Value, Index, Key, NotImplemented, OSError };

/// A mistake in what the caller passed or in the file they opened: what was expected, what came,
/// where.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// A bug in rushlight: the message names the source file and line.
class InternalError : public std::logic_error {
 public:
  InternalError(const char* file, int line, const std::string& message)
      : std::logic_error("internal error at " + std::string(file) + ":" + std::to_string(line) +
                         ": " + message) {}
};

namespace detail {
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}
}  // namespace detail

}  // namespace rushlight

/// Throws `Error` of the given kind unless `condition` holds; the remaining arguments are streamed.
#define RL_CHECK(condition, kind, ...)                                    \
  do {                                                                    \
    if (!(condition)) [[unlikely]]                                        \
      throw ::rushlight::Error(::rushlight::ErrorKind::kind,              \
                               ::rushlight::detail::concat(__VA_ARGS__)); \
  } while (0)

#define RL_FAIL(kind, ...) RL_CHECK(false, kind, __VA_ARGS__)

/// Throws `InternalError` unless our own invariant holds.
#define RL_ASSERT(condition, ...)                                                           \
  do {                                                                                      \
    if (!(condition)) [[unlikely]]                                                          \
      throw ::rushlight::InternalError(                                                     \
          __FILE__, __LINE__,                                                               \
          ::rushlight::detail::concat(#condition " is false " __VA_OPT__(, ) __VA_ARGS__)); \
  } while (0)
