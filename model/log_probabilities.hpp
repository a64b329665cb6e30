// The logarithms of the model's own probabilities: softmax of the logits, before any setting of sampling.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lawful::model {

struct LogProbability {
  std::uint32_t id;
  double value;  ///< natural logarithm, at most 0
};

struct StepLogProbabilities {
  LogProbability chosen;
  std::vector<LogProbability> top;  ///< the most probable ids, falling; of equal ones the lowest id first
};

/// Of the step that chose `chosen` from `logits` (finite, not empty): at most `count` top ids. The sum runs in rising
/// order of the ids, in double.
StepLogProbabilities log_probabilities(std::span<const float> logits, std::uint32_t chosen, std::size_t count);

}  // namespace lawful::model
