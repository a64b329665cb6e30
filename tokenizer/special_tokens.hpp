// Special tokens written in a text: <|im_start|> and its like.
#pragma once
#include <array>
#include <cstddef>
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
  /// The first place at or after `from` with a byte that one of them begins with; text.size() if there is none.
  std::size_t next_start(std::string_view text, std::size_t from) const;

  std::vector<Written> written_;        // the longest first
  std::array<bool, 256> starts_one_{};  // by byte: whether one of them begins with it
  bool same_start_ = true;              // whether all begin with the same byte
};

}  // namespace lawful::tokenizer
