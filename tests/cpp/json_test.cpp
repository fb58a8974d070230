#include "runtime/json.h"

#include <cmath>
#include <limits>

#include "test.h"

using namespace rushlight;
using namespace rushlight::test;
using json::Document;
using json::Kind;

namespace {

/// The text must outlive the document, so both travel together.
struct Parsed {
  std::string text;
  Document document;
  explicit Parsed(std::string t, json::ParseOptions options = {})
      : text(std::move(t)), document(Document::parse(text, std::move(options))) {}
  json::Value root() const { return document.root(); }
  json::Value operator[](std::string_view key) const { return root()[key]; }
};

void expect_invalid(std::string_view text, std::string_view part) {
  EXPECT_ERROR(Document::parse(text, {.name = "m.json"}), Value, part);
}

}  // namespace

TEST(json_reads_every_kind) {
  const Parsed parsed(
      R"( {"n": null, "t": true, "f": false, "i": -12, "d": 2.5, "s": "x", "a": [1, [], {}], "o": {"k": 1}} )");
  EXPECT(parsed["n"].is_null());
  EXPECT_EQ(parsed["t"].as_bool(), true);
  EXPECT_EQ(parsed["f"].as_bool(), false);
  EXPECT_EQ(parsed["i"].as_int(), -12);
  EXPECT_EQ(parsed["i"].as_double(), -12.0);
  EXPECT_EQ(parsed["d"].as_double(), 2.5);
  EXPECT_EQ(parsed["s"].as_string(), "x");
  EXPECT_EQ(parsed["a"].size(), 3u);
  EXPECT_EQ(parsed["a"][size_t{0}].as_int(), 1);
  EXPECT_EQ(parsed["a"][1].size(), 0u);
  EXPECT(parsed["a"][2].is_object());
  EXPECT_EQ(parsed["o"]["k"].as_int(), 1);
  EXPECT(!parsed.root().find("missing"));
  std::string keys;
  for (const auto& [key, value] : parsed.root().members()) keys += key;
  EXPECT_EQ(keys, "ntfidsao");
  size_t count = 0;
  for (json::Value value : parsed["a"].elements()) count += value.kind() != Kind::Null;
  EXPECT_EQ(count, 3u);
}

TEST(json_keeps_integers_exact) {
  const Parsed parsed(
      "[9223372036854775807, -9223372036854775808, 9007199254740993, 0, -0, 9223372036854775808, "
      "-9223372036854775809, 123456789012345678901234567890]");
  const int64_t expected[] = {INT64_MAX, INT64_MIN, 9007199254740993, 0, 0};
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(parsed.root()[i].as_int(), expected[i]);
  EXPECT_EQ(parsed.root()[5].as_double(), 9223372036854775808.0);
  EXPECT_EQ(parsed.root()[7].as_double(), 123456789012345678901234567890.0);
  EXPECT_ERROR(parsed.root()[6].as_int(), Value, "[6]: expected integer, got number");
}

TEST(json_reads_doubles_to_the_last_bit) {
  const Parsed parsed(
      "[0.1, 1e3, 1E-3, -2.5e+2, 5e-324, 1.7976931348623157e308, 1e-400, -1e-400, 0e999]");
  const double expected[] = {0.1, 1000, 0.001, -250, 5e-324, 1.7976931348623157e308, 0, -0.0, 0};
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(parsed.root()[i].as_double(), expected[i]);
    EXPECT_EQ(std::signbit(parsed.root()[i].as_double()), std::signbit(expected[i]));
  }
  EXPECT_EQ(Parsed("0." + std::string(400, '0') + "1").root().as_double(), 0.0);
  EXPECT_EQ(Parsed("0." + std::string(400, '0') + "1e401").root().as_double(), 1.0);
  EXPECT_EQ(Parsed("1" + std::string(400, '0') + "e-400").root().as_double(), 1.0);
  EXPECT_EQ(Parsed("1e-99999999999999999999").root().as_double(), 0.0);
  for (const std::string& text :
       {std::string("1e400"), std::string("-1e400"), "1" + std::string(400, '0'),
        std::string("1e99999999999999999999")})
    expect_invalid(text, "outside the range of double precision");
}

TEST(json_reads_named_doubles) {
  const Parsed parsed(R"(["Infinity", "-Infinity", "NaN", 1, "1"])");
  EXPECT_EQ(parsed.root()[size_t{0}].as_double_or_named(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parsed.root()[1].as_double_or_named(), -std::numeric_limits<double>::infinity());
  EXPECT(std::isnan(parsed.root()[2].as_double_or_named()));
  EXPECT_EQ(parsed.root()[3].as_double_or_named(), 1.0);
  EXPECT_ERROR(parsed.root()[4].as_double_or_named(), Value,
               "[4]: expected number, got string \"1\"");
}

TEST(json_shares_plain_strings_and_replaces_escapes) {
  const Parsed parsed(
      R"({"plain": "abc", "esc\u0061pe": "\"\\\/\b\f\n\r\t\u00e9\u20ac\ud83d\ude00\u0000end"})");
  const std::string_view plain = parsed["plain"].as_string();
  EXPECT(plain.data() >= parsed.text.data() &&
         plain.data() < parsed.text.data() + parsed.text.size());
  EXPECT_EQ(parsed["escape"].as_string(),
            std::string_view("\"\\/\b\f\n\r\t\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\0end", 21));
}

TEST(json_validates_strings) {
  for (const char* text :
       {R"("\ud83d")", R"("\ud83dx")", R"("\ude00")", R"("\ud83d\u0041")", R"("\ud83d\ud83d")"})
    expect_invalid(text, "unpaired surrogate");
  for (const char* text : {R"("\u12")", R"("\u12g4")", R"("\u")",
                           R"("\u123)"
                           "\""})
    expect_invalid(text, "four hexadecimal digits");
  expect_invalid(R"("\x")", "unknown escape");
  expect_invalid("\"a\nb\"", "control character");
  expect_invalid(std::string("\"a\0b\"", 5), "control character");
  for (const char* bytes : {"\x80", "\xC0\xAF", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80",
                            "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xFF", "\xE2\x82"})
    expect_invalid(std::string("\"") + bytes + "\"", "not valid UTF-8");
  EXPECT_EQ(Parsed("\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"").root().as_string(),
            "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST(json_finds_special_bytes_at_every_position) {
  for (size_t before = 0; before < 40; ++before)
    for (size_t after = 0; after < 20; ++after) {
      const std::string head(before, 'a'), tail(after, 'b');
      EXPECT_EQ(Parsed("\"" + head + "\\n" + tail + "\"").root().as_string(), head + "\n" + tail);
      expect_invalid("\"" + head + "\x01" + tail + "\"", "control character");
    }
}

TEST(json_refuses_every_truncation) {
  const std::string text =
      R"({"a": [1.5e3, true, null, "x\"\u00e9"], "b": {"c": false}, "metadata": {"d": [1]}})";
  const std::string_view skip[] = {"metadata"};
  for (size_t size = 0; size < text.size(); ++size)
    for (size_t skipped = 0; skipped < 2; ++skipped)
      EXPECT_ERROR(Document::parse(std::string_view(text).substr(0, size),
                                   {.skip_keys = std::span(skip, skipped)}),
                   Value, "invalid JSON at line 1");
}

TEST(json_names_the_place_of_a_mistake) {
  expect_invalid("{\n  \"a\": tru\n}",
                 "m.json: invalid JSON at line 2, column 8 (byte 9): expected a value, got 't'");
  expect_invalid("[1, 2", "expected ',' or ']', but the text ends");
  expect_invalid("[1 2]", "expected ',' or ']', got '2'");
  expect_invalid("[1,]", "expected a value, got ']'");
  expect_invalid("{\"a\" 1}", "expected ':', got '1'");
  expect_invalid("{a: 1}", "expected a string as key, got 'a'");
  expect_invalid("{\"a\": 1,}", "expected a string as key, got '}'");
  expect_invalid("1 2", "expected the end, got '2'");
  expect_invalid("", "expected a value, but the text ends");
  expect_invalid("\xEF\xBB\xBF{}", "expected a value, got byte 239");
  expect_invalid("NaN", "expected a value, got 'N'");
  expect_invalid("01", "superfluous 0");
  expect_invalid("-", "expected a digit");
  expect_invalid("1.", "expected a digit");
  expect_invalid("1e+", "expected a digit");
  expect_invalid("+1", "expected a value");
}

TEST(json_refuses_duplicate_keys) {
  expect_invalid(R"({"a": 1, "b": 2, "a": 3})", "has the key \"a\" twice");
  expect_invalid(R"({"a": 1, "\u0061": 3})", "has the key \"a\" twice");
  expect_invalid(R"({"": 1, "": 3})", "has the key \"\" twice");
  std::string large = "{";
  for (int i = 0; i < 100; ++i) large += "\"key" + std::to_string(i) + "\": 0, ";
  expect_invalid(large + "\"key57\": 1}", "has the key \"key57\" twice");
}

TEST(json_finds_members_of_large_objects) {
  std::string text = "{\"inner\": {\"x\": 1}";
  for (int i = 0; i < 1000; ++i)
    text += ", \"key" + std::to_string(i) + "\": [" + std::to_string(i) + "]";
  const Parsed parsed(text + "}");
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(parsed["key" + std::to_string(i)][size_t{0}].as_int(), i);
  EXPECT(!parsed.root().find("key1000"));
  EXPECT(!parsed.root().find(""));
  EXPECT_EQ(parsed["key999"].path(), "key999");
  EXPECT_EQ(parsed["inner"]["x"].path(), "inner.x");
}

TEST(json_limits_depth_and_size) {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '[') +
           std::string(static_cast<size_t>(depth), ']');
  };
  EXPECT(Parsed(nested(256)).root().is_array());
  expect_invalid(nested(257), "nested deeper than 256 levels");
  expect_invalid(std::string(1'000'000, '['), "nested deeper than 256 levels");
  EXPECT_ERROR(Document::parse(nested(4), {.max_depth = 3}), Value, "nested deeper than 3");
  EXPECT_ERROR(Document::parse("[1, 2]", {.max_bytes = 5}), Value, "has 6 bytes, the limit is 5");
}

TEST(json_accessors_name_path_and_kinds) {
  const Parsed parsed(
      R"({"graph_module": {"graph": {"nodes": [{}, {}, {}, {"target": 5}]}}, "a b": {"c": [1]}})",
      {.name = "model.json"});
  const json::Value node = parsed["graph_module"]["graph"]["nodes"][3];
  EXPECT_ERROR(node["target"].as_string(), Value,
               "model.json: graph_module.graph.nodes[3].target: expected string, got integer");
  EXPECT_ERROR(node["inputs"], Value, "graph_module.graph.nodes[3]: key \"inputs\" is missing");
  EXPECT_ERROR(parsed["a b"]["c"].as_bool(), Value, "[\"a b\"].c: expected boolean, got array");
  EXPECT_ERROR(parsed["a b"]["c"][1], Value, "[\"a b\"].c: expected over 1 elements, got 1");
  EXPECT_ERROR(parsed.root().elements(), Value, "model.json: expected array, got object");
  EXPECT_ERROR(node["target"].members(), Value, "expected object, got integer");
  EXPECT_ERROR(node["target"].size(), Value, "expected array or object, got integer");
  EXPECT_ERROR(node["target"].fail("dtype 99 is unknown"), Value,
               "model.json: graph_module.graph.nodes[3].target: dtype 99 is unknown");
}

TEST(json_skips_members) {
  const std::string_view skip[] = {"metadata"};
  const std::string inner = R"({"stack": "a ] } \" \\", "x": [[{"y": "}"}], "[\\\""]})";
  const Parsed parsed(R"({"nodes": [{"metadata": )" + inner +
                          R"(, "b": 1}, {"metadata": "s\"}", "b": 2}], "metadata": 7})",
                      {.skip_keys = skip});
  const json::Value first = parsed["nodes"][size_t{0}];
  EXPECT_EQ(first["metadata"].skipped_text(), inner);
  EXPECT_EQ(first["b"].as_int(), 1);
  EXPECT_EQ(parsed["nodes"][1]["metadata"].skipped_text(), R"("s\"}")");
  EXPECT_EQ(parsed["nodes"][1]["b"].as_int(), 2);
  EXPECT_EQ(parsed["metadata"].skipped_text(), "7");
  EXPECT_EQ(Document::parse(first["metadata"].skipped_text()).root()["x"].size(), 2u);
  EXPECT_ERROR(first["metadata"].as_string(), Value, "expected string, got skipped value");
}

TEST(json_skips_correctly_at_every_block_position) {
  const std::string_view skip[] = {"m"};
  for (size_t padding = 0; padding < 140; ++padding) {
    const std::string inner = "{\"k\": [\"" + std::string(padding, '\\') +
                              (padding % 2 ? "\\" : "") + "]}\", " + std::string(padding, ' ') +
                              "[{}]]}";
    const Parsed parsed("{\"m\": " + inner + ", \"after\": 1}", {.skip_keys = skip});
    EXPECT_EQ(parsed["m"].skipped_text(), inner);
    EXPECT_EQ(parsed["after"].as_int(), 1);
  }
  EXPECT_ERROR(Document::parse("{\"m\": [" + std::string(200, '['), {.skip_keys = skip}), Value,
               "the array that begins at byte 6 is not closed");
}
