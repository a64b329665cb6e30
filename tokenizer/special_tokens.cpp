#include "tokenizer/special_tokens.hpp"

#include <algorithm>

namespace lawful::tokenizer {

SpecialTokens::SpecialTokens(const Vocabulary& vocabulary) {
  for (Id id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) == TokenKind::control) words_.push_back({vocabulary.bytes(id), id});
  }
  std::sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) {
    return std::lexicographical_compare(a.text.rbegin(), a.text.rend(), b.text.rbegin(), b.text.rend());
  });
  for (const Word& word : words_) {
    ends_one_[static_cast<unsigned char>(word.text.back())] = true;
    same_start_ = same_start_ && word.text[0] == words_[0].text[0];
  }
  build_tree();
  build_failures();
}

void SpecialTokens::build_tree() {
  struct Range {
    std::size_t begin, end;  // of the words whose endings a node stands for
  };
  bytes_ = {'\0'};
  std::vector<Range> level{{0, words_.size()}}, next;
  for (std::size_t depth = 0; !level.empty(); ++depth, level.swap(next), next.clear()) {
    for (auto [at, end] : level) {
      const bool is_word = at < end && words_[at].text.size() == depth;
      word_.push_back(is_word ? static_cast<std::uint32_t>(at++) : no_word);
      first_child_.push_back(static_cast<Node>(bytes_.size()));
      while (at < end) {
        const auto byte_of = [&](std::size_t i) { return words_[i].text[words_[i].text.size() - 1 - depth]; };
        const std::size_t begin = at;
        while (at < end && byte_of(at) == byte_of(begin)) ++at;
        bytes_.push_back(byte_of(begin));
        next.push_back({begin, at});
      }
    }
  }
  first_child_.push_back(static_cast<Node>(bytes_.size()));
}

void SpecialTokens::build_failures() {
  failure_.assign(bytes_.size(), root);
  for (Node node = root; node < bytes_.size(); ++node) {
    for (Node next = first_child_[node]; next < first_child_[node + 1]; ++next) {
      if (node != root) failure_[next] = step(failure_[node], bytes_[next]);
      if (word_[next] == no_word) word_[next] = word_[failure_[next]];
    }
  }
}

SpecialTokens::Node SpecialTokens::child(Node node, char byte) const {
  const auto begin = bytes_.begin() + first_child_[node], end = bytes_.begin() + first_child_[node + 1];
  const auto at = std::lower_bound(begin, end, byte);
  return at != end && *at == byte ? static_cast<Node>(at - bytes_.begin()) : root;
}

SpecialTokens::Node SpecialTokens::step(Node node, char byte) const {
  for (; node != root; node = failure_[node]) {
    if (const Node next = child(node, byte); next != root) return next;
  }
  return child(root, byte);
}

std::vector<SpecialTokens::Found> SpecialTokens::beginnings(std::string_view text) const {
  std::vector<Found> found;
  // Most texts hold no special token, and most of those not even its first byte.
  const std::size_t first = words_.empty() ? text.npos : same_start_ ? text.find(words_[0].text[0]) : 0;
  if (first == text.npos) return found;
  Node node = root;
  for (std::size_t at = text.size(); at-- > first;) {
    if (node == root && !ends_one_[static_cast<unsigned char>(text[at])]) continue;
    node = step(node, text[at]);
    if (word_[node] == no_word) continue;
    const Word& word = words_[word_[node]];
    found.push_back({at, word.id, static_cast<std::uint32_t>(word.text.size())});
  }
  return found;
}

std::vector<SpecialTokens::Found> SpecialTokens::find(std::string_view text) const {
  std::vector<Found> found = beginnings(text);
  std::reverse(found.begin(), found.end());
  std::size_t end = 0, kept = 0;  // of those before, none reaches beyond `end`
  for (const Found& one : found) {
    if (one.begin < end) continue;
    end = one.begin + one.length;
    found[kept++] = one;
  }
  found.resize(kept, Found{});
  return found;
}

}  // namespace lawful::tokenizer
