// Reads JSON strings, one a line, and writes their ids, one array a line: for comparisons from outside
// (reference/tokenizer_live.py, bench/tokenizer_compare.py).
//   tokenize_jsonl TOKENIZER_JSON parsed|plain < TEXTS > IDS
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "io/bad_input.hpp"
#include "props/tokenizer/smollm2.hpp"

int main(int count, char** arguments) {
  using namespace lawful;
  const std::string mode = count == 3 ? arguments[2] : "";
  if (mode != "parsed" && mode != "plain") {
    std::fputs("usage: tokenize_jsonl TOKENIZER_JSON parsed|plain < TEXTS > IDS\n", stderr);
    return 2;
  }
  try {
    const auto tokenizer = tokenizer::read_tokenizer_json(props::file_text(arguments[1]), arguments[1]);
    const auto specials = mode == "plain" ? tokenizer::Specials::plain : tokenizer::Specials::parsed;
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
      const auto ids = tokenizer.encode(nlohmann::json::parse(line).get_ref<const std::string&>(), specials);
      fmt::print("[{}]\n", fmt::join(ids, ","));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tokenize_jsonl: %s\n", error.what());
    return 2;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
