// The merge of two tokens, by hashing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tokenizer/vocabulary.hpp"

namespace lawful::tokenizer {

/// Which token two neighbours merge into. Open addressing, at most half full: one cache line in the usual case.
class PairTable {
 public:
  explicit PairTable(const std::vector<MergeIds>& merges);

  /// The result of merging left and right, or Vocabulary::none.
  Id find(Id left, Id right) const {
    for (std::size_t at = home(left, right);; at = (at + 1) & mask_) {
      const MergeIds& slot = slots_[at];
      if (slot.result == Vocabulary::none || (slot.left == left && slot.right == right)) return slot.result;
    }
  }

 private:
  std::size_t home(Id left, Id right) const {
    const std::uint64_t pair = static_cast<std::uint64_t>(left) << 32 | right;
    return static_cast<std::size_t>((pair * 0x9E3779B97F4A7C15U) >> shift_);  // Fibonacci hashing
  }

  std::vector<MergeIds> slots_;
  std::size_t mask_;
  unsigned shift_;
};

}  // namespace lawful::tokenizer
