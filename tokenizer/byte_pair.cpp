#include "tokenizer/byte_pair.hpp"

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

}  // namespace

BytePair::BytePair(const Vocabulary& vocabulary)
    : vocabulary_(vocabulary),
      pairs_(vocabulary.merges()),
      origins_(origins_of(vocabulary)),
      whole_(find_whole()),
      prefixes_(vocabulary, whole_) {}

std::vector<BytePair::Origin> BytePair::origins_of(const Vocabulary& vocabulary) {
  std::vector<Origin> origins(vocabulary.size(), Origin{Vocabulary::none, Vocabulary::none, 0});
  std::uint32_t time = 0;
  for (const auto& [left, right, result] : vocabulary.merges()) origins[result] = {left, right, ++time};
  return origins;
}

std::vector<bool> BytePair::find_whole() const {
  std::vector<bool> whole(vocabulary_.size());
  for (unsigned byte = 0; byte < 256; ++byte) {
    const Id id = vocabulary_.byte_token(static_cast<unsigned char>(byte));
    if (id != Vocabulary::none) whole[id] = true;
  }
  for (const auto& [left, right, result] : vocabulary_.merges()) {
    whole[result] = whole[left] && whole[right] && apart_before(left, right, origins_[result].time);
  }
  return whole;
}

/// Whether no merge crosses the seam between two whole tokens before `time`. Undoes their merges along the seam, the
/// latest first: the merge across it that each state offers must come later than the one that ended that state. Of two
/// merges at one time the left one goes first, so that against a merge on the right a tie is lost.
bool BytePair::apart_before(Id left, Id right, std::uint32_t time) const {
  std::uint64_t end = time;
  while (true) {
    const Id across = pairs_.find(left, right);
    if (across != Vocabulary::none && origins_[across].time < end) return false;
    const Origin &l = origins_[left], &r = origins_[right];
    if (l.time > r.time) {
      end = l.time;
      left = l.right;
    } else if (r.time != 0) {
      end = std::uint64_t{r.time} + 1;
      right = r.left;
    } else {
      return true;
    }
  }
}

void BytePair::encode(std::string_view piece, std::vector<Id>& ids) const {
  const std::size_t before = ids.size();
  if (encode_whole(piece, ids)) return;
  ids.resize(before);
  std::string kept;
  for (const char c : piece) {
    if (vocabulary_.byte_token(static_cast<unsigned char>(c)) != Vocabulary::none) kept += c;
  }
  encode_whole(kept, ids);
}

/// False, with some ids appended, if a byte of the piece has no token.
bool BytePair::encode_whole(std::string_view piece, std::vector<Id>& ids) const {
  const std::size_t bottom = ids.size();
  Places dead_ends;
  std::size_t at = 0;
  Id token = Vocabulary::none;
  bool forward = true;
  while (at < piece.size()) {
    if (forward) {
      token = prefixes_.longest({piece.data() + at, piece.size() - at});
      if (token == Vocabulary::none) return false;
    }
    const Id last = ids.size() == bottom ? Vocabulary::none : ids.back();
    const auto fits = [&](Id next) {
      return !dead_ends.has(at + vocabulary_.length(next)) &&
             (last == Vocabulary::none || stay_apart(last, next));
    };
    while (token != Vocabulary::none && !fits(token)) token = prefixes_.shorter(token);
    forward = token != Vocabulary::none;
    if (forward) {
      ids.push_back(token);
      at += vocabulary_.length(token);
    } else {
      // A sound vocabulary has a result for every piece, so there is a token to go back to.
      if (last == Vocabulary::none) throw std::logic_error("byte-pair encoding without a result");
      dead_ends.add(at);
      ids.pop_back();
      at -= vocabulary_.length(last);
      token = last;
    }
  }
  return true;
}

}  // namespace lawful::tokenizer
