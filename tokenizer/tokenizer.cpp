#include "tokenizer/tokenizer.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "io/bad_input.hpp"
#include "io/utf8.hpp"
#include "tokenizer/byte_pair.hpp"
#include "tokenizer/piece_cache.hpp"
#include "tokenizer/piece_table.hpp"
#include "tokenizer/special_tokens.hpp"
#include "tokenizer/split.hpp"

namespace lawful::tokenizer {

struct Tokenizer::Tables {
  explicit Tables(const VocabularySource& source)
      : vocabulary(source), byte_pair(vocabulary), pieces(vocabulary, byte_pair.whole_ids()), specials(vocabulary) {}

  std::vector<Id> encode(std::string_view utf8, Specials how, PieceCache& cache) const;
  void encode_ordinary(std::string_view text, PieceCache& cache, std::vector<Id>& ids) const;

  Vocabulary vocabulary;
  BytePair byte_pair;
  PieceTable pieces;
  SpecialTokens specials;
};

Tokenizer::Tokenizer(const VocabularySource& source) : tables_(std::make_unique<const Tables>(source)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

std::size_t Tokenizer::size() const { return tables_->vocabulary.size(); }
const Vocabulary& Tokenizer::vocabulary() const { return tables_->vocabulary; }

/// Appends the ids of valid UTF-8 in which nothing is special.
void Tokenizer::Tables::encode_ordinary(std::string_view text, PieceCache& cache, std::vector<Id>& ids) const {
  for (std::size_t at = 0, end; at < text.size(); at = end) {
    end = piece_end(text, at);
    const std::string_view piece(text.data() + at, end - at);
    if (piece.size() > PieceKey::most_bytes) {
      byte_pair.encode(piece, ids);
      continue;
    }
    const PieceKey key = PieceKey::of(piece.data(), piece.size(), text.size() - at);
    if (const Id id = pieces.find(key); id != Vocabulary::none) {
      ids.push_back(id);
    } else if (const auto known = cache.find(key); !known.empty()) {
      ids.insert(ids.end(), known.begin(), known.end());
    } else {
      const std::size_t before = ids.size();
      byte_pair.encode(piece, ids);
      cache.remember(key, std::span(ids).subspan(before));
    }
  }
}

/// The ids of valid UTF-8.
std::vector<Id> Tokenizer::Tables::encode(std::string_view utf8, Specials how, PieceCache& cache) const {
  std::vector<Id> ids;
  ids.reserve(utf8.size() / 3 + 1);  // untouched memory costs nothing; prose has 4 to 5 bytes a token
  if (how == Specials::plain) {
    encode_ordinary(utf8, cache, ids);
    return ids;
  }
  for (std::size_t at = 0; at < utf8.size();) {
    const SpecialTokens::Found special = specials.find(utf8, at);
    encode_ordinary(utf8.substr(at, special.begin - at), cache, ids);
    if (special.id != Vocabulary::none) ids.push_back(special.id);
    at = special.end;
  }
  return ids;
}

std::vector<Id> Tokenizer::encode(std::string_view utf8, Specials specials) const {
  io::require_utf8(utf8, "text");
  PieceCache cache;
  return tables_->encode(utf8, specials, cache);
}

std::vector<std::vector<Id>> Tokenizer::encode_batch(std::span<const std::string_view> texts, Specials specials,
                                                     unsigned threads) const {
  std::vector<std::vector<Id>> ids(texts.size());
  std::vector<std::exception_ptr> errors(texts.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    PieceCache cache;
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < texts.size();) {
      try {
        if (io::valid_utf8_prefix(texts[i]) < texts[i].size()) io::require_utf8(texts[i], fmt::format("text {}", i));
        ids[i] = tables_->encode(texts[i], specials, cache);
        ids[i].shrink_to_fit();
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others(std::min<std::size_t>(std::max(threads, 1U), texts.size() + 1) - 1);
    for (std::jthread& other : others) other = std::jthread(work);
    work();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return ids;
}

std::string Tokenizer::decode(std::span<const Id> ids) const {
  std::string bytes;
  bytes.reserve(4 * ids.size());
  for (const Id id : ids) bytes += token_bytes(id);
  return bytes;
}

std::string_view Tokenizer::token_bytes(Id id) const {
  if (id >= size()) io::reject("token id", fmt::format("an id below {}", size()), fmt::format("{}", id));
  return tables_->vocabulary.bytes(id);
}

}  // namespace lawful::tokenizer
