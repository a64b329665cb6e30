#include "tokenizer/piece_table.hpp"

#include <algorithm>
#include <bit>

namespace lawful::tokenizer {

PieceTable::PieceTable(const Vocabulary& vocabulary, const std::vector<bool>& member)
    : slots_(std::bit_ceil(2 * static_cast<std::size_t>(std::count(member.begin(), member.end(), true)) + 2)),
      mask_(slots_.size() - 1),
      shift_(64U - static_cast<unsigned>(std::countr_zero(slots_.size()))) {
  for (Id id = 0; id < vocabulary.size(); ++id) {
    const std::string_view bytes = vocabulary.bytes(id);
    if (!member[id] || bytes.size() > PieceKey::most_bytes) continue;
    const PieceKey key = PieceKey::of(bytes.data(), bytes.size(), bytes.size());
    std::size_t at = static_cast<std::size_t>(key.hash() >> shift_);
    while (slots_[at].id != Vocabulary::none) at = (at + 1) & mask_;
    slots_[at] = {key, id};
  }
}

}  // namespace lawful::tokenizer
