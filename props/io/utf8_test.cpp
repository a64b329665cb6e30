#include "io/utf8.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "props/property.hpp"
#include "props/rejection.hpp"

namespace {

using namespace lawful::io;

std::string bytes(const std::vector<unsigned>& values) {
  std::string text;
  for (const unsigned v : values) text += static_cast<char>(v);
  return text;
}

/// Whether `text` is one character, by arithmetic: decode by the lead's bits, then ask if the value needs that length.
bool one_character(const std::string& text) {
  const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(text[i])}; };
  const std::size_t n = text.size();
  if (n == 1) return byte(0) < 0x80;
  if (n < 2 || n > 4) return false;
  const std::uint32_t mark = n == 2 ? 0xC0 : n == 3 ? 0xE0 : 0xF0, mark_mask = n == 2 ? 0xE0 : n == 3 ? 0xF0 : 0xF8;
  if ((byte(0) & mark_mask) != mark) return false;
  std::uint32_t value = byte(0) & ~mark_mask & 0xFF;
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return false;
    value = value << 6 | (byte(i) & 0x3F);
  }
  const std::uint32_t least = n == 2 ? 0x80 : n == 3 ? 0x800 : 0x10000;
  return value >= least && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

/// Whether some character begins with `text` and is longer.
bool begins_character(const std::string& text) {
  std::vector<std::string> longer{text};
  for (std::size_t i = text.size(); i < 4; ++i) {  // a byte that is last in 80..8F, 90..9F, A0..BF says it for all
    std::vector<std::string> next;
    for (const std::string& t : longer) {
      for (const unsigned b : {0x80U, 0x90U, 0xA0U}) next.push_back(t + static_cast<char>(b));
    }
    for (const std::string& t : next) {
      if (one_character(t)) return true;
    }
    longer = next;
  }
  return false;
}

}  // namespace

TEST_CASE("a sequence of up to three bytes, and of four with every lead, is valid exactly if it is one character") {
  std::size_t wrong = 0, valid = 0;
  const auto check = [&](const std::string& text) {
    const bool one = one_character(text);
    const bool all_ascii = text.size() > 1 && static_cast<unsigned char>(text[0]) < 0x80;
    if (all_ascii) return;
    // A lead decides how long a character is, so that no longer sequence is two of them.
    const std::size_t prefix = valid_utf8_prefix(text);
    wrong += (prefix == text.size()) != one;
    valid += one;
  };
  for (unsigned a = 0; a < 256; ++a) check(bytes({a}));
  for (unsigned a = 0x80; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      check(bytes({a, b}));
      for (unsigned c = 0x7F; c <= 0xC0 && a >= 0xE0; ++c) check(bytes({a, b, c}));
      for (unsigned c = 0x7F; c <= 0xC0 && a >= 0xF0; ++c) {
        for (const unsigned d : {0x7FU, 0x80U, 0xBFU, 0xC0U}) check(bytes({a, b, c, d}));
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(valid == 128 + (0x800 - 0x80) + (0x10000 - 0x800 - 0x800) + 0x100000 / 64 * 2);
}

TEST_CASE("the suffix held back begins a character, and is the longest that does") {
  lawful::props::property("unfinished_utf8_suffix", [] {
    const auto text = *rc::gen::container<std::string>(rc::gen::map(
        rc::gen::elementOf(
            std::vector<int>{'a', 0x80, 0x90, 0xA0, 0xBF, 0xC1, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF1, 0xF4, 0xF5}),
        [](int byte) { return static_cast<char>(byte); }));
    std::size_t longest = 0;
    for (std::size_t n = 1; n <= 3 && n <= text.size(); ++n) {
      if (begins_character(text.substr(text.size() - n))) longest = n;
    }
    RC_ASSERT(unfinished_utf8_suffix(text) == longest);
  }, 5000);
}

TEST_CASE("the first bad byte, wherever it is") {
  for (std::size_t length = 0; length < 70; ++length) {
    const std::string text = std::string(length, 'x');
    CHECK(valid_utf8_prefix(text) == length);
    CHECK(valid_utf8_prefix(text + "\u00e9\u4e00\U0001f600") == length + 9);
    for (const std::string bad : {"\x80", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xC0\x80", "\xED\xA0\x80", "\xFF"}) {
      CHECK(valid_utf8_prefix(text + bad + text) == length);
      CHECK(valid_utf8_prefix(text + "\u4e00" + bad) == length + 3);
    }
  }
}

TEST_CASE("the words of the refusal") {
  require_utf8("caf\u00e9", "prompt");
  CHECK(lawful::props::rejection([] { require_utf8("caf\xE9", "prompt"); }) ==
        "prompt: expected valid UTF-8, found byte E9 at offset 3");
}

TEST_CASE("one U+FFFD for each maximal subpart, as Python and the reference do") {
  const std::string r = "\uFFFD";
  CHECK(replace_invalid_utf8("") == "");
  CHECK(replace_invalid_utf8("caf\u00e9 \U0001f600") == "caf\u00e9 \U0001f600");
  CHECK(replace_invalid_utf8("\xE2\x80") == r);
  CHECK(replace_invalid_utf8("\xFF") == r);
  CHECK(replace_invalid_utf8("\xC0\x80") == r + r);
  CHECK(replace_invalid_utf8("\xED\xA0\x80") == r + r + r);
  CHECK(replace_invalid_utf8("\xF4\x90\x80\x80") == r + r + r + r);
  CHECK(replace_invalid_utf8("\xF0\x9F\x98") == r);
  CHECK(replace_invalid_utf8("\xF0\x9F\x98\xF0\x9F\x98\x80") == r + "\U0001f600");
  CHECK(replace_invalid_utf8("\x80") == r);
  CHECK(replace_invalid_utf8("a\xE2\x80" "b") == "a" + r + "b");
  CHECK(replace_invalid_utf8("\xE0\x80\x80") == r + r + r);
  CHECK(replace_invalid_utf8("\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64") ==
        r + r + r + "b" + r + "c" + r + r + "d");  // the Unicode standard's own example, table 3-8
}

TEST_CASE("what was replaced is valid, and valid text stays") {
  lawful::props::property("replace_invalid_utf8", [](const std::string& text) {
    const std::string replaced = replace_invalid_utf8(text);
    RC_ASSERT(valid_utf8_prefix(replaced) == replaced.size());
    const std::size_t good = valid_utf8_prefix(text);
    RC_ASSERT(replaced.substr(0, good) == text.substr(0, good));
    RC_ASSERT((replaced == text) == (good == text.size()));
  }, 2000);
}
