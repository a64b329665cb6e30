#include "tokenizer/prefix_tree.hpp"

#include <algorithm>
#include <bit>

namespace lawful::tokenizer {
namespace {

/// The symbols with a text, shorter ones first: a prefix comes before what it begins.
std::vector<Symbol> symbols_by_length(const std::vector<std::string_view>& texts) {
  std::size_t longest = 0;
  for (const std::string_view text : texts) longest = std::max(longest, text.size());
  std::vector<std::size_t> begin_of_length(longest + 2);
  for (const std::string_view text : texts) ++begin_of_length[text.size() + 1];
  const std::size_t empty = begin_of_length[1];
  begin_of_length[1] = 0;
  for (std::size_t length = 1; length <= longest; ++length) begin_of_length[length + 1] += begin_of_length[length];
  std::vector<Symbol> symbols(texts.size() - empty);
  for (Symbol symbol = 0; symbol < texts.size(); ++symbol) {
    if (!texts[symbol].empty()) symbols[begin_of_length[texts[symbol].size()]++] = symbol;
  }
  return symbols;
}

}  // namespace

PrefixTree::PrefixTree(const std::vector<std::string_view>& texts, std::span<const SymbolPair> parts) {
  const std::vector<Symbol> by_length = symbols_by_length(texts);
  std::size_t slots = std::bit_ceil(4 * by_length.size() + 4);
  while (!build(texts, parts, by_length, slots)) slots *= 2;
}

bool PrefixTree::build(const std::vector<std::string_view>& texts, std::span<const SymbolPair> parts,
                       const std::vector<Symbol>& by_length, std::size_t slots) {
  edges_.assign(slots, Edge{no_key, no_symbol});
  shorter_.assign(texts.size(), no_symbol);
  mask_ = static_cast<std::uint32_t>(slots - 1);
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(slots));
  std::size_t free = slots / 8 * 5;  // fuller than this, runs of full slots grow long
  std::vector<std::uint32_t> nodes(texts.size(), root);  // where each symbol's text ends
  for (const Symbol symbol : by_length) {
    const Symbol left = symbol < first_merged ? no_symbol : parts[symbol - first_merged].left;
    std::uint32_t node = left == no_symbol ? root : nodes[left];
    for (const char c : texts[symbol].substr(left == no_symbol ? 0 : texts[left].size())) {
      const std::uint32_t key = node << 8 | static_cast<unsigned char>(c);
      if (node != root && edges_[node].symbol != no_symbol) shorter_[symbol] = edges_[node].symbol;
      node = slot_of(key);
      if (edges_[node].key == key) continue;
      if (free-- == 0) return false;
      edges_[node].key = key;
    }
    edges_[node].symbol = symbol;
    nodes[symbol] = node;
  }
  return true;
}

}  // namespace lawful::tokenizer
