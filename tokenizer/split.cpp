#include "tokenizer/split.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "tokenizer/character_class.hpp"

namespace lawful::tokenizer {
namespace {

/// By first byte: the CharacterClass of an ASCII character, or `beyond_ascii`.
constexpr std::uint8_t beyond_ascii = 4;
constexpr auto class_of_byte = [] {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned c = 0; c < 256; ++c) {
    classes[c] = c < 128 ? static_cast<std::uint8_t>(character_class(c)) : beyond_ascii;
  }
  return classes;
}();

struct Character {
  CharacterClass kind;
  unsigned length;  // in bytes
};

/// The character at `at` whose first byte is not ASCII.
Character long_character(const char* at) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(at[i])); };
  const char32_t first = byte(0);
  if (first < 0xE0) return {character_class((first & 0x1FU) << 6 | (byte(1) & 0x3FU)), 2};
  const char32_t low = (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
  if (first < 0xF0) return {character_class((first & 0x0FU) << 12 | low), 3};
  return {character_class((first & 0x07U) << 18 | low << 6 | (byte(3) & 0x3FU)), 4};
}

inline Character character_at(const char* at) {
  const std::uint8_t kind = class_of_byte[static_cast<unsigned char>(*at)];
  if (kind != beyond_ascii) return {static_cast<CharacterClass>(kind), 1};
  return long_character(at);
}

/// The first of the ASCII letters from `at` on that is none; or, near the end, a place up to which all are letters.
/// Eight at a time and without a branch for each, since where a word ends is what a processor cannot predict.
inline const char* skip_ascii_letters(const char* at, const char* end) {
  constexpr std::uint64_t each = 0x0101010101010101U, high = 0x80 * each;
  for (; end - at >= 8; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    const std::uint64_t lower = (word | 0x20 * each) & ~high;
    const std::uint64_t from_a = lower + (0x80 - 'a') * each, beyond_z = lower + (0x80 - 'z' - 1) * each;
    const std::uint64_t others = ~(from_a & ~beyond_z & ~word) & high;
    if (others != 0) return at + std::countr_zero(others) / 8;
  }
  return at;
}

/// The end of the run of characters of class `kind` that goes on at `at`.
inline const char* run_end(const char* at, const char* end, CharacterClass kind) {
  if (kind == CharacterClass::letter) at = skip_ascii_letters(at, end);
  while (at != end) {
    const std::uint8_t found = class_of_byte[static_cast<unsigned char>(*at)];
    if (found == static_cast<std::uint8_t>(kind)) {
      ++at;
      continue;
    }
    if (found != beyond_ascii) break;
    const Character c = long_character(at);
    if (c.kind != kind) break;
    at += c.length;
  }
  return at;
}

/// The length of the contraction ('s 't 're 've 'm 'll 'd) at `at`, where an apostrophe stands; 0 if there is none.
std::size_t contraction_length(const char* at, const char* end) {
  const std::string_view after(at + 1, static_cast<std::size_t>(end - at - 1));
  if (after.empty()) return 0;
  switch (after[0]) {
    case 's': case 't': case 'm': case 'd': return 2;
    default: return after.starts_with("re") || after.starts_with("ve") || after.starts_with("ll") ? 3 : 0;
  }
}

/// The end of the piece of white space that begins at `begin`, where no " ?" alternative matches.
const char* space_end(const char* begin, const char* end) {
  const char *at = begin, *last = begin;  // `last`: where the run's last character begins
  while (at != end) {
    const Character c = character_at(at);
    if (c.kind != CharacterClass::space) {
      const bool one_character = last == begin;
      return c.kind == CharacterClass::numeric || one_character ? at : last;
    }
    last = at;
    at += c.length;
  }
  return at;
}

const char* piece_end(const char* begin, const char* end) {
  const Character first = character_at(begin);
  const char* const second = begin + first.length;
  switch (first.kind) {
    case CharacterClass::numeric:
      return second;
    case CharacterClass::letter:
      return run_end(second, end, CharacterClass::letter);
    case CharacterClass::other: {
      const std::size_t contraction = *begin == '\'' ? contraction_length(begin, end) : 0;
      return contraction != 0 ? begin + contraction : run_end(second, end, CharacterClass::other);
    }
    case CharacterClass::space:
      break;
  }
  if (*begin == ' ' && second != end) {
    const Character next = character_at(second);
    if (next.kind == CharacterClass::letter || next.kind == CharacterClass::other) {
      return run_end(second + next.length, end, next.kind);
    }
  }
  return space_end(begin, end);
}

}  // namespace

std::size_t piece_end(std::string_view text, std::size_t begin) {
  const char* const data = text.data();
  return static_cast<std::size_t>(piece_end(data + begin, data + text.size()) - data);
}

}  // namespace lawful::tokenizer
