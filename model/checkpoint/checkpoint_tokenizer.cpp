// Apart from checkpoint.cpp: a program that reads weights only links without the tokenizer.
#include <fmt/format.h>

#include "io/bad_input.hpp"
#include "io/printable.hpp"
#include "model/checkpoint/checkpoint.hpp"
#include "tokenizer/tokenizer_json.hpp"

namespace lawful::model {

tokenizer::Tokenizer Checkpoint::tokenizer() const {
  auto read = [&]() -> tokenizer::Tokenizer {
    if (const auto* source = std::get_if<tokenizer::VocabularySource>(&contents_.tokenizer)) {
      return tokenizer::Tokenizer(*source);
    }
    if (const auto* json = std::get_if<TokenizerJson>(&contents_.tokenizer)) {
      return tokenizer::read_tokenizer_json(json->text, json->name);
    }
    io::reject(io::printable(path_), "a tokenizer.json beside the weights", "none");
  }();
  if (read.size() != shape().vocab) {
    io::reject(io::printable(path_) + ": tokenizer", fmt::format("{} tokens, as the vocabulary", shape().vocab),
               fmt::to_string(read.size()));
  }
  return read;
}

}  // namespace lawful::model
