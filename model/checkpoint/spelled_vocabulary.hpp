// A vocabulary in the spelling that model files hold: the inverse of reading one.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tokenizer/vocabulary.hpp"

namespace lawful::model {

struct SpelledVocabulary {
  std::vector<std::string> tokens;  ///< by id; normal ones in GPT-2's byte alphabet
  std::vector<tokenizer::TokenKind> kinds;
  std::vector<std::pair<std::string, std::string>> merges;  ///< by rank
};

SpelledVocabulary spell(const tokenizer::Vocabulary& vocabulary);

}  // namespace lawful::model
