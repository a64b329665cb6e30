// GPT-2's byte alphabet: a printable character for each byte, in which vocabularies spell their tokens.
// Printable bytes stand for themselves; the others are U+0100 onwards, in order (Radford et al. 2019, encoder.py).
#pragma once
#include <array>
#include <cstdint>

namespace lawful::tokenizer {

constexpr bool spelled_as_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

/// One more than the last character of the alphabet: 256 + the 68 bytes that are not spelled as themselves.
inline constexpr char32_t byte_alphabet_end = 0x100 + 68;
inline constexpr std::int16_t not_in_alphabet = -1;

/// The byte that a character below byte_alphabet_end stands for, or not_in_alphabet.
inline constexpr auto byte_of_character = [] {
  std::array<std::int16_t, byte_alphabet_end> byte_of{};
  byte_of.fill(not_in_alphabet);
  char32_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    byte_of[spelled_as_itself(byte) ? byte : next++] = static_cast<std::int16_t>(byte);
  }
  return byte_of;
}();

}  // namespace lawful::tokenizer
