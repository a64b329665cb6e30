#include "tokenizer/special_tokens.hpp"

#include <algorithm>

namespace lawful::tokenizer {

SpecialTokens::SpecialTokens(const Vocabulary& vocabulary) {
  for (Id id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) == TokenKind::control) written_.push_back({vocabulary.bytes(id), id});
  }
  std::sort(written_.begin(), written_.end(),
            [](const Written& a, const Written& b) { return a.text.size() > b.text.size(); });
  for (const Written& w : written_) first_bytes_ += w.text[0];
  std::sort(first_bytes_.begin(), first_bytes_.end());
  first_bytes_.erase(std::unique(first_bytes_.begin(), first_bytes_.end()), first_bytes_.end());
}

SpecialTokens::Found SpecialTokens::find(std::string_view text, std::size_t from) const {
  while ((from = text.find_first_of(first_bytes_, from)) != std::string_view::npos) {
    for (const Written& w : written_) {
      if (text.substr(from, w.text.size()) == w.text) return {from, from + w.text.size(), w.id};
    }
    ++from;
  }
  return {text.size(), text.size(), Vocabulary::none};
}

}  // namespace lawful::tokenizer
