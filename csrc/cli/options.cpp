#include "cli/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "cli/errors.h"
#include "core/error.h"

namespace rushlight::cli {
namespace {

constexpr int kMostThreads = 1024;
constexpr std::array<std::string_view, 4> kFlags = {"--json", "--help", "-h", "--version"};
constexpr std::array<std::string_view, 6> kValued = {"--inputs", "--output", "--threads",
                                                     "--repeat", "--batch",  "--library"};

template <class... Parts>
[[noreturn]] void usage(const Parts&... parts) {
  throw UsageError(detail::concat(parts...));
}

constexpr const char* kSeeHelp = " (see rushlight-run --help)";

int whole_number(std::string_view option, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    usage("argument ", option, ": invalid int value: '", text, "'", kSeeHelp);
  return value;
}

bool contains(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void set_flag(Options& options, std::string_view flag) {
  if (flag == "--json")
    options.json = true;
  else if (flag == "--version")
    options.version = true;
  else
    options.help = true;
}

void set_value(Options& options, std::string_view option, std::string_view value) {
  if (option == "--inputs")
    options.inputs = value;
  else if (option == "--output")
    options.output = value;
  else if (option == "--threads")
    options.threads = whole_number(option, value);
  else if (option == "--library")
    options.libraries.emplace_back(value);
  else if (option == "--batch")
    options.batch = whole_number(option, value);
  else
    options.repeat = whole_number(option, value);
}

void check(const Options& options) {
  if (options.model.empty()) usage("the following arguments are required: MODEL", kSeeHelp);
  if (options.repeat < 0 || (options.batch && *options.batch < 1))
    usage("--repeat takes 0 or more, --batch 1 or more");
  const std::string& output = options.output;
  if (!output.empty() && !output.ends_with(".npz") && !output.ends_with(".npy"))
    usage("--output: expected a name ending in .npz or .npy, got ", output);
  if (options.threads && (*options.threads < 1 || *options.threads > kMostThreads))
    usage("--threads: expected 1 to ", kMostThreads, ", got ", *options.threads);
}

}  // namespace

const char* const kUsage =
    R"(Runs a program that torch.export saved, without PyTorch and without Python, on arrays from a
file, and reports speed and, if the file has an array 'labels', accuracy.

Usage: rushlight-run MODEL [--inputs FILE] [--output FILE] [--json] [--threads N] [--repeat N]
                     [--batch N] [--library FILE]...

  MODEL          a .pt2 file
  --inputs FILE  the inputs: .npz with an array for each input, named as in the program's graph or
                 among forward's arguments, or .npy for a program with one input
  --output FILE  write the outputs as output_0, output_1, … (.npz, .npy)
  --json         print JSON instead of a table
  --threads N    use at most N threads (default: all cores)
  --repeat N     measure N passes over the inputs after the one that gives the outputs (default: 10;
                 0 measures nothing)
  --batch N      give the program at most N samples at once (default: as many as it takes)
  --library FILE a shared library of custom operators (rushlight/library.h); may be repeated
  --version      print the version
  -h, --help     print this text
)";

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (!argument.starts_with('-')) {
      if (!options.model.empty()) usage("unrecognized arguments: ", argument, kSeeHelp);
      options.model = argument;
      continue;
    }
    std::optional<std::string_view> value;  // --threads=2
    if (const size_t equals = argument.find('='); equals != argument.npos) {
      value = argument.substr(equals + 1);
      argument = argument.substr(0, equals);
    }
    if (contains(kFlags, argument)) {
      if (value)
        usage("argument ", argument, ": ignored explicit argument '", *value, "'", kSeeHelp);
      set_flag(options, argument);
      continue;
    }
    if (!contains(kValued, argument)) usage("unrecognized arguments: ", argv[i], kSeeHelp);
    if (!value && i + 1 < argc && !std::string_view(argv[i + 1]).starts_with("--"))
      value = argv[++i];
    if (!value) usage("argument ", argument, ": expected one argument", kSeeHelp);
    set_value(options, argument, *value);
  }
  if (!options.help && !options.version) check(options);
  return options;
}

}  // namespace rushlight::cli
