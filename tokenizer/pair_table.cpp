#include "tokenizer/pair_table.hpp"

#include <bit>

namespace lawful::tokenizer {

PairTable::PairTable(const std::vector<MergeIds>& merges)
    : slots_(std::bit_ceil(2 * merges.size() + 2), MergeIds{0, 0, Vocabulary::none}),
      mask_(slots_.size() - 1),
      shift_(64U - static_cast<unsigned>(std::countr_zero(slots_.size()))) {
  for (const MergeIds& merge : merges) {
    std::size_t at = home(merge.left, merge.right);
    while (slots_[at].result != Vocabulary::none) at = (at + 1) & mask_;
    slots_[at] = merge;
  }
}

}  // namespace lawful::tokenizer
