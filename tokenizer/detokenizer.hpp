// Decoding while the ids are still being made: characters come out whole, and as early as they can.
#pragma once
#include <string>
#include <string_view>

#include "tokenizer/tokenizer.hpp"

namespace lawful::tokenizer {

/// Turns ids into text one at a time. The pieces that push() and finish() hand out are, joined, decode() of all ids.
/// At most 3 bytes are held back: the beginning of a character that the next id may complete. Bytes that can no longer
/// become valid UTF-8 are handed out as they are.
class Detokenizer {
 public:
  /// `tokenizer` must outlive this object.
  explicit Detokenizer(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}

  /// The text that `id` completes, perhaps empty; the view is good until the next call.
  /// io::BadInput if the id is not below the tokenizer's size().
  std::string_view push(Id id);

  /// What is still held back (an unfinished character), and a fresh start. The view is good until the next call.
  std::string_view finish();

  /// How many bytes are held back: 0 to 3.
  std::size_t held() const { return buffer_.size() - given_; }

 private:
  const Tokenizer* tokenizer_;
  std::string buffer_;     // what the last call handed out, then what is held back
  std::size_t given_ = 0;  // how much of buffer_ was handed out
};

}  // namespace lawful::tokenizer
