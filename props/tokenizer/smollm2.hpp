// SmolLM2's tokenizer for tests, out of the committed tokenizer.json. Tests run in the project's root.
#pragma once
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "tokenizer/tokenizer_json.hpp"

namespace lawful::props {

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline const std::string& smollm2_json() {
  static const std::string text = file_text("reference/values/tokenizer.json");
  return text;
}

inline const tokenizer::Tokenizer& smollm2() {
  static const tokenizer::Tokenizer it = tokenizer::read_tokenizer_json(smollm2_json(), "tokenizer.json");
  return it;
}

}  // namespace lawful::props
