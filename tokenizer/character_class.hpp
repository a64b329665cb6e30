// What pre-tokenization sees of a character: one of four classes.
#pragma once
#include <cstdint>

#include "tokenizer/unicode_table.hpp"

namespace lawful::tokenizer {

/// Classes of the reference tokenizer's Unicode version, newer than that of Debian's libraries.
/// `numeric` is what its Digits step isolates; `other` is [^\s\p{L}\p{N}].
enum class CharacterClass : std::uint8_t { other, letter, space, numeric };

/// The class of a Unicode scalar value.
constexpr CharacterClass character_class(char32_t c) {
  const std::uint64_t word = unicode::class_words[unicode::block_of[c >> 8] * 8U + ((c >> 5) & 7U)];
  return static_cast<CharacterClass>((word >> (2U * (c & 31U))) & 3U);
}

}  // namespace lawful::tokenizer
