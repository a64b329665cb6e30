// The tokens that begin at a place of a text, by their prefixes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.hpp"

namespace lawful::tokenizer {

/// A trie whose edges are one hash table: an edge's slot is also the name of the node that it leads to.
class PrefixTree {
 public:
  /// The tree of those tokens of `vocabulary` for which `member` is true.
  PrefixTree(const Vocabulary& vocabulary, const std::vector<bool>& member);

  /// The longest member that `text` begins with, or Vocabulary::none.
  Id longest(std::string_view text) const {
    Id found = Vocabulary::none;
    std::uint32_t node = root;
    for (const char c : text) {
      const std::uint32_t key = node << 8 | static_cast<unsigned char>(c);
      node = slot_of(key);
      const Edge& edge = edges_[node];
      if (edge.key != key) break;
      if (edge.token != Vocabulary::none) found = edge.token;
    }
    return found;
  }

  /// The longest member that is a proper prefix of member `id`, or Vocabulary::none.
  Id shorter(Id id) const { return shorter_[id]; }

  static constexpr std::size_t most_text = std::size_t{1} << 22;  ///< bytes of all tokens: a node fits 24 bits

 private:
  struct Edge {
    std::uint32_t key;  // the node it leaves << 8 | its byte
    Id token;           // the member that ends in the node it leads to, or none
  };
  static constexpr std::uint32_t root = 0xFFFFFE, no_key = 0xFFFFFFFF;

  /// Whether all members fitted into that many slots, a power of two.
  bool build(const Vocabulary& vocabulary, const std::vector<Id>& members, std::size_t slots);

  /// The slot of an edge, or the free slot where it would be.
  std::uint32_t slot_of(std::uint32_t key) const {
    std::uint32_t at = (key * 0x9E3779B1U) >> shift_;  // Fibonacci hashing
    while (edges_[at].key != key && edges_[at].key != no_key) at = (at + 1) & mask_;
    return at;
  }

  std::vector<Edge> edges_;
  std::vector<Id> shorter_;
  std::uint32_t mask_ = 0;
  unsigned shift_ = 0;
};

}  // namespace lawful::tokenizer
