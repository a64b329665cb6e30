// Most pieces of real text are one token: that token, by hashing the piece's bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.hpp"

namespace lawful::tokenizer {

/// The bytes of a short piece as two words, and how many they are.
struct PieceKey {
  std::uint64_t low = 0, high = 0;
  std::uint32_t length = 0;

  static constexpr std::size_t most_bytes = 16;

  /// Of the first `length` <= most_bytes bytes at `text`; `readable` is how many may be read there, and not fewer.
  static PieceKey of(const char* text, std::size_t length, std::size_t readable) {
    PieceKey key;
    key.length = static_cast<std::uint32_t>(length);
    if (readable < most_bytes) {
      char bytes[most_bytes] = {};
      std::memcpy(bytes, text, length);
      std::memcpy(&key.low, bytes, 8);
      std::memcpy(&key.high, bytes + 8, 8);
      return key;
    }
    std::memcpy(&key.low, text, 8);
    std::memcpy(&key.high, text + 8, 8);
    key.low &= first_bytes(length < 8 ? length : 8);
    key.high &= first_bytes(length < 8 ? 0 : length - 8);
    return key;
  }

  std::uint64_t hash() const {
    const std::uint64_t mixed = (low ^ length) * 0x9E3779B97F4A7C15U ^ high * 0xC2B2AE3D27D4EB4FU;
    return (mixed ^ mixed >> 32) * 0x9E3779B97F4A7C15U;
  }
  friend bool operator==(const PieceKey&, const PieceKey&) = default;

 private:
  /// A word with its first `count` <= 8 bytes in memory set (the lowest ones: the machine is little-endian).
  static std::uint64_t first_bytes(std::size_t count) {
    return count == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * count) - 1;
  }
};

/// The tokens of at most PieceKey::most_bytes bytes that BPE makes of their own bytes.
class PieceTable {
 public:
  PieceTable(const Vocabulary& vocabulary, const std::vector<bool>& member);

  /// The member with these bytes, or Vocabulary::none.
  Id find(const PieceKey& key) const {
    for (std::size_t at = static_cast<std::size_t>(key.hash() >> shift_);; at = (at + 1) & mask_) {
      if (slots_[at].id == Vocabulary::none || slots_[at].key == key) return slots_[at].id;
    }
  }

 private:
  struct Slot {
    PieceKey key;
    Id id = Vocabulary::none;
  };
  std::vector<Slot> slots_;
  std::size_t mask_;
  unsigned shift_;
};

}  // namespace lawful::tokenizer
