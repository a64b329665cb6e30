// Most pieces of real text are one token: that token, by hashing the piece's bytes.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/hash_key.hpp"
#include "tokenizer/vocabulary.hpp"

namespace lawful::tokenizer {

/// The bytes of a short piece and their number, in 16 bytes.
struct PieceKey {
  static constexpr std::size_t most_bytes = 15;

  std::uint64_t low, high;  // the last byte of `high` is the length

  /// Of the first `length` <= most_bytes bytes at `text`, where `readable` >= `length` bytes may be read.
  static PieceKey of(const char* text, std::size_t length, std::size_t readable) {
    PieceKey key{0, 0};
    if (readable >= 16) {
      std::memcpy(&key, text, 16);
    } else {
      char bytes[16] = {};
      std::memcpy(bytes, text, length);
      std::memcpy(&key, bytes, 16);
    }
    key.low &= first_bytes[length < 8 ? length : 8];
    key.high &= first_bytes[length < 8 ? 0 : length - 8];
    key.high |= static_cast<std::uint64_t>(length) << 56;
    return key;
  }

  /// 32 bits.
  std::uint64_t hash(const HashKey& key) const { return key(low, high) >> 32; }
  friend bool operator==(const PieceKey&, const PieceKey&) = default;

 private:
  // A word with that many of its first bytes in memory set: the lowest ones, as the machine is little-endian.
  static constexpr std::uint64_t first_bytes[9] = {
      0,           0xFF,          0xFFFF,          0xFFFFFF,          0xFFFFFFFF,
      0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF};
};
static_assert(std::endian::native == std::endian::little, "PieceKey takes a word's lowest byte for its first");

/// Tokens of at most PieceKey::most_bytes bytes, by their bytes.
class PieceTable {
 public:
  /// Of those `members` that are short enough.
  PieceTable(const Vocabulary& vocabulary, std::span<const Id> members);

  /// The member with these bytes, or Vocabulary::none.
  Id find(const PieceKey& key) const {
    for (std::size_t at = home(key);; at = after(at)) {
      if (slots_[at].id == Vocabulary::none || slots_[at].is(key)) return slots_[at].id;
    }
  }

 private:
  struct Slot {
    std::uint32_t words[4];  // a PieceKey, without its alignment
    Id id;

    bool is(const PieceKey& key) const { return std::memcmp(words, &key, sizeof words) == 0; }
  };

  std::size_t home(const PieceKey& key) const {
    return static_cast<std::size_t>(key.hash(hash_key_) * slots_.size() >> 32);
  }
  std::size_t after(std::size_t at) const { return at + 1 == slots_.size() ? 0 : at + 1; }

  HashKey hash_key_;
  std::vector<Slot> slots_;  // open addressing, half full
};

}  // namespace lawful::tokenizer
