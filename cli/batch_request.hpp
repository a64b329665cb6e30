// One line of a batch's input: a JSON object that says what to continue, and how.
#pragma once
#include "model/chat_template.hpp"
#include "model/sampling.hpp"
#include "tokenizer/tokenizer.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lawful::cli {

/// What holds for a line that does not say.
struct BatchDefaults {
  std::size_t tokens;
  bool ignore_eos;
  model::Sampling sampling;          ///< a line's seed is this one plus the line's number
  std::vector<std::string> stops;
};

/// A line as it was understood.
struct BatchRequest {
  std::string id;     ///< the line's own, as JSON; empty where it has none
  std::string error;  ///< why it cannot be done, naming the line; else empty
  std::vector<std::uint32_t> prompt;
  bool is_conversation = false;  ///< the answer ends with its message's end too
  std::size_t tokens = 0;
  bool ignore_eos = false;
  model::Sampling sampling;
  std::vector<std::string> stops;
  std::optional<std::size_t> log_probabilities;  ///< of how many of the most probable ids
};

/// The form of conversations, or why there is none: that matters only to lines that have messages.
struct BatchForm {
  std::optional<model::ChatTemplate> form;
  std::string why_none;
};

class BatchReader {
 public:
  /// `tokenizer` and `form` must outlive this object.
  BatchReader(const tokenizer::Tokenizer& tokenizer, const BatchForm& form, BatchDefaults defaults)
      : tokenizer_(tokenizer), form_(form), defaults_(std::move(defaults)) {}

  /// Never throws io::BadInput: what is wrong with the line is its result.
  BatchRequest read(std::string_view line, std::size_t number) const;

 private:
  const tokenizer::Tokenizer& tokenizer_;
  const BatchForm& form_;
  BatchDefaults defaults_;
};

}  // namespace lawful::cli
