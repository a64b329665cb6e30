// Ids to the text that is shown: whole characters, and nothing from a stop text on.
#pragma once
#include "model/stop_text.hpp"
#include "tokenizer/detokenizer.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lawful::model {

class TextStream {
 public:
  /// `tokenizer` must outlive this object. io::BadInput as StopText.
  explicit TextStream(const tokenizer::Tokenizer& tokenizer, std::vector<std::string> stops = {})
      : characters_(tokenizer), stops_(std::move(stops)) {}

  /// The text that `id` completes, perhaps empty.
  std::string push(std::uint32_t id) { return stops_.push(characters_.push(id)); }
  /// Whether a stop text has appeared: the generation is to end.
  bool stopped() const { return stops_.found(); }
  /// What is still held back, at the end.
  std::string finish() {
    std::string rest = stops_.push(characters_.finish());
    return rest + stops_.finish();
  }

 private:
  tokenizer::Detokenizer characters_;
  StopText stops_;
};

}  // namespace lawful::model
