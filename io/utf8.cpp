#include "io/utf8.hpp"

#include <cstdint>
#include <cstring>

#include "io/bad_input.hpp"

namespace lawful::io {
namespace {

/// A lead byte: the length of the sequence it begins (0: it begins none), and the range that its second byte must be
/// in. All later bytes are 80..BF. Unicode 15, table 3-7.
struct Lead {
  std::size_t length;
  unsigned char low, high;
};

constexpr Lead lead(unsigned char b) {
  if (b < 0x80) return {1, 0, 0};
  if (b < 0xC2) return {0, 0, 0};
  if (b < 0xE0) return {2, 0x80, 0xBF};
  if (b == 0xE0) return {3, 0xA0, 0xBF};
  if (b == 0xED) return {3, 0x80, 0x9F};
  if (b < 0xF0) return {3, 0x80, 0xBF};
  if (b == 0xF0) return {4, 0x90, 0xBF};
  if (b < 0xF4) return {4, 0x80, 0xBF};
  if (b == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

/// How far the bytes at the front of `bytes` (not empty) go along a well-formed sequence.
struct Sequence {
  std::size_t matched;  // bytes that belong to it
  std::size_t length;   // bytes it would have; 0 if the first byte begins none
  bool whole() const { return matched == length; }
};

Sequence sequence_at(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const Lead first = lead(byte(0));
  if (first.length == 0) return {1, 0};
  std::size_t n = 1;
  if (n < first.length && n < bytes.size() && byte(n) >= first.low && byte(n) <= first.high) {
    for (++n; n < first.length && n < bytes.size() && (byte(n) & 0xC0) == 0x80;) ++n;
  }
  return {n, first.length};
}

/// The first offset from `at` on whose byte is not ASCII, or the size.
std::size_t skip_ascii(std::string_view text, std::size_t at) {
  constexpr std::uint64_t high_bits = 0x8080808080808080U;
  for (; text.size() - at >= 16; at += 16) {
    std::uint64_t words[2];
    std::memcpy(words, text.data() + at, 16);
    if (((words[0] | words[1]) & high_bits) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t at = 0;
  while ((at = skip_ascii(text, at)) < text.size()) {
    do {
      const Sequence s = sequence_at(text.substr(at, 4));
      if (!s.whole()) return at;
      at += s.length;
    } while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80);
  }
  return at;
}

void require_utf8(std::string_view text, std::string_view thing) {
  const std::size_t bad = valid_utf8_prefix(text);
  if (bad == text.size()) return;
  reject(thing, "valid UTF-8",
         fmt::format("byte {:02X} at offset {}", static_cast<unsigned>(static_cast<unsigned char>(text[bad])), bad));
}

std::size_t unfinished_utf8_suffix(std::string_view bytes) {
  const std::size_t most = bytes.size() < 3 ? bytes.size() : 3;
  for (std::size_t n = 1; n <= most; ++n) {
    const std::string_view suffix = bytes.substr(bytes.size() - n);
    if ((static_cast<unsigned char>(suffix[0]) & 0xC0) == 0x80) continue;  // the lead is further left
    const Sequence s = sequence_at(suffix);
    return s.matched == n && n < s.length ? n : 0;
  }
  return 0;
}

std::string replace_invalid_utf8(std::string_view bytes) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const Sequence s = sequence_at(bytes.substr(at, 4));
    text += s.whole() ? bytes.substr(at, s.length) : replacement;
    at += s.matched;
  }
  return text;
}

}  // namespace lawful::io
