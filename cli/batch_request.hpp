// One line of a batch's input: a JSON object that says what to continue, and how.
#pragma once
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
  std::size_t tokens = 0;
  bool ignore_eos = false;
  model::Sampling sampling;
  std::vector<std::string> stops;
  std::optional<std::size_t> log_probabilities;  ///< of how many of the most probable ids
};

class BatchReader {
 public:
  BatchReader(const tokenizer::Tokenizer& tokenizer, BatchDefaults defaults)
      : tokenizer_(tokenizer), defaults_(std::move(defaults)) {}

  /// Never throws io::BadInput: what is wrong with the line is its result.
  BatchRequest read(std::string_view line, std::size_t number) const;

 private:
  const tokenizer::Tokenizer& tokenizer_;
  BatchDefaults defaults_;
};

}  // namespace lawful::cli
