#include "tokenizer/detokenizer.hpp"

#include "io/utf8.hpp"

namespace lawful::tokenizer {

std::string_view Detokenizer::push(Id id) {
  const std::string_view bytes = tokenizer_->token_bytes(id);
  buffer_.erase(0, given_);
  buffer_ += bytes;
  given_ = buffer_.size() - io::unfinished_utf8_suffix(buffer_);
  return std::string_view(buffer_).substr(0, given_);
}

std::string_view Detokenizer::finish() {
  buffer_.erase(0, given_);
  given_ = buffer_.size();
  return buffer_;
}

}  // namespace lawful::tokenizer
