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

namespace {

/// The encoding of one text, valid UTF-8, while it is made.
class Encoding {
 public:
  Encoding(const Tokenizer::Tables& tables, std::string_view text, PieceCache& cache)
      : tables_(tables), text_(text), cache_(cache) {
    ids_.reserve(text.size() / 4 + 1);
  }

  std::vector<Id> parsed() && {
    std::size_t at = 0;
    for (const SpecialTokens::Found& special : tables_.specials.find(text_)) {
      add_ordinary(at, special.begin);
      ids_.push_back(special.id);
      at = special.begin + special.length;
    }
    add_ordinary(at, text_.size());
    return std::move(ids_);
  }

  std::vector<Id> plain() && {
    add_ordinary(0, text_.size());
    return std::move(ids_);
  }

 private:
  static constexpr std::size_t stretch = 1U << 14U;

  /// Adds the ids of text_[at, end), in which nothing is special.
  void add_ordinary(std::size_t at, std::size_t end) {
    const std::string_view text = text_.substr(0, end);
    while (at < end) {
      make_room(at);
      for (const std::size_t next = std::min(end, at + stretch); at < next;) {
        const std::size_t piece = piece_end(text, at);
        add_piece(at, piece);
        at = piece;
      }
    }
  }

  void add_piece(std::size_t at, std::size_t end) {
    const std::string_view piece(text_.data() + at, end - at);
    if (piece.size() > PieceKey::most_bytes) return tables_.byte_pair.encode(piece, ids_);
    const PieceKey key = PieceKey::of(piece.data(), piece.size(), text_.size() - at);
    if (const Id id = tables_.pieces.find(key); id != Vocabulary::none) return ids_.push_back(id);
    if (const auto known = cache_.find(key); !known.empty()) {
      ids_.insert(ids_.end(), known.begin(), known.end());
      return;
    }
    const std::size_t before = ids_.size();
    tables_.byte_pair.encode(piece, ids_);
    cache_.remember(key, std::span(ids_).subspan(before));
  }

  /// Makes room for the ids of the next stretch from `at` on. If that takes new memory, then as much as the text before
  /// it suggests for all of the rest: one copy instead of many, and little more than is needed.
  void make_room(std::size_t at) {
    const std::size_t rest = text_.size() - at, next = std::min(rest, stretch);  // at most one id for each byte
    if (ids_.capacity() - ids_.size() >= next) return;
    const double density = static_cast<double>(ids_.size() + 1) / static_cast<double>(at + 1);
    const auto likely = static_cast<std::size_t>(1.125 * density * static_cast<double>(rest));
    ids_.reserve(ids_.size() + std::max({next, likely, ids_.size() / 4}));
  }

  const Tokenizer::Tables& tables_;
  std::string_view text_;
  PieceCache& cache_;
  std::vector<Id> ids_;
};

std::vector<Id> encode_valid(const Tokenizer::Tables& tables, std::string_view text, Specials specials,
                             PieceCache& cache) {
  Encoding encoding(tables, text, cache);
  return specials == Specials::plain ? std::move(encoding).plain() : std::move(encoding).parsed();
}

}  // namespace

std::vector<Id> Tokenizer::encode(std::string_view utf8, Specials specials) const {
  io::require_utf8(utf8, "text");
  PieceCache cache(utf8.size());
  return encode_valid(*tables_, utf8, specials, cache);
}

std::vector<std::vector<Id>> Tokenizer::encode_batch(std::span<const std::string_view> texts, Specials specials,
                                                     unsigned threads) const {
  std::vector<std::vector<Id>> ids(texts.size());
  std::vector<std::exception_ptr> errors(texts.size());
  std::atomic<std::size_t> next = 0;
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  const auto work = [&] {
    PieceCache cache(bytes);
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < texts.size();) {
      try {
        if (io::valid_utf8_prefix(texts[i]) < texts[i].size()) io::require_utf8(texts[i], fmt::format("text {}", i));
        ids[i] = encode_valid(*tables_, texts[i], specials, cache);
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
