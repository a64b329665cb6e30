// SmolLM2's tokenizer as the object that laws/tokenizer.hpp speaks about. A mutant derives and gets one thing wrong.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "props/tokenizer/smollm2.hpp"
#include "props/tokenizer/unicode_reference.hpp"
#include "tokenizer/detokenizer.hpp"
#include "tokenizer/split.hpp"

namespace lawful::props {

struct Product {
  using Ids = std::vector<tokenizer::Id>;

  std::size_t piece_end(std::string_view text, std::size_t begin) const { return tokenizer::piece_end(text, begin); }
  Ids encode(std::string_view text) const { return smollm2().encode(text); }
  Ids encode_plain(std::string_view text) const { return smollm2().encode(text, tokenizer::Specials::plain); }
  std::string decode(const Ids& ids) const { return smollm2().decode(ids); }
  std::pair<std::string, std::size_t> stream(const Ids& ids) const {
    tokenizer::Detokenizer decoder(smollm2());
    std::string text;
    std::size_t most_held = 0;
    for (const tokenizer::Id id : ids) {
      text += decoder.push(id);
      most_held = std::max(most_held, decoder.held());
    }
    text += decoder.finish();
    return {text, most_held};
  }
  bool is_control(tokenizer::Id id) const {
    return smollm2().vocabulary().kind(id) == tokenizer::TokenKind::control;
  }
  bool has_token(unsigned char byte) const {
    return smollm2().vocabulary().byte_token(byte) != tokenizer::Vocabulary::none;
  }
  bool is_numeric(std::string_view text) const {
    const std::u32string characters = code_points(text);
    return characters.size() == 1 && reference_class(characters[0]).back() == 'd';
  }
};

}  // namespace lawful::props
