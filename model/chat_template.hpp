// The format of a conversation: roles as special tokens, what people write as plain text.
#pragma once
#include "model/checkpoint/checkpoint.hpp"
#include "model/message.hpp"
#include "tokenizer/tokenizer.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::model {

/// A chat template that is known: recognized by its text, never run as a program.
///   smollm2   <|im_start|>ROLE\nCONTENT<|im_end|>\n for each message; where the first is no system message, one of its
///             own stands before it
///   chatml    the same without a system message of its own
class ChatTemplate {
 public:
  /// The one named `chosen`, else the one of the checkpoint. io::BadInput, saying what --template is for, where the
  /// checkpoint has none or another, and where the vocabulary lacks the special tokens. `tokenizer` must outlive it.
  ChatTemplate(const Checkpoint& checkpoint, const tokenizer::Tokenizer& tokenizer,
               const std::optional<std::string>& chosen);

  std::string_view name() const;
  /// The system message that stands where none is given.
  std::optional<std::string_view> default_system() const;
  /// The special token that ends a message: an answer ends with it, whatever else the checkpoint says.
  tokenizer::Id end() const { return end_; }

  /// The ids of a conversation, as transformers' apply_chat_template gives them, but for special tokens written in a
  /// content: they stay text. With `answer`: up to where an answer begins. io::BadInput where a content is not UTF-8.
  std::vector<tokenizer::Id> encode(std::span<const Message> messages, bool answer) const;

 private:
  struct Known;
  static const Known& find(const Checkpoint& checkpoint, const std::optional<std::string>& chosen);
  tokenizer::Id special(std::string_view text) const;
  void add_plain(std::vector<tokenizer::Id>& ids, std::string_view text) const;
  void add(std::vector<tokenizer::Id>& ids, const Message& message) const;

  const Known& known_;
  const tokenizer::Tokenizer& tokenizer_;
  tokenizer::Id begin_, end_;
};

}  // namespace lawful::model
