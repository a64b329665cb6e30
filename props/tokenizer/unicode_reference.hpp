// The reference's character classes, and text as code points: written apart from the product, for tests to compare.
#pragma once
#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "props/tokenizer/smollm2.hpp"

namespace lawful::props {

struct ClassRange {
  char32_t first, last;
  std::string name;  // L, N, S, O, with a "d" behind it where the Digits step isolates the character
};

inline const std::vector<ClassRange>& class_ranges() {
  static const std::vector<ClassRange> ranges = [] {
    std::vector<ClassRange> all;
    const auto classes = nlohmann::json::parse(file_text("reference/values/unicode_classes.json"));
    for (const auto& r : classes["ranges"]) {
      all.push_back({r[0].get<char32_t>(), r[1].get<char32_t>(), r[2].get<std::string>()});
    }
    return all;
  }();
  return ranges;
}

inline const std::string& reference_class(char32_t c) {
  const auto& ranges = class_ranges();
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                      [](char32_t at, const ClassRange& r) { return at < r.first; });
  if (after == ranges.begin() || (after - 1)->last < c) throw std::logic_error("a code point of no class");
  return (after - 1)->name;
}

inline std::string utf8_of(char32_t c) {
  const auto byte = [](char32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 + c / 64), byte(0x80 + c % 64)};
  if (c < 0x10000) return {byte(0xE0 + c / 4096), byte(0x80 + c / 64 % 64), byte(0x80 + c % 64)};
  return {byte(0xF0 + c / 262144), byte(0x80 + c / 4096 % 64), byte(0x80 + c / 64 % 64), byte(0x80 + c % 64)};
}

inline std::string utf8_of(const std::u32string& text) {
  std::string bytes;
  for (const char32_t c : text) bytes += utf8_of(c);
  return bytes;
}

/// Of valid UTF-8.
inline std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      points += byte;
    } else if (byte >= 0xC0) {
      points += static_cast<char32_t>(byte >= 0xF0 ? byte - 0xF0 : byte >= 0xE0 ? byte - 0xE0 : byte - 0xC0);
    } else {
      points.back() = points.back() * 64 + (byte - 0x80U);
    }
  }
  return points;
}

}  // namespace lawful::props
