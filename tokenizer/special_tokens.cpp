#include "tokenizer/special_tokens.hpp"

#include <algorithm>

namespace lawful::tokenizer {

SpecialTokens::SpecialTokens(const Vocabulary& vocabulary) {
  for (Id id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) == TokenKind::control) written_.push_back({vocabulary.bytes(id), id});
  }
  std::sort(written_.begin(), written_.end(),
            [](const Written& a, const Written& b) { return a.text.size() > b.text.size(); });
  for (const Written& w : written_) {
    starts_one_[static_cast<unsigned char>(w.text[0])] = true;
    same_start_ = same_start_ && w.text[0] == written_[0].text[0];
  }
}

std::size_t SpecialTokens::next_start(std::string_view text, std::size_t from) const {
  if (written_.empty()) return text.size();
  if (same_start_) return std::min(text.find(written_[0].text[0], from), text.size());
  while (from < text.size() && !starts_one_[static_cast<unsigned char>(text[from])]) ++from;
  return from;
}

SpecialTokens::Found SpecialTokens::find(std::string_view text, std::size_t from) const {
  while ((from = next_start(text, from)) < text.size()) {
    for (const Written& w : written_) {
      if (text.substr(from, w.text.size()) == w.text) return {from, from + w.text.size(), w.id};
    }
    ++from;
  }
  return {text.size(), text.size(), Vocabulary::none};
}

}  // namespace lawful::tokenizer
