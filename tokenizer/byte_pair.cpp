#include "tokenizer/byte_pair.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace lawful::tokenizer {
namespace {

/// A set of places in a piece; takes memory only once a place lies beyond the first 64.
class Places {
 public:
  void add(std::size_t place) {
    if (place < 64) {
      first_ |= std::uint64_t{1} << place;
      return;
    }
    const std::size_t word = place / 64 - 1;
    if (later_.size() <= word) later_.resize(word + 1 + word / 2);
    later_[word] |= std::uint64_t{1} << place % 64;
  }
  bool has(std::size_t place) const {
    const std::size_t word = place / 64;
    const std::uint64_t bits = word == 0 ? first_ : word <= later_.size() ? later_[word - 1] : 0;
    return (bits >> place % 64 & 1U) != 0;
  }

 private:
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> later_;
};

/// The vocabulary's token of each symbol: first the bytes, then the results of the merges.
std::vector<Id> ids_by_symbol(const Vocabulary& vocabulary) {
  std::vector<Id> ids;
  ids.reserve(first_merged + vocabulary.merges().size());
  for (unsigned byte = 0; byte < first_merged; ++byte) {
    ids.push_back(vocabulary.byte_token(static_cast<unsigned char>(byte)));
  }
  for (const MergeIds& merge : vocabulary.merges()) ids.push_back(merge.result);
  return ids;
}

std::vector<SymbolPair> merges_by_symbols(const Vocabulary& vocabulary, const std::vector<Id>& ids) {
  std::vector<Symbol> symbols(vocabulary.size(), no_symbol);
  for (Symbol symbol = 0; symbol < ids.size(); ++symbol) {
    if (ids[symbol] != Vocabulary::none) symbols[ids[symbol]] = symbol;
  }
  std::vector<SymbolPair> merges;
  merges.reserve(vocabulary.merges().size());
  for (const MergeIds& merge : vocabulary.merges()) merges.push_back({symbols[merge.left], symbols[merge.right]});
  return merges;
}

}  // namespace

BytePair::BytePair(const Vocabulary& vocabulary)
    : ids_(ids_by_symbol(vocabulary)), parts_(merges_by_symbols(vocabulary, ids_)), pairs_(parts_) {
  find_whole();
  std::vector<std::string_view> texts(ids_.size());
  lengths_.resize(ids_.size());
  for (Symbol symbol = 0; symbol < ids_.size(); ++symbol) {
    if (!whole_[symbol]) continue;
    texts[symbol] = vocabulary.bytes(ids_[symbol]);
    lengths_[symbol] = static_cast<std::uint32_t>(texts[symbol].size());
  }
  prefixes_ = PrefixTree(texts, parts_);
}

void BytePair::find_whole() {
  whole_.resize(ids_.size());
  for (Symbol byte = 0; byte < first_merged; ++byte) whole_[byte] = ids_[byte] != Vocabulary::none;
  for (Symbol symbol = first_merged; symbol < ids_.size(); ++symbol) {
    const auto [left, right] = parts_[symbol - first_merged];
    whole_[symbol] = whole_[left] && whole_[right] && apart_before(symbol, left, right);
  }
}

std::vector<Id> BytePair::whole_ids() const {
  std::vector<Id> ids;
  ids.reserve(ids_.size());
  for (Symbol symbol = 0; symbol < ids_.size(); ++symbol) {
    if (whole_[symbol]) ids.push_back(ids_[symbol]);
  }
  return ids;
}

/// Whether no merge that comes before the one of `end` crosses the seam between two whole symbols. Undoes their merges
/// along the seam, the latest first: what each state offers to merge across must come later than the merge that ended
/// that state. The same merge on both sides happens first on the left; so one across beats one just as early on the
/// right, and loses to one on the left.
bool BytePair::apart_before(Symbol end, Symbol left, Symbol right) const {
  while (pairs_.find(left, right) >= end) {
    const Symbol later = std::max(left, right);
    if (later < first_merged) return true;
    const auto [left_part, right_part] = parts_[later - first_merged];
    if (left > right) {
      end = left;
      left = right_part;
    } else {
      end = right + 1;
      right = left_part;
    }
  }
  return false;
}

void BytePair::encode(std::string_view piece, std::vector<Id>& ids) const {
  const auto has_token = [&](char c) { return ids_[static_cast<unsigned char>(c)] != Vocabulary::none; };
  std::string kept;
  if (!std::all_of(piece.begin(), piece.end(), has_token)) {
    std::copy_if(piece.begin(), piece.end(), std::back_inserter(kept), has_token);
    piece = kept;
  }
  encode_whole(piece, ids);
}

void BytePair::encode_whole(std::string_view piece, std::vector<Id>& ids) const {
  std::vector<Symbol>& found = ids;  // symbols until the end: one array serves both
  const std::size_t bottom = found.size();
  Places dead_ends;
  std::size_t at = 0;
  Symbol symbol = no_symbol;
  bool forward = true;
  while (at < piece.size()) {
    if (forward) symbol = prefixes_.longest({piece.data() + at, piece.size() - at});
    const Symbol last = found.size() == bottom ? no_symbol : found.back();
    const auto fits = [&](Symbol next) {
      return !dead_ends.has(at + lengths_[next]) && (last == no_symbol || stay_apart(last, next));
    };
    while (symbol != no_symbol && !fits(symbol)) symbol = prefixes_.shorter(symbol);
    forward = symbol != no_symbol;
    if (forward) {
      found.push_back(symbol);
      at += lengths_[symbol];
    } else {
      // Every piece has a result, so there is a symbol to go back to.
      if (last == no_symbol) throw std::logic_error("byte-pair encoding without a result");
      dead_ends.add(at);
      found.pop_back();
      at -= lengths_[last];
      symbol = last;
    }
  }
  for (std::size_t i = bottom; i < found.size(); ++i) found[i] = ids_[found[i]];
}

}  // namespace lawful::tokenizer
