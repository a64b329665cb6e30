// Special tokens written in a text: <|im_start|> and its like.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.hpp"

namespace lawful::tokenizer {

/// Finds control tokens as they are written, the leftmost first, of those at one place the longest.
class SpecialTokens {
 public:
  explicit SpecialTokens(const Vocabulary& vocabulary);

  struct Found {
    std::size_t begin, end;  // both text.size() if there is none
    Id id;
  };
  /// The next one in `text` at or after `from`.
  Found find(std::string_view text, std::size_t from) const;

 private:
  struct Written {
    std::string_view text;
    Id id;
  };
  std::vector<Written> written_;  // the longest first
  std::string first_bytes_;       // each byte that one of them begins with
};

}  // namespace lawful::tokenizer
