// The merge of two tokens, by hashing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tokenizer/vocabulary.hpp"

namespace lawful::tokenizer {

/// Which token two neighbours merge into. Open addressing, 5/8 full: small tables fault fewer pages in at the start.
class PairTable {
 public:
  explicit PairTable(const std::vector<MergeIds>& merges);

  /// The result of merging left and right, or Vocabulary::none.
  Id find(Id left, Id right) const {
    for (std::size_t at = home(left, right);; at = after(at)) {
      const MergeIds& slot = slots_[at];
      if (slot.result == Vocabulary::none || (slot.left == left && slot.right == right)) return slot.result;
    }
  }

 private:
  std::size_t home(Id left, Id right) const {
    const std::uint64_t pair = static_cast<std::uint64_t>(left) << 32 | right;
    const std::uint64_t hash = pair * 0x9E3779B97F4A7C15U >> 32;             // Fibonacci hashing
    return static_cast<std::size_t>(hash * slots_.size() >> 32);  // scaled to the table, which is no power of two
  }
  std::size_t after(std::size_t at) const { return at + 1 == slots_.size() ? 0 : at + 1; }

  std::vector<MergeIds> slots_;
};

}  // namespace lawful::tokenizer
