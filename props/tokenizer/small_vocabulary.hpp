// Vocabularies made by hand or at random, and BPE on them as it is defined.
#pragma once
#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tokenizer/vocabulary.hpp"

namespace lawful::props {

/// A vocabulary source that owns its strings.
class SmallVocabulary {
 public:
  /// One token for each character of `alphabet`.
  explicit SmallVocabulary(const std::string& alphabet) {
    source.name = "small";
    for (const char c : alphabet) token(std::string(1, c));
  }
  SmallVocabulary(SmallVocabulary&&) = delete;  // `source` views `strings_`

  void token(const std::string& spelling, tokenizer::TokenKind kind = tokenizer::TokenKind::normal) {
    source.tokens.push_back(keep(spelling));
    source.kinds.push_back(kind);
  }
  /// Adds a merge, and not its result.
  void bare_merge(const std::string& left, const std::string& right) {
    source.merges.push_back({keep(left), keep(right)});
  }
  void merge(const std::string& left, const std::string& right) {
    token(left + right);
    bare_merge(left, right);
  }
  bool has(const std::string& spelling) const {
    return std::find(source.tokens.begin(), source.tokens.end(), spelling) != source.tokens.end();
  }

  tokenizer::VocabularySource source;

 private:
  std::string_view keep(const std::string& s) { return strings_.emplace_back(s); }
  std::deque<std::string> strings_;
};

/// BPE as it is defined: of all neighbours that merge, the pair of lowest rank, the leftmost of equals, again and
/// again. Works on spellings; characters that are no token are left out first.
inline std::vector<std::string> bpe_as_defined(const tokenizer::VocabularySource& source, const std::string& text) {
  std::map<std::pair<std::string, std::string>, std::size_t> ranks;
  for (const auto& [left, right] : source.merges) ranks.emplace(std::pair(left, right), ranks.size());
  std::vector<std::string> parts;
  for (const char c : text) {
    const std::string one(1, c);
    if (std::find(source.tokens.begin(), source.tokens.end(), one) != source.tokens.end()) parts.push_back(one);
  }
  while (true) {
    std::size_t best = parts.size(), best_rank = ranks.size();
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto found = ranks.find({parts[i], parts[i + 1]});
      if (found != ranks.end() && found->second < best_rank) best = i, best_rank = found->second;
    }
    if (best == parts.size()) return parts;
    parts[best] += parts[best + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

}  // namespace lawful::props
