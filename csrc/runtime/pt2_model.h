// The model file of a PT2 archive: JSON -> Program. The archive around it is pt2_reader.cpp's part.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/program.h"
#include "runtime/pt2_graph.h"

namespace rushlight::pt2 {

/// What the file says and only its writer needs. Views of the text.
struct ModelNotes {
  std::vector<NodeNote> node_metadata;
  /// The graph has graphs inside, which reading changes: the text itself is what to write.
  bool verbatim = false;
  std::string_view module_call_graph;  // a JSON array
  std::string_view guards_code;        // a JSON array, or ""
  std::vector<std::string> verifiers;
};

struct ParsedModel {
  /// As the file has it: in-place operators included, weights not read.
  Program program;
  ModelNotes notes;
};

/// Throws `Error` for text that is no model of a schema we read; `name` is what errors call it.
ParsedModel parse_model(std::string_view text, const std::string& name);

}  // namespace rushlight::pt2
