// The token reader agrees with nlohmann-json on what is JSON and on what it says.
#include "io/json_reader.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/bad_input.hpp"
#include "props/property.hpp"
#include "props/rejection.hpp"

namespace {

using lawful::io::JsonReader;
using lawful::io::JsonToken;
using Events = std::vector<std::string>;

Events events(std::string_view text) {
  JsonReader in(text, "file");
  Events all;
  for (JsonToken token; (token = in.next()) != JsonToken::end;) {
    switch (token) {
      case JsonToken::object_begin: all.push_back("{"); break;
      case JsonToken::object_end: all.push_back("}"); break;
      case JsonToken::array_begin: all.push_back("["); break;
      case JsonToken::array_end: all.push_back("]"); break;
      case JsonToken::null: all.push_back("null"); break;
      case JsonToken::key: all.push_back("key " + std::string(in.text())); break;
      case JsonToken::string: all.push_back("string " + std::string(in.text())); break;
      case JsonToken::number: all.push_back(nlohmann::json::parse(in.text(), nullptr, false).dump()); break;
      default: all.emplace_back(in.text());
    }
  }
  return all;
}

/// The same, told by nlohmann-json's event interface.
struct Recorder : nlohmann::json_sax<nlohmann::json> {
  Events all;
  bool add(const std::string& s) { return all.push_back(s), true; }
  bool null() override { return add("null"); }
  bool boolean(bool b) override { return add(b ? "true" : "false"); }
  bool number_integer(std::int64_t n) override { return add(nlohmann::json(n).dump()); }
  bool number_unsigned(std::uint64_t n) override { return add(nlohmann::json(n).dump()); }
  bool number_float(double x, const std::string&) override { return add(nlohmann::json(x).dump()); }
  bool string(std::string& s) override { return add("string " + s); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return add("{"); }
  bool key(std::string& k) override { return add("key " + k); }
  bool end_object() override { return add("}"); }
  bool start_array(std::size_t) override { return add("["); }
  bool end_array() override { return add("]"); }
  bool too_large = false;  // a number beyond double, which is JSON all the same
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    too_large = error.id == 406;
    return false;
  }
};

std::string refusal(std::string_view text) {
  return lawful::props::rejection([&] { events(text); });
}

}  // namespace

TEST_CASE("the tokens of a text with one of everything") {
  CHECK(events(" {\"a\" : [1, -2.5e+3, true, false, null, \"x\"], \"\": {}, \"b\":[]} \n") ==
        Events{"{", "key a", "[", "1", "-2500.0", "true", "false", "null", "string x", "]", "key ", "{", "}", "key b",
               "[", "]", "}"});
  CHECK(events("7") == Events{"7"});
}

TEST_CASE("escapes, and views that stay good") {
  const std::string text = R"(["\"\\\/\b\f\n\r\t", "\u0041\u00e9\u4E00\ud83d\ude00", "plain", "a\u0000b"])";
  JsonReader in(text, "file");
  std::vector<std::string_view> views;
  for (JsonToken token; (token = in.next()) != JsonToken::end;) {
    if (token == JsonToken::string) views.push_back(in.text());
  }
  REQUIRE(views.size() == 4);
  CHECK(views[0] == "\"\\/\b\f\n\r\t");
  CHECK(views[1] == "A\u00e9\u4e00\U0001f600");
  CHECK(views[2] == "plain");
  CHECK(views[2].data() == text.data() + text.find("plain"));
  CHECK(views[3] == std::string_view("a\0b", 3));
}

TEST_CASE("the words of refusals") {
  CHECK(refusal("") == "file: JSON at byte 0: expected a value, found the end");
  CHECK(refusal("[1 2]") == "file: JSON at byte 3: expected ',' or ']', found byte 32");
  CHECK(refusal("{\"a\" 1}") == "file: JSON at byte 5: expected ':', found byte 31");
  CHECK(refusal("1 x") == "file: JSON at byte 2: expected the end, found byte 78");
  CHECK(refusal("\"\\ud800\"") == "file: JSON at byte 7: expected a pair of surrogates, found byte 22");
  CHECK(refusal("\"\xFF\"") == "file: expected valid UTF-8, found byte FF at offset 1");
}

TEST_CASE("64 levels and no more") {
  CHECK(events(std::string(64, '[') + std::string(64, ']')).size() == 128);
  CHECK(refusal(std::string(65, '[')) == "file: JSON at byte 64: expected at most 64 levels, found byte 5B");
}

TEST_CASE("JSON or not, and what it says: as nlohmann-json, on texts with bytes changed") {
  const std::string whole = R"({"a":[1,-2.5e3,0,"\u00e9\ud83d\ude00\n",true],"":{"b":null,"c":[[],{}]},"d":"x\\y"} )";
  const std::string bytes = "\"\\{}[]:,0123.-+eEutfnrl ad8\n";
  std::size_t same = 0, refused = 0;
  lawful::props::property("the same verdict and the same tokens", [&] {
    std::string text = whole;
    const int changes = *rc::gen::inRange(0, 4);
    for (int i = 0; i < changes; ++i) {
      const std::size_t at = *rc::gen::inRange<std::size_t>(0, text.size());
      const char c = *rc::gen::elementOf(bytes);
      switch (*rc::gen::inRange(0, 3)) {
        case 0: text[at] = c; break;
        case 1: text.insert(at, 1, c); break;
        default: text.erase(at, 1);
      }
    }
    Recorder recorder;
    const bool is_json = nlohmann::json::sax_parse(text, &recorder);
    if (recorder.too_large) RC_DISCARD("nlohmann-json stops here");
    RC_ASSERT(refusal(text).empty() == is_json);
    if (is_json) RC_ASSERT(events(text) == recorder.all);
    ++(is_json ? same : refused);
  }, 20000);
  CHECK(same > 2000);
  CHECK(refused > 2000);
}
