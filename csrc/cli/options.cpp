#include "cli/options.h"

#include <charconv>
#include <string_view>

#include "core/error.h"

namespace rushlight::cli {
namespace {

int parse_count(std::string_view option, std::string_view text, int least) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  RL_CHECK(error == std::errc() && end == text.data() + text.size() && value >= least, Value,
           option, ": expected a whole number from ", least, " on, got '", text, "'");
  return value;
}

}  // namespace

const char* const kUsage =
    R"(Runs a program that torch.export saved, without PyTorch and without Python.

Usage: rushlight-run MODEL.pt2 [--inputs FILE] [--output FILE.npz] [--threads N] [--repeat N] [--json]

  --inputs FILE       the inputs: an .npz file with an array for each input of the program, by name,
                      or an .npy file for a program with one input. An array called 'labels' that
                      is no input holds the right classes: the accuracy is shown.
  --output FILE.npz   write the outputs as output_0, output_1, …
  --threads N         use at most N threads (default: all cores)
  --repeat N          measure N calls after the first one (default: 10; 0 measures nothing)
  --json              print JSON instead of a table
  --version           print the version
)";

Options parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (!argument.starts_with('-')) {
      RL_CHECK(options.model.empty(), Value, "expected one model, got '", options.model, "' and '",
               argument, "'");
      options.model = argument;
      continue;
    }
    std::string_view value;
    bool attached = false;  // --threads=2
    if (const size_t equals = argument.find('='); equals != argument.npos) {
      value = argument.substr(equals + 1);
      argument = argument.substr(0, equals);
      attached = true;
    }
    if (argument == "--json" || argument == "--help" || argument == "-h" ||
        argument == "--version") {
      RL_CHECK(!attached, Value, argument, " takes no value");
      (argument == "--json"      ? options.json
       : argument == "--version" ? options.version
                                 : options.help) = true;
      continue;
    }
    const bool known = argument == "--inputs" || argument == "--output" ||
                       argument == "--threads" || argument == "--repeat";
    RL_CHECK(known, Value, "unknown option '", argument, "'; see rushlight-run --help");
    if (!attached) {
      RL_CHECK(i + 1 < argc, Value, argument, ": expected a value after it");
      value = argv[++i];
    }
    if (argument == "--inputs") options.inputs = value;
    if (argument == "--output") options.output = value;
    if (argument == "--threads") options.threads = parse_count(argument, value, 1);
    if (argument == "--repeat") options.repeat = parse_count(argument, value, 0);
  }
  RL_CHECK(options.help || options.version || !options.model.empty(), Value,
           "expected a model; see rushlight-run --help");
  return options;
}

}  // namespace rushlight::cli
