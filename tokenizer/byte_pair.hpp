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
/// (Sennrich et al. 2016, arXiv:1508.07909). Doing just that takes a heap and its memory. This class uses instead that
/// the result is the only sequence of tokens with the piece's bytes in which each token is whole() and each two
/// neighbours stay_apart(): it is found from left to right, longest token first, with a step back where none fits.
///
/// Why: as long as no merge crosses the seam between two neighbours, each of them comes about as if it stood alone, and
/// a first merge across a seam would happen in those two by themselves as well. And since the result for a prefix is
/// as unique, a place that was left backwards once is never worth another visit; so each is visited once.
class BytePair {
 public:
  explicit BytePair(const Vocabulary& vocabulary);

  /// Whether BPE makes of the token's bytes the token itself.
  bool whole(Id id) const { return whole_[id]; }
  const std::vector<bool>& whole() const { return whole_; }

  /// Whether BPE makes of the bytes of two whole tokens, joined, these two tokens.
  bool stay_apart(Id left, Id right) const { return apart_before(left, right, ~std::uint32_t{0}); }

  /// Appends the ids of a piece. Bytes without a token are left out before merging.
  void encode(std::string_view piece, std::vector<Id>& ids) const;

 private:
  /// How a token comes about. `time` is 0 for a byte, else the merge's rank + 1: both parts have a lower one.
  struct Origin {
    Id left, right;
    std::uint32_t time;
  };

  static std::vector<Origin> origins_of(const Vocabulary& vocabulary);
  std::vector<bool> find_whole() const;
  bool apart_before(Id left, Id right, std::uint32_t time) const;
  bool encode_whole(std::string_view piece, std::vector<Id>& ids) const;

  const Vocabulary& vocabulary_;
  PairTable pairs_;
  std::vector<Origin> origins_;
  std::vector<bool> whole_;
  PrefixTree prefixes_;
};

}  // namespace lawful::tokenizer
