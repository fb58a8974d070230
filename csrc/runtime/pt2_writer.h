// Writes PT2 archives, which torch.export.load and load_program open; the mirror of pt2_reader.cpp.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "runtime/byte_sink.h"
#include "runtime/program.h"

namespace rushlight {

struct NamedProgram {
  std::string name;  // "model" where there is one
  std::shared_ptr<const Program> program;
};

struct SaveOptions {
  /// Further records, in the archive's folder `extra`.
  std::map<std::string, std::string> extra_files;
  /// Versions of operator sets, to be written instead of the programs' own.
  std::map<std::string, int64_t> opset_version;
};

/// Writes the programs into one archive; equal programs give equal bytes. A program that was read
/// from a file is written as that had it, in-place operators included; any other as its pure
/// graph, with what it writes to buffers and inputs as outputs. Each storage is written once,
/// whole, and shared by the weights that share its memory. Throws `Error` for operators and
/// dtypes that the format or this engine lacks, before anything is written.
void save_programs(std::unique_ptr<ByteSink> sink, std::string archive_name,
                   std::span<const NamedProgram> programs, const SaveOptions& options = {});

/// The program without what its file said beyond the graph: saving it writes the pure graph.
std::shared_ptr<Program> pure_program(const Program& program);

}  // namespace rushlight
