#include "io/json.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "props/rejection.hpp"

namespace {

using lawful::props::contains;

nlohmann::json parsed(std::string_view text) { return lawful::io::parse_json(text, "file"); }

std::string refused(std::string_view text, lawful::io::JsonLimits limits = {}) {
  return lawful::props::rejection([&] { lawful::io::parse_json(text, "file", limits); });
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

}  // namespace

TEST_CASE("JSON is read as it is written") {
  const std::string text =
      R"({"a":[1,-2,3.5,true,false,null,"é\u00e9\ud83e\udd99",[],{}],"b":{"a":{"a":18446744073709551615}}})";
  CHECK(parsed(text) == nlohmann::json::parse(text));
  CHECK(parsed(" 3 ") == 3);
}

TEST_CASE("what is not one JSON value is refused with the place of the fault") {
  for (const auto* text : {"", " ", "{", "[1,", "[1,]", "{\"a\":}", "{\"a\" 1}", "{a:1}", "tru", "nul", "1 2", "{} {}",
                           "'a'", "\"a", "\"\\u12\"", "\"\\ud800\"", "01", "-", "1e", "NaN", "[1] // no", "\"\n\""}) {
    CAPTURE(text);
    CHECK(contains(refused(text), "file: expected JSON, found an error at byte "));
  }
  CHECK(contains(refused("\"\xff\""), "file: expected JSON, found an error at byte 2"));
  CHECK(contains(refused("\"\xed\xa0\x80\""), "expected JSON"));
  CHECK(contains(refused(std::string_view("\"a\0\"", 4)), "expected JSON"));
  CHECK(contains(refused("[1e999]"), "file: expected "));
}

TEST_CASE("a key twice in its object is refused, in different objects it is not") {
  CHECK(contains(refused(R"({"a":1,"a":1})"), "file: key 'a': expected once in its object, found it twice"));
  CHECK(contains(refused(R"({"x":{"a":1,"b":{"a":1},"\u0061":2}})"), "key 'a': expected once in its object"));
  CHECK(refused(R"([{"a":1},{"a":{"a":1}}])") == "");
}

TEST_CASE("nesting is bounded, however deep the text goes") {
  CHECK(refused(nested(64)) == "");
  CHECK(contains(refused(nested(65)), "file: expected at most 64 levels of nesting"));
  CHECK(contains(refused(std::string(100000, '[')), "file: expected at most 64 levels of nesting"));
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  CHECK(contains(refused(objects), "file: expected at most 64 levels of nesting"));
}

TEST_CASE("the size of the text is bounded") {
  CHECK(contains(refused("[1,2,3]", {6, 64}), "file: expected at most 6 bytes of JSON, found 7"));
  CHECK(refused("[1,2,3]", {7, 64}) == "");
}
