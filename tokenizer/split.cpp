#include "tokenizer/split.hpp"

#include "tokenizer/character_class.hpp"

namespace lawful::tokenizer {
namespace {

struct Character {
  CharacterClass kind;
  std::size_t length;  // in bytes
};

/// The character whose first byte, not ASCII, is text[at].
Character beyond_ascii(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[at + i])); };
  const char32_t first = byte(0);
  if (first < 0xE0) return {character_class((first & 0x1FU) << 6 | (byte(1) & 0x3FU)), 2};
  const char32_t low = (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
  if (first < 0xF0) return {character_class((first & 0x0FU) << 12 | low), 3};
  return {character_class((first & 0x07U) << 18 | low << 6 | (byte(3) & 0x3FU)), 4};
}

Character character_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {ascii_class[first], 1};
  return beyond_ascii(text, at);
}

/// The end of the run of characters of class `kind` that goes on at `at`.
std::size_t run_end(std::string_view text, std::size_t at, CharacterClass kind) {
  while (at < text.size()) {
    const Character c = character_at(text, at);
    if (c.kind != kind) break;
    at += c.length;
  }
  return at;
}

/// The length of the contraction ('s 't 're 've 'm 'll 'd) at `at`, where an apostrophe stands; 0 if there is none.
std::size_t contraction_length(std::string_view text, std::size_t at) {
  const std::string_view after = text.substr(at + 1, 2);
  if (after.empty()) return 0;
  switch (after[0]) {
    case 's': case 't': case 'm': case 'd': return 2;
    default: return after == "re" || after == "ve" || after == "ll" ? 3 : 0;
  }
}

/// The end of the piece of white space that begins at `begin`, where no " ?" alternative matches.
std::size_t space_end(std::string_view text, std::size_t begin) {
  std::size_t at = begin, last = begin;  // `last`: where the run's last character begins
  while (at < text.size()) {
    const Character c = character_at(text, at);
    if (c.kind != CharacterClass::space) {
      const bool one_character = last == begin;
      return c.kind == CharacterClass::numeric || one_character ? at : last;
    }
    last = at;
    at += c.length;
  }
  return at;
}

}  // namespace

std::size_t piece_end(std::string_view text, std::size_t begin) {
  const Character first = character_at(text, begin);
  const std::size_t second = begin + first.length;
  switch (first.kind) {
    case CharacterClass::numeric:
      return second;
    case CharacterClass::letter:
      return run_end(text, second, CharacterClass::letter);
    case CharacterClass::other: {
      const std::size_t contraction = text[begin] == '\'' ? contraction_length(text, begin) : 0;
      return contraction != 0 ? begin + contraction : run_end(text, second, CharacterClass::other);
    }
    case CharacterClass::space:
      break;
  }
  if (text[begin] == ' ' && second < text.size()) {
    const Character next = character_at(text, second);
    if (next.kind == CharacterClass::letter || next.kind == CharacterClass::other) {
      return run_end(text, second + next.length, next.kind);
    }
  }
  return space_end(text, begin);
}

}  // namespace lawful::tokenizer
