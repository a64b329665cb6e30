// The merge of two symbols, by hashing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tokenizer/hash_key.hpp"

namespace lawful::tokenizer {

/// What byte-pair encoding works on: a byte, or 256 + a merge's rank for what that merge makes. So of two merges the
/// one with the smaller result comes first.
using Symbol = std::uint32_t;
inline constexpr Symbol first_merged = 256;
inline constexpr Symbol no_symbol = ~Symbol{0};

struct SymbolPair {
  Symbol left, right;
};

/// Which symbol two neighbours merge into.
class PairTable {
 public:
  /// Of merges by rank.
  explicit PairTable(std::span<const SymbolPair> merges);

  /// The result of merging left and right, or no_symbol.
  Symbol find(Symbol left, Symbol right) const {
    for (std::size_t at = home(left, right);; at = after(at)) {
      const Slot& slot = slots_[at];
      if (slot.result == no_symbol || (slot.left == left && slot.right == right)) return slot.result;
    }
  }

 private:
  struct Slot {
    Symbol left, right, result;
  };

  std::size_t home(Symbol left, Symbol right) const {
    const std::uint64_t hash = key_(left, right) >> 32;
    return static_cast<std::size_t>(hash * slots_.size() >> 32);  // scaled to the table, which is no power of two
  }
  std::size_t after(std::size_t at) const { return at + 1 == slots_.size() ? 0 : at + 1; }

  HashKey key_;
  std::vector<Slot> slots_;  // open addressing, 2/5 full: most lookups find nothing, and shall find it out soon
};

}  // namespace lawful::tokenizer
