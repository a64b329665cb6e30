#include "model/checkpoint/spelled_vocabulary.hpp"

#include <array>

#include "tokenizer/byte_alphabet.hpp"

namespace lawful::model {
namespace {

/// The character of the byte alphabet that stands for each byte, in UTF-8. They lie below U+0800: two bytes at most.
std::array<std::string, 256> spelling_of_bytes() {
  std::array<std::string, 256> spelling;
  for (std::size_t character = 0; character < tokenizer::byte_of_character.size(); ++character) {
    const auto byte = tokenizer::byte_of_character[character];
    if (byte == tokenizer::not_in_alphabet) continue;
    std::string& utf8 = spelling[static_cast<std::size_t>(byte)];
    if (character >= 0x80) utf8 += static_cast<char>(0xC0U | (character >> 6U));
    utf8 += static_cast<char>(character < 0x80 ? character : 0x80U | (character & 0x3FU));
  }
  return spelling;
}

}  // namespace

SpelledVocabulary spell(const tokenizer::Vocabulary& vocabulary) {
  const auto spelling = spelling_of_bytes();
  SpelledVocabulary spelled;
  for (tokenizer::Id id = 0; id < vocabulary.size(); ++id) {
    spelled.kinds.push_back(vocabulary.kind(id));
    std::string& token = spelled.tokens.emplace_back();
    if (vocabulary.kind(id) == tokenizer::TokenKind::control) token = vocabulary.bytes(id);
    else for (const char byte : vocabulary.bytes(id)) token += spelling[static_cast<unsigned char>(byte)];
  }
  for (const auto& merge : vocabulary.merges()) {
    spelled.merges.emplace_back(spelled.tokens[merge.left], spelled.tokens[merge.right]);
  }
  return spelled;
}

}  // namespace lawful::model
