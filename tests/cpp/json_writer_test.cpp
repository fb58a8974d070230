#include "runtime/json_writer.h"

#include <cmath>
#include <limits>

#include "runtime/json.h"
#include "test.h"

using namespace rushlight;
using json::JsonWriter;

TEST(json_writer_writes_compact_and_indented_text) {
  const auto build = [](int indent) {
    JsonWriter w(indent);
    w.begin_object();
    w.key("name").value("x").key("sizes").begin_array().value(1).value(int64_t{-2}).end_array();
    w.key("empty").begin_object().end_object().key("ok").value(true).key("none").null();
    w.end_object();
    return w.take();
  };
  EXPECT_EQ(build(0), R"({"name": "x", "sizes": [1, -2], "empty": {}, "ok": true, "none": null})");
  EXPECT_EQ(build(2), R"({
  "name": "x",
  "sizes": [
    1,
    -2
  ],
  "empty": {},
  "ok": true,
  "none": null
})");
}

TEST(json_writer_and_parser_agree_on_strings) {
  std::string text;
  for (int c = 0; c < 128; ++c) text += static_cast<char>(c);
  text += "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  std::string quoted;
  json::append_quoted(quoted, text);
  EXPECT_EQ(json::Document::parse(quoted).root().as_string(), text);
  std::string broken;
  json::append_quoted(broken, "a\xFFz");
  EXPECT_EQ(broken, "\"a\xEF\xBF\xBDz\"");
}

TEST(json_writer_and_parser_agree_on_doubles) {
  for (double d : {0.1, 1.0, -2.5e-300, 1e300, 5e-324, 1.0 / 3, 123456789.0, -0.0}) {
    const std::string text = JsonWriter().value(d).take();
    const auto document = json::Document::parse(text);
    EXPECT(document.root().kind() == json::Kind::Double);
    EXPECT_EQ(document.root().as_double(), d);
    EXPECT_EQ(std::signbit(document.root().as_double()), std::signbit(d));
  }
  EXPECT_EQ(JsonWriter().value(std::numeric_limits<double>::infinity()).take(), "\"Infinity\"");
  EXPECT_EQ(JsonWriter().value(-std::numeric_limits<double>::infinity()).take(), "\"-Infinity\"");
  EXPECT_EQ(JsonWriter().value(std::nan("")).take(), "\"NaN\"");
}

TEST(json_writer_catches_our_own_mistakes) {
  const auto throws = [](auto&& body) {
    try {
      body();
    } catch (const InternalError&) {
      return true;
    }
    return false;
  };
  EXPECT(throws([] { JsonWriter().begin_object().value(1); }));
  EXPECT(throws([] { JsonWriter().begin_array().key("a"); }));
  EXPECT(throws([] { JsonWriter().begin_array().end_object(); }));
  EXPECT(throws([] { (void)JsonWriter().begin_array().take(); }));
}
