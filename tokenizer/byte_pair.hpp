// Byte-pair encoding of one piece, exact and in linear time.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/pair_table.hpp"
#include "tokenizer/prefix_tree.hpp"
#include "tokenizer/vocabulary.hpp"

namespace lawful::tokenizer {

/// BPE merges, of all neighbours, those of lowest rank first, the leftmost of equals first, until none is left
/// (Sennrich et al. 2016, arXiv:1508.07909). Doing just that takes quadratic time, or a heap and its memory. This class
/// uses instead that the result is the only sequence of symbols with the piece's bytes in which each symbol is whole()
/// and each two neighbours stay_apart(). It is found from left to right, the longest symbol first, with a step back
/// where none fits.
///
/// Why: as long as no merge crosses the seam between two neighbours, each of them comes about as if it stood alone; and
/// a first merge across a seam would happen in those two by themselves as well. Since the result for each prefix is as
/// unique, a place that was once left backwards need never be visited again: each is visited once, and time is linear.
class BytePair {
 public:
  explicit BytePair(const Vocabulary& vocabulary);

  /// Appends the ids of a piece. Bytes without a token are left out before merging.
  void encode(std::string_view piece, std::vector<Id>& ids) const;

  /// Whether BPE makes of a symbol's bytes the symbol itself.
  bool whole(Symbol symbol) const { return whole_[symbol]; }

  /// Whether BPE makes of the bytes of two whole symbols, joined, these two symbols.
  bool stay_apart(Symbol left, Symbol right) const { return apart_before(no_symbol, left, right); }

  /// The tokens that are whole.
  std::vector<Id> whole_ids() const;

  Id id(Symbol symbol) const { return ids_[symbol]; }
  std::size_t symbols() const { return ids_.size(); }

 private:
  void encode_whole(std::string_view piece, std::vector<Id>& ids) const;
  bool apart_before(Symbol end, Symbol left, Symbol right) const;
  void find_whole();

  std::vector<Id> ids_;              // by symbol; none for a byte without a token
  std::vector<SymbolPair> parts_;    // of the symbol first_merged + index
  std::vector<std::uint32_t> lengths_;  // in bytes, by symbol
  PairTable pairs_;
  std::vector<bool> whole_;
  PrefixTree prefixes_;
};

}  // namespace lawful::tokenizer
