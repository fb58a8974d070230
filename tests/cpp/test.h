// A small test framework: every TEST registers itself; main.cpp runs them all.
//
//   TEST(crc32_of_nothing_is_zero) { EXPECT_EQ(crc32({}), 0u); }
#pragma once

#include <cmath>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace rushlight::test {

struct Test {
  const char* name;
  const char* file;
  void (*run)();
};
std::vector<Test>& all_tests();

/// Counts a failure of the running test and prints where it is.
void report_failure(const char* file, int line, const std::string& message);

struct Registration {
  explicit Registration(const Test& test) { all_tests().push_back(test); }
};

template <class T>
std::string show(const T& value) {
  if constexpr (requires(std::ostream& out) { out << value; }) {
    std::ostringstream out;
    out.precision(17);
    out << value;
    return out.str();
  } else {
    return "(a value without text)";
  }
}

// Functions, so that what an argument's temporaries own lives until the comparison is done.
template <class A, class B>
void expect_equal(const char* file, int line, const char* text, const A& actual,
                  const B& expected) {
  if (!(actual == expected))
    report_failure(file, line, text + (": expected " + show(expected)) + ", got " + show(actual));
}
inline void expect_near(const char* file, int line, const char* text, double actual,
                        double expected, double tolerance) {
  if (!(std::abs(actual - expected) <= tolerance))
    report_failure(file, line, text + (": expected " + show(expected)) + ", got " + show(actual));
}

/// Checks that `body` throws `Error` of `kind` whose message contains `part`.
void expect_error(const char* file, int line, const std::function<void()>& body, ErrorKind kind,
                  std::string_view part);

/// A directory of its own that is removed with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void write_file(const std::string& path, std::string_view contents);
std::string read_file(const std::string& path);
/// The path of a fixture in tests/data.
std::string data_file(const std::string& name);

}  // namespace rushlight::test

#define TEST(name)                                                  \
  static void test_##name();                                        \
  static const ::rushlight::test::Registration registration_##name{ \
      {#name, __FILE__, test_##name}};                              \
  static void test_##name()

#define EXPECT(...)                                                                    \
  do {                                                                                 \
    if (!(__VA_ARGS__))                                                                \
      ::rushlight::test::report_failure(__FILE__, __LINE__, #__VA_ARGS__ " is false"); \
  } while (0)

#define EXPECT_EQ(actual, expected) \
  ::rushlight::test::expect_equal(__FILE__, __LINE__, #actual, actual, expected)

/// |actual - expected| <= tolerance; NaN never passes.
#define EXPECT_NEAR(actual, expected, tolerance)                                           \
  ::rushlight::test::expect_near(__FILE__, __LINE__, #actual, static_cast<double>(actual), \
                                 static_cast<double>(expected), tolerance)

/// `kind` is an ErrorKind's name; `part` must occur in the message.
#define EXPECT_ERROR(expression, kind, part) \
  ::rushlight::test::expect_error(           \
      __FILE__, __LINE__, [&] { (void)(expression); }, ::rushlight::ErrorKind::kind, part)
