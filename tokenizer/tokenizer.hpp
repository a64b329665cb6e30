// Text to token ids and back, identical to the `tokenizers` library on SmolLM2's vocabulary.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.hpp"

namespace lawful::tokenizer {

/// What a special token written in a text means: itself (`parsed`), or its characters (`plain`).
enum class Specials { parsed, plain };

/// Immutable after construction: any number of threads may use one tokenizer at once.
class Tokenizer {
 public:
  /// io::BadInput if the vocabulary is not sound (see Vocabulary).
  explicit Tokenizer(const VocabularySource& source);
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  /// The number of tokens; ids are below it.
  std::size_t size() const;
  const Vocabulary& vocabulary() const;

  /// The ids of a text. io::BadInput with the offset of the first bad byte if it is not valid UTF-8. Bytes that have
  /// no token (04 06 13 14 16 1D F1 F2 in SmolLM2) are dropped, as the reference does. Time is linear in the text;
  /// memory beside it is at most 9 bytes for each of its bytes.
  std::vector<Id> encode(std::string_view utf8, Specials specials = Specials::parsed) const;

  /// encode() of each text, in order, on `threads` threads (0 counts as 1). io::BadInput names the first bad text by
  /// its index.
  std::vector<std::vector<Id>> encode_batch(std::span<const std::string_view> texts, Specials specials,
                                            unsigned threads) const;

  /// The exact bytes of the ids, which need not be valid UTF-8. io::BadInput if an id is not below size().
  std::string decode(std::span<const Id> ids) const;

  /// The exact bytes of one token. io::BadInput if `id` is not below size().
  std::string_view token_bytes(Id id) const;

  struct Tables;  ///< the implementation's own

 private:
  std::unique_ptr<const Tables> tables_;
};

}  // namespace lawful::tokenizer
