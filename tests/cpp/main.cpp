// Runs the C++ tests; arguments are parts of names to select some of them.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>

#include "test.h"

namespace rushlight::test {
namespace {

int failures = 0;  // of the running test; tests run one after another in one thread

}  // namespace

std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}

void report_failure(const char* file, int line, const std::string& message) {
  constexpr int kShown = 20;
  if (++failures <= kShown) std::cerr << file << ':' << line << ": " << message << '\n';
  if (failures == kShown) std::cerr << "(further failures of this test are not shown)\n";
}

void expect_error(const char* file, int line, const std::function<void()>& body, ErrorKind kind,
                  std::string_view part) {
  try {
    body();
  } catch (const Error& error) {
    if (error.kind() != kind)
      report_failure(file, line, std::string("an error of another kind: ") + error.what());
    if (std::string_view(error.what()).find(part) == std::string_view::npos)
      report_failure(file, line,
                     "expected an error with \"" + std::string(part) + "\", got: " + error.what());
    return;
  } catch (const std::exception& error) {
    report_failure(file, line, std::string("not an Error: ") + error.what());
    return;
  }
  report_failure(file, line, "expected an error with \"" + std::string(part) + "\", got none");
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "rushlight-test-XXXXXX").string();
  RL_CHECK(::mkdtemp(name.data()), OSError,
           "cannot make a temporary directory: ", std::strerror(errno));
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::string& path, std::string_view contents) {
  std::ofstream file(path, std::ios::binary);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  RL_CHECK(file.flush(), OSError, "cannot write '", path, "'");
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  RL_CHECK(file, OSError, "cannot read '", path, "'");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string data_file(const std::string& name) {
  return std::string(RUSHLIGHT_TEST_DATA) + "/" + name;
}

}  // namespace rushlight::test

int main(int argc, char** argv) {
  using namespace rushlight::test;
  const auto selected = [&](const Test& test) {
    return argc == 1 || std::any_of(argv + 1, argv + argc, [&](const char* part) {
             return std::strstr(test.name, part) || std::strstr(test.file, part);
           });
  };
  int run = 0, failed = 0;
  for (const Test& test : all_tests()) {
    if (!selected(test)) continue;
    ++run;
    failures = 0;
    try {
      test.run();
    } catch (const std::exception& error) {
      report_failure(test.file, 0, std::string("unexpected exception: ") + error.what());
    }
    if (failures) {
      ++failed;
      std::cerr << "FAILED " << test.name << '\n';
    }
  }
  std::cout << run - failed << " of " << run << " tests passed\n";
  if (run == 0) std::cerr << "no test is selected\n";
  return failed || run == 0;
}
