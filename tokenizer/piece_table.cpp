#include "tokenizer/piece_table.hpp"

#include <algorithm>

namespace lawful::tokenizer {

PieceTable::PieceTable(const Vocabulary& vocabulary, std::span<const Id> members) {
  const auto is_short = [&](Id id) { return vocabulary.length(id) <= PieceKey::most_bytes; };
  const auto count = static_cast<std::size_t>(std::count_if(members.begin(), members.end(), is_short));
  slots_.resize(count * 2 + 2, Slot{{}, Vocabulary::none});
  for (const Id id : members) {
    if (!is_short(id)) continue;
    const std::string_view bytes = vocabulary.bytes(id);
    const PieceKey key = PieceKey::of(bytes.data(), bytes.size(), bytes.size());
    std::size_t at = home(key);
    while (slots_[at].id != Vocabulary::none) at = after(at);
    std::memcpy(slots_[at].words, &key, sizeof key);
    slots_[at].id = id;
  }
}

}  // namespace lawful::tokenizer
