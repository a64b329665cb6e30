#include "tokenizer/pair_table.hpp"

namespace lawful::tokenizer {

PairTable::PairTable(std::span<const SymbolPair> merges) : slots_(merges.size() * 5 / 2 + 2, Slot{0, 0, no_symbol}) {
  Symbol result = first_merged;
  for (const auto& [left, right] : merges) {
    std::size_t at = home(left, right);
    while (slots_[at].result != no_symbol) at = after(at);
    slots_[at] = {left, right, result++};
  }
}

}  // namespace lawful::tokenizer
