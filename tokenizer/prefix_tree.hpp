// The symbols that begin at a place of a text, by their prefixes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/hash_key.hpp"
#include "tokenizer/pair_table.hpp"

namespace lawful::tokenizer {

/// A trie whose edges are one hash table: an edge's slot is also the name of the node that it leads to.
class PrefixTree {
 public:
  PrefixTree() = default;
  /// Of symbols by number; those with an empty text are left out. The text of a merged symbol begins with that of its
  /// left part, the parts being of first_merged and onwards; a symbol with a text has parts with a text.
  PrefixTree(const std::vector<std::string_view>& texts, std::span<const SymbolPair> parts);

  /// The longest symbol that `text` begins with, or no_symbol.
  Symbol longest(std::string_view text) const {
    Symbol found = no_symbol;
    std::uint32_t node = root;
    for (const char c : text) {
      const std::uint32_t key = node << 8 | static_cast<unsigned char>(c);
      node = slot_of(key);
      const Edge& edge = edges_[node];
      if (edge.key != key) break;
      if (edge.symbol != no_symbol) found = edge.symbol;
    }
    return found;
  }

  /// The longest symbol that is a proper prefix of a symbol, or no_symbol.
  Symbol shorter(Symbol symbol) const { return shorter_[symbol]; }

  static constexpr std::size_t most_text = std::size_t{1} << 22;  ///< bytes of all texts: a node fits 24 bits

 private:
  struct Edge {
    std::uint32_t key;  // the node it leaves << 8 | its byte
    Symbol symbol;      // the symbol that ends in the node it leads to, or no_symbol
  };
  static constexpr std::uint32_t root = 0xFFFFFE, no_key = 0xFFFFFFFF;

  /// Whether all texts fitted into that many slots, a power of two.
  bool build(const std::vector<std::string_view>& texts, std::span<const SymbolPair> parts,
             const std::vector<Symbol>& by_length, std::size_t slots);

  /// The slot of an edge, or the free slot where it would be.
  std::uint32_t slot_of(std::uint32_t key) const {
    auto at = static_cast<std::uint32_t>(hash_key_(key, 0) >> shift_);
    while (edges_[at].key != key && edges_[at].key != no_key) at = (at + 1) & mask_;
    return at;
  }

  HashKey hash_key_;
  std::vector<Edge> edges_;
  std::vector<Symbol> shorter_;
  std::uint32_t mask_ = 0;
  unsigned shift_ = 0;
};

}  // namespace lawful::tokenizer
