#include "tokenizer/pair_table.hpp"

namespace lawful::tokenizer {

PairTable::PairTable(const std::vector<MergeIds>& merges)
    : slots_(merges.size() * 8 / 5 + 2, MergeIds{0, 0, Vocabulary::none}) {
  for (const MergeIds& merge : merges) {
    std::size_t at = home(merge.left, merge.right);
    while (slots_[at].result != Vocabulary::none) at = after(at);
    slots_[at] = merge;
  }
}

}  // namespace lawful::tokenizer
