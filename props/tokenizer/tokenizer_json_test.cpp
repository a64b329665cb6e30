// tokenizer.json: both spellings of merges, exactly SmolLM2's options, and everything else refused.
#include "tokenizer/tokenizer_json.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "props/rejection.hpp"
#include "props/tokenizer/smollm2.hpp"

namespace {

using namespace lawful;
using namespace lawful::tokenizer;
using Json = nlohmann::json;

/// A whole tokenizer.json over the bytes a and b.
Json small() {
  return Json::parse(R"({
    "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "post_processor": null,
    "added_tokens": [{"id": 3, "content": "<|end|>", "single_word": false, "lstrip": false, "rstrip": false,
                      "normalized": false, "special": true}],
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
      {"type": "Digits", "individual_digits": true},
      {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}]},
    "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
              "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
              "vocab": {"a": 0, "b": 1, "ab": 2, "<|end|>": 3}, "merges": [["a", "b"]]}
  })");
}

Tokenizer read(const Json& document) { return read_tokenizer_json(document.dump(), "t.json"); }
std::string refusal(const std::string& text) {
  return props::rejection([&] { read_tokenizer_json(text, "t.json"); });
}

/// The refusal of small() with the value at `path` set.
std::string with(const std::string& path, const Json& value) {
  Json document = small();
  document[Json::json_pointer(path)] = value;
  return refusal(document.dump());
}
std::string without(const std::string& parent, const std::string& key) {
  Json document = small();
  REQUIRE(document[Json::json_pointer(parent)].erase(key) == 1);
  return refusal(document.dump());
}

}  // namespace

TEST_CASE("a small tokenizer.json") {
  const Tokenizer tokenizer = read(small());
  CHECK(tokenizer.size() == 4);
  CHECK(tokenizer.encode("abba<|end|>") == std::vector<Id>{2, 1, 0, 3});
  CHECK(tokenizer.encode("<|end|>", Specials::plain).empty());
}

TEST_CASE("lengths to cut and fill to, as save_pretrained keeps them after use, change nothing") {
  Json used = small();
  used["truncation"] = {{"direction", "Right"}, {"max_length", 1}, {"strategy", "LongestFirst"}, {"stride", 0}};
  used["padding"] = {{"strategy", {{"Fixed", 8}}}, {"direction", "Left"}, {"pad_to_multiple_of", nullptr},
                     {"pad_id", 3}, {"pad_type_id", 0}, {"pad_token", "<|end|>"}};
  CHECK(read(used).encode("abba<|end|>") == read(small()).encode("abba<|end|>"));
}

TEST_CASE("both spellings of merges give the same table") {
  Json written = Json::parse(props::smollm2_json());
  for (Json& merge : written["model"]["merges"]) {
    merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
  }
  const Tokenizer tokenizer = read(written);
  const Vocabulary &a = tokenizer.vocabulary(), &b = props::smollm2().vocabulary();
  REQUIRE(a.size() == b.size());
  REQUIRE(a.merges().size() == b.merges().size());
  CHECK(a.merges().size() == 48900);
  std::size_t different = 0;
  for (Id id = 0; id < a.size(); ++id) different += a.bytes(id) != b.bytes(id) || a.kind(id) != b.kind(id);
  for (std::size_t i = 0; i < a.merges().size(); ++i) different += a.merges()[i].result != b.merges()[i].result;
  CHECK(different == 0);
}

TEST_CASE("escaped strings are the same strings") {
  const std::string escaped = Json::parse(props::smollm2_json()).dump(-1, ' ', true);
  CHECK(escaped.find("\\u0120") != std::string::npos);
  const Tokenizer tokenizer = read_tokenizer_json(escaped, "t.json");
  CHECK(tokenizer.encode(" Hello world\n") == props::smollm2().encode(" Hello world\n"));
}

TEST_CASE("an added token beyond the vocabulary") {
  Json document = small();
  document["model"]["vocab"].erase("<|end|>");
  CHECK(read(document).encode("a<|end|>") == std::vector<Id>{0, 3});
}

TEST_CASE("what may be left out or vary, as it changes nothing") {
  for (const char* key : {"version", "truncation", "padding", "normalizer", "post_processor"}) {
    CHECK(without("", key) == "");
  }
  for (const char* key : {"dropout", "unk_token", "fuse_unk", "byte_fallback", "ignore_merges"}) {
    CHECK(without("/model", key) == "");
  }
  CHECK(with("/pre_tokenizer/pretokenizers/1/trim_offsets", false) == "");
  CHECK(with("/model/continuing_subword_prefix", "") == "");
  CHECK(with("/post_processor", {{"type", "ByteLevel"}, {"trim_offsets", false}}) == "");
}

TEST_CASE("another option is refused, by its path") {
  const auto refused = [](const std::string& path, const Json& value, const std::string& words) {
    CAPTURE(path);
    CHECK(with(path, value) == "t.json: " + path + ": " + words);
  };
  refused("/version", "2.0", "expected one of [\"1.0\"], found \"2.0\"");
  refused("/truncation", 5, "expected null or an object, found 5");
  refused("/padding", Json::array(), "expected null or an object, found another structure");
  refused("/normalizer/type", "NFC", "expected no such value, found \"NFC\"");
  refused("/pre_tokenizer/type", "ByteLevel", "expected one of [\"Sequence\"], found \"ByteLevel\"");
  refused("/pre_tokenizer/pretokenizers/0/individual_digits", false, "expected one of [true], found false");
  refused("/pre_tokenizer/pretokenizers/0/type", "Punctuation", "expected one of [\"Digits\"], found \"Punctuation\"");
  refused("/pre_tokenizer/pretokenizers/1/add_prefix_space", true, "expected one of [false], found true");
  refused("/pre_tokenizer/pretokenizers/1/use_regex", false, "expected one of [true], found false");
  refused("/pre_tokenizer/pretokenizers/2/type", "Digits", "expected no such value, found \"Digits\"");
  refused("/post_processor/type", "BertProcessing",
          "expected one of [\"ByteLevel\", \"TemplateProcessing\"], found \"BertProcessing\"");
  refused("/decoder/type", "Metaspace", "expected one of [\"ByteLevel\"], found \"Metaspace\"");
  refused("/model/type", "Unigram", "expected one of [\"BPE\"], found \"Unigram\"");
  refused("/model/dropout", 0.1, "expected one of [null], found 0.1");
  refused("/model/unk_token", "<|end|>", "expected one of [null], found \"<|end|>\"");
  refused("/model/byte_fallback", true, "expected one of [false], found true");
  refused("/model/ignore_merges", true, "expected one of [false], found true");
  refused("/model/end_of_word_suffix", "</w>", "expected one of [null, \"\"], found \"</w>\"");
  refused("/model/surprise", 1, "expected no such value, found 1");
}

TEST_CASE("a number that no double holds") {
  std::string text = small().dump();
  text.replace(text.find("\"dropout\":null"), 14, "\"dropout\":1e999");
  CHECK(refusal(text) == "t.json: /model/dropout: expected one of [null], found <discarded>");
}

TEST_CASE("what must be there") {
  CHECK(without("", "pre_tokenizer") ==
        "t.json: /pre_tokenizer/type: expected one of [\"Sequence\"], found nothing");
  CHECK(without("", "decoder") == "t.json: /decoder/type: expected one of [\"ByteLevel\"], found nothing");
  CHECK(without("/model", "type") == "t.json: /model/type: expected one of [\"BPE\"], found nothing");
  CHECK(without("/model", "merges") == "t.json: merges: expected at least one, found none");
  CHECK(with("/model/merges", Json::array()) == "t.json: merges: expected at least one, found none");
  CHECK(props::contains(without("/model", "vocab"), "t.json: token"));
  CHECK(props::contains(without("", "model"), "expected one of"));
}

TEST_CASE("added tokens that do not match as they are written") {
  for (const char* option : {"single_word", "lstrip", "rstrip", "normalized"}) {
    CHECK(with(std::string("/added_tokens/0/") + option, true) ==
          std::string("t.json: added_tokens/0: /") + option + ": expected one of [false], found true");
  }
  CHECK(with("/added_tokens/0/special", false) ==
        "t.json: added_tokens/0: /special: expected one of [true], found false");
  CHECK(with("/added_tokens/0/id", 2) == "t.json: token id 2: expected one spelling, found two");
  CHECK(props::contains(with("/added_tokens/0/id", 1U << 30U), "token id 1073741824: expected an id below"));
  const std::string no_token = "t.json: added_tokens/0: expected an object with id and content, found another structure";
  CHECK(with("/added_tokens/0/id", -1) == no_token);
  CHECK(with("/added_tokens/0/content", 5) == no_token);
  CHECK(with("/added_tokens", 5) == "t.json: added_tokens: expected an array, found 5");
}

TEST_CASE("lists that are not what they must be") {
  CHECK(with("/model/vocab", 5) == "t.json: model.vocab: expected an object, found another value");
  CHECK(with("/model/vocab/a", "0") == "t.json: model.vocab: expected a number for each token, found another value");
  const std::string no_id = "t.json: model.vocab: expected a whole number for each token, found another value";
  CHECK(with("/model/vocab/a", 0.5) == no_id);
  CHECK(with("/model/vocab/a", -1) == no_id);
  CHECK(with("/model/vocab/a", 1) == "t.json: token id 1: expected one spelling, found two");
  CHECK(with("/model/vocab/a", 7) == "t.json: token 0: expected a spelling, found an empty one");
  CHECK(props::contains(with("/model/vocab/a", 1U << 31U), "token id 2147483648: expected an id below"));
  CHECK(with("/model/merges", 5) == "t.json: model.merges: expected an array, found another value");
  const std::string merge =
      "t.json: model.merges/0: expected [\"left\", \"right\"] or \"left right\", found another value";
  CHECK(with("/model/merges/0", 5) == merge);
  CHECK(with("/model/merges/0", {"a"}) == merge);
  CHECK(with("/model/merges/0", {"a", "b", "c"}) == merge);
  CHECK(with("/model/merges/0", {"a", {"b"}}) == merge);
  CHECK(props::contains(with("/model/merges/0", "a b c"), "merge 0: expected two tokens with one space between them"));
}

TEST_CASE("keys that occur twice") {
  CHECK(refusal(R"({"version": "1.0", "version": "1.0"})") == "t.json: expected each key once, found 'version' twice");
  CHECK(refusal(R"({"model": {"type": "BPE", "merges": [], "merges": []}})") ==
        "t.json: expected each key once, found 'merges' twice");
  CHECK(refusal(R"({"model": {"vocab": {}, "vocab": {}}})") == "t.json: expected each key once, found 'vocab' twice");
  std::string text = small().dump();
  text.replace(text.find("\"a\":0"), 5, "\"a\":0,\"a\":4");
  CHECK(refusal(text) == "t.json: token 4: expected a spelling of its own, found the spelling of token 0");
}

TEST_CASE("a file that is cut, deep, or no tokenizer.json") {
  const std::string text = small().dump();
  for (std::size_t length = 0; length < text.size(); ++length) {
    CAPTURE(length);
    CHECK(props::contains(refusal(text.substr(0, length)), "t.json: JSON at byte"));
  }
  CHECK(props::contains(refusal(std::string(100000, '[')), "at most 64 levels"));
  CHECK(props::contains(refusal("{\"model\":{\"vocab\":" + std::string(100000, '{')), "expected a key"));
  CHECK(props::contains(refusal("{\"model\":{\"merges\":" + std::string(100000, '[')), "merges/0"));
  CHECK(refusal("5") == "t.json: expected a JSON object, found 5");
  CHECK(refusal("[]") == "t.json: expected a JSON object, found another structure");
  CHECK(props::contains(refusal("{}"), "found nothing"));
  CHECK(props::contains(refusal("\xFF"), "valid UTF-8"));
}

TEST_CASE("a small file changed in one byte is refused or read, and never worse") {
  const std::string text = small().dump();
  std::size_t read_anyway = 0, refused = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char c : {'\0', '"', '{', ']', '9', '-', ',', 'x', '\\', '\x80'}) {
      std::string changed = text;
      changed[at] = c;
      ++(refusal(changed).empty() ? read_anyway : refused);
    }
  }
  CHECK(refused > 10 * read_anyway);
  CHECK(read_anyway > 0);
}
