// The values that protocol 0 writes as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rushlight::pickle {

/// A Python 2 string literal with its quotes and escapes: the bytes it stands for.
std::string unquote(std::string_view literal);
/// Latin-1 with \uXXXX and \UXXXXXXXX escapes ("raw-unicode-escape"): as UTF-8.
std::string unescape(std::string_view text);
/// A number as Python's repr of a float gives it.
double parse_float(std::string_view text);
/// True for an optional sign and 1 to 4300 digits, the most that Python converts.
bool is_decimal(std::string_view text);
/// A memo index.
uint64_t parse_index(std::string_view text);

}  // namespace rushlight::pickle
