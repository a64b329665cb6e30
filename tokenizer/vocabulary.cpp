#include "tokenizer/vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "io/bad_input.hpp"
#include "io/printable.hpp"
#include "tokenizer/byte_alphabet.hpp"
#include "tokenizer/hash_key.hpp"
#include "tokenizer/prefix_tree.hpp"

namespace lawful::tokenizer {
namespace {

/// From a token's spelling to its id. Refuses a spelling that occurs twice.
class SpellingIndex {
 public:
  explicit SpellingIndex(const VocabularySource& source)
      : source_(source), slots_(std::bit_ceil(2 * source.tokens.size() + 2), Slot{0, Vocabulary::none}) {
    for (Id id = 0; id < source.tokens.size(); ++id) {
      const std::uint32_t hash = hash_of(source.tokens[id]);
      Slot& slot = slots_[slot_of(source.tokens[id], hash)];
      if (slot.id != Vocabulary::none) {
        io::reject(fmt::format("{}: token {}", source.name, id), "a spelling of its own",
                   fmt::format("the spelling of token {}", slot.id));
      }
      slot = {hash, id};
    }
  }

  /// The token with this spelling, or Vocabulary::none.
  Id find(std::string_view spelling) const { return slots_[slot_of(spelling, hash_of(spelling))].id; }

 private:
  struct Slot {
    std::uint32_t hash;
    Id id;
  };

  std::uint32_t hash_of(std::string_view spelling) const {
    return static_cast<std::uint32_t>(hash_key_(spelling));
  }
  std::size_t slot_of(std::string_view spelling, std::uint32_t hash) const {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].id != Vocabulary::none &&
           (slots_[at].hash != hash || source_.tokens[slots_[at].id] != spelling)) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }

  const VocabularySource& source_;
  HashKey hash_key_;
  std::vector<Slot> slots_;
};

/// Appends the bytes that a spelling in the byte alphabet stands for; false if it holds any other character.
bool append_spelled(std::string_view spelling, std::string& bytes) {
  for (std::size_t i = 0; i < spelling.size(); ++i) {
    char32_t character = static_cast<unsigned char>(spelling[i]);
    if (character >= 0x80) {  // the alphabet ends below U+0800: two bytes
      if ((character & 0xE0U) != 0xC0 || i + 1 == spelling.size()) return false;
      const char32_t second = static_cast<unsigned char>(spelling[++i]);
      if ((second & 0xC0U) != 0x80) return false;
      character = (character & 0x1FU) << 6 | (second & 0x3FU);
      if (character < 0x80) return false;
    }
    if (character >= byte_alphabet_end || byte_of_character[character] == not_in_alphabet) return false;
    bytes += static_cast<char>(byte_of_character[character]);
  }
  return true;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

Merge split_merge(std::string_view written, std::size_t rank, std::string_view file) {
  const std::size_t space = written.find(' ');
  if (space == std::string_view::npos || space != written.rfind(' ')) {
    io::reject(fmt::format("{}: merge {}", file, rank), "two tokens with one space between them", "something else");
  }
  return {written.substr(0, space), written.substr(space + 1)};
}

Vocabulary::Vocabulary(const VocabularySource& source) {
  read_tokens(source);
  read_merges(source);
}

void Vocabulary::read_tokens(const VocabularySource& source) {
  if (source.kinds.size() != source.tokens.size()) {
    io::reject(fmt::format("{}: token kinds", source.name), fmt::format("{}, one a token", source.tokens.size()),
               fmt::format("{}", source.kinds.size()));
  }
  std::fill(std::begin(byte_tokens_), std::end(byte_tokens_), none);
  kinds_ = source.kinds;
  begins_.reserve(source.tokens.size() + 1);
  begins_.push_back(0);
  for (Id id = 0; id < source.tokens.size(); ++id) {
    const std::string_view spelling = source.tokens[id];
    const auto refuse = [&](std::string_view expected, std::string_view found) {
      io::reject(fmt::format("{}: token {}", source.name, id), expected, found);
    };
    if (spelling.empty()) refuse("a spelling", "an empty one");
    if (spelling.size() > PrefixTree::most_text - text_.size()) {
      refuse(fmt::format("at most {} bytes in all tokens", PrefixTree::most_text), "more");
    }
    const bool control = kinds_[id] == TokenKind::control;
    if (control) {
      if (!is_ascii(spelling)) refuse("a control token in ASCII", "another character");
      text_ += spelling;
    } else if (!append_spelled(spelling, text_)) {
      refuse("a spelling in the byte alphabet", "another character");
    }
    if (!control && text_.size() - begins_.back() == 1) byte_tokens_[static_cast<unsigned char>(text_.back())] = id;
    begins_.push_back(static_cast<std::uint32_t>(text_.size()));
  }
}

void Vocabulary::read_merges(const VocabularySource& source) {
  if (source.merges.empty()) io::reject(fmt::format("{}: merges", source.name), "at least one", "none");
  const SpellingIndex index(source);
  std::vector<bool> made(size());
  for (const Id id : byte_tokens_) {
    if (id != none) made[id] = true;
  }
  merges_.reserve(source.merges.size());
  std::string joined;
  Id likely = 0;  // trained vocabularies number what merges make by rank, which saves a look-up
  const auto is_joined = [&](Id id, std::string_view left, std::string_view right) {
    const std::string_view token = id < size() ? source.tokens[id] : std::string_view();
    return token.size() == left.size() + right.size() && token.starts_with(left) && token.ends_with(right);
  };
  for (const auto& [left, right] : source.merges) {
    if (!is_joined(likely, left, right)) likely = index.find(joined.assign(left).append(right));
    const MergeIds merge{index.find(left), index.find(right), likely++};
    const auto refuse = [&, &left = left, &right = right](std::string_view expected, std::string_view found) {
      io::reject(fmt::format("{}: merge {} ({} {})", source.name, merges_.size(), io::quoted(left), io::quoted(right)),
                 expected, found);
    };
    for (const Id id : {merge.left, merge.right}) {
      if (id == none || !made[id]) refuse("two single bytes or tokens that earlier merges make", "another part");
    }
    if (merge.result == none || kinds_[merge.result] != TokenKind::normal) {
      refuse("a result in the vocabulary", "none");
    }
    if (made[merge.result]) refuse("a result that no earlier merge makes", "one that an earlier merge makes");
    made[merge.result] = true;
    merges_.push_back(merge);
  }
}

}  // namespace lawful::tokenizer
