// The ids and bytes that the `tokenizers` library gives.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "props/tokenizer/smollm2.hpp"
#include "tokenizer/detokenizer.hpp"
#include "io/utf8.hpp"

namespace {

using namespace lawful;
using namespace lawful::tokenizer;
using props::smollm2;

std::vector<nlohmann::json> rows(const std::string& path) {
  std::istringstream lines(props::file_text(path));
  std::vector<nlohmann::json> all;
  for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

std::string unhex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

}  // namespace

TEST_CASE("every reference text has the reference's ids, with special tokens parsed and plain") {
  // The second file is a sample of what reference/tokenizer_live.py compares (its --sample); the third has words in each
  // of 28 scripts (reference/script_texts.py).
  const std::pair<std::string, std::size_t> files[] = {
      {"tokenizer_cases", 2088}, {"tokenizer_sample", 1200}, {"tokenizer_scripts", 28}};
  for (const auto& [name, count] : files) {
    const auto all = rows("reference/values/" + name + ".jsonl");
    CHECK(all.size() == count);
    for (const auto& row : all) {
      CAPTURE(row.dump());
      const std::string text = row["text"];
      CHECK(smollm2().encode(text) == row["ids"].get<std::vector<Id>>());
      CHECK(smollm2().encode(text, Specials::plain) == row["ids_plain"].get<std::vector<Id>>());
    }
  }
}

TEST_CASE("every reference id sequence has the reference's bytes and text, whole and streamed") {
  const auto all = rows("reference/values/detokenizer_cases.jsonl");
  CHECK(all.size() == 300);
  for (const auto& row : all) {
    CAPTURE(row.dump());
    const auto ids = row["ids"].get<std::vector<Id>>();
    const std::string bytes = smollm2().decode(ids);
    CHECK(bytes == unhex(row["bytes_hex"]));
    CHECK(io::replace_invalid_utf8(bytes) == row["text"].get<std::string>());
    Detokenizer stream(smollm2());
    std::string streamed;
    for (const Id id : ids) streamed += stream.push(id);
    streamed += stream.finish();
    CHECK(streamed == bytes);
  }
}
