// Laws of the tokenizer. Like the others they hold no framework and no code of the tokenizer itself: `holds` takes the
// code it speaks about as an object, the product or a mutant, and gives both sides.
//
// What an object `code` must offer, where a law uses it (Ids is any vector of ids):
//   code.piece_end(text, begin)    where the piece ends that begins there
//   code.encode(text)              the ids of a text, special tokens parsed
//   code.encode_plain(text)        the ids of a text, special tokens as characters
//   code.decode(ids)               the bytes of ids
//   code.stream(ids)               {all that a streaming decoder hands out, joined; the most bytes it ever held back}
//   code.is_control(id)            whether an id is a control token
//   code.has_token(byte)           whether a byte has a token
//   code.is_numeric(text)          whether a text is one numeric character, by a table of the caller's own
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "laws/law.hpp"

namespace lawful::laws::tokenizer {

/// Two sides that a law says are equal.
template <class T>
struct Equation {
  T left, right;
  bool hold() const { return left == right; }
};

/// The number of bytes of the UTF-8 character that begins with `first`, in valid text.
constexpr std::size_t character_bytes(char first) {
  const auto b = static_cast<unsigned char>(first);
  return b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
}

struct split_total {
  static constexpr About about{
      .name = "split_total",
      .statement = "every byte of a text is in exactly one piece, and no piece is empty",
      .why = "A byte in no piece is lost without a word; a piece of no bytes is an endless loop.",
      .symbol = "piece_end",
      .file = "tokenizer/split.hpp",
      .picture = "the text   | Hello|,| world|␣␣| \\n…    each byte between exactly two bars"};

  /// Both sides: the pieces, laid end to end, and the text.
  template <class Code>
  static Equation<std::string> holds(const Code& code, std::string_view text) {
    std::string laid;
    for (std::size_t at = 0, end; at < text.size(); at = end) {
      end = code.piece_end(text, at);
      if (end <= at || end > text.size()) return {laid + "[a piece of no bytes, or beyond the text]", std::string(text)};
      laid += text.substr(at, end - at);
    }
    return {laid, std::string(text)};
  }
};

struct numerics_alone {
  static constexpr About about{
      .name = "numerics_alone",
      .statement = "a numeric character is a piece by itself: no piece crosses one",
      .why = "The digits are isolated before the regex runs. Left out, ids look right until white space stands before a "
             "digit: every numbered list.",
      .symbol = "piece_end",
      .file = "tokenizer/split.hpp",
      .picture = "| 1 | . | \\n\\n | 2 | . |     not  | 1 | . | \\n | \\n2 | …"};

  /// Both sides: how many numeric characters the text has, and how many pieces are one numeric character.
  template <class Code>
  static Equation<std::size_t> holds(const Code& code, std::string_view text) {
    std::size_t in_text = 0, alone = 0;
    for (std::size_t at = 0; at < text.size(); at += character_bytes(text[at])) {
      in_text += code.is_numeric(text.substr(at, character_bytes(text[at])));
    }
    for (std::size_t at = 0, end; at < text.size(); at = std::max(end, at + 1)) {
      end = code.piece_end(text, at);
      alone += code.is_numeric(text.substr(at, end - at));
    }
    return {alone, in_text};
  }
};

struct additive_at_pieces {
  static constexpr About about{
      .name = "additive_at_pieces",
      .statement = "encode(a + b) = encode(a) + encode(b) for pieces a and b of a split",
      .why = "Pieces are encoded one by one: no merge may cross from one to the next, and none may depend on what stood "
             "before. (For halves of a text in place of pieces this is false.)",
      .symbol = "Tokenizer",
      .file = "tokenizer/tokenizer.hpp",
      .picture = "encode(Hello| world) = encode(Hello) + encode( world)"};

  /// Both sides: the ids of each piece encoded by itself, joined, and the ids of the text. (Not of the two halves at
  /// any piece's end: "\r\nx" is split before "\n", but its first half "\r\n" by itself is one piece.)
  template <class Code>
  static auto holds(const Code& code, std::string_view text) {
    auto joined = code.encode_plain("");
    for (std::size_t at = 0, end; at < text.size(); at = end) {
      end = code.piece_end(text, at);
      const auto ids = code.encode_plain(text.substr(at, end - at));
      joined.insert(joined.end(), ids.begin(), ids.end());
    }
    return Equation<decltype(joined)>{joined, code.encode_plain(text)};
  }
};

struct round_trip {
  static constexpr About about{
      .name = "round_trip",
      .statement = "decode(encode(s)) is s without the bytes that have no token, and so is s itself wherever every byte has one",
      .why = "Text survives, byte for byte; what cannot (eight bytes in SmolLM2) goes by a rule and not by chance, and no stop "
             "token stands in for it.",
      .symbol = "Tokenizer",
      .file = "tokenizer/tokenizer.hpp",
      .picture = "text -> ids -> text"};

  template <class Code>
  static Equation<std::string> holds(const Code& code, std::string_view text) {
    std::string kept;
    for (const char c : text) {
      if (code.has_token(static_cast<unsigned char>(c))) kept += c;
    }
    return {code.decode(code.encode_plain(text)), kept};
  }
};

struct control_free_content {
  static constexpr About about{
      .name = "control_free_content",
      .statement = "the number of control ids of a message does not depend on its content, when content is encoded as plain",
      .why = "Else the text of a message could close its turn and open another.",
      .symbol = "Tokenizer",
      .file = "tokenizer/tokenizer.hpp",
      .picture = "<|im_start|>user  [ content ]  <|im_end|>     2 control ids, whatever the content"};

  /// Both sides: the control ids of opener + content + closer, and of opener + closer.
  template <class Code>
  static Equation<std::size_t> holds(const Code& code, std::string_view opener, std::string_view content,
                                     std::string_view closer) {
    const auto controls = [&](const auto& ids) {
      return static_cast<std::size_t>(std::count_if(ids.begin(), ids.end(), [&](auto id) { return code.is_control(id); }));
    };
    const std::size_t frame = controls(code.encode(opener)) + controls(code.encode(closer));
    return {frame + controls(code.encode_plain(content)), frame};
  }
};

struct stream_is_whole {
  static constexpr About about{
      .name = "stream_is_whole",
      .statement = "what a streaming decoder hands out, joined, is decode of all ids; and it never holds back more than 3 bytes",
      .why = "A character over two tokens is shown once and whole; bytes that can never be one do not stall what follows.",
      .symbol = "Detokenizer",
      .file = "tokenizer/detokenizer.hpp",
      .picture = "push -> \"\", push -> \"\", push -> one emoji, finish -> \"\""};

  template <class Code, class Ids>
  static Equation<std::string> holds(const Code& code, const Ids& ids) {
    const auto [text, most_held] = code.stream(ids);
    return {most_held > 3 ? text + "[held back more than 3 bytes]" : text, code.decode(ids)};
  }
};

/// Every one of them; the tests walk this list.
using text_laws =
    types<split_total, numerics_alone, additive_at_pieces, round_trip, control_free_content, stream_is_whole>;

}  // namespace lawful::laws::tokenizer
