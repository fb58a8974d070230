// The two JSON literals that need conversion: escaped strings and numbers with fraction or
// exponent.
#pragma once

#include <optional>
#include <string_view>

namespace rushlight::json {

struct Unescaped {
  char* end = nullptr;            // behind the last byte written
  const char* problem = nullptr;  // null when all is well
  const char* where = nullptr;    // the escape that has the problem
};

/// Replaces the escapes of `raw` (what stands between the quotes, already known to be UTF-8),
/// writing at most `raw.size()` bytes to `out`.
Unescaped unescape(std::string_view raw, char* out);

/// The double nearest to `literal`, which follows JSON's grammar. Too small a number becomes a
/// zero; nothing is returned for one beyond the largest double.
std::optional<double> to_double(std::string_view literal);

}  // namespace rushlight::json
