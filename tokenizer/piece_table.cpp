#include "tokenizer/piece_table.hpp"

namespace lawful::tokenizer {

PieceTable::PieceTable(const Vocabulary& vocabulary, const std::vector<bool>& member) {
  std::vector<Id> short_members;
  for (Id id = 0; id < vocabulary.size(); ++id) {
    if (member[id] && vocabulary.bytes(id).size() <= PieceKey::most_bytes) short_members.push_back(id);
  }
  slots_.resize(short_members.size() * 8 / 5 + 2, Slot{{}, Vocabulary::none});
  for (const Id id : short_members) {
    const std::string_view bytes = vocabulary.bytes(id);
    const PieceKey key = PieceKey::of(bytes.data(), bytes.size(), bytes.size());
    std::size_t at = home(key);
    while (slots_[at].id != Vocabulary::none) at = after(at);
    std::memcpy(slots_[at].words, &key, sizeof key);
    slots_[at].id = id;
  }
}

}  // namespace lawful::tokenizer
