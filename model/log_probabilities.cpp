#include "model/log_probabilities.hpp"

#include "model/logarithm.hpp"
#include "model/sampling.hpp"

#include <algorithm>
#include <numeric>

namespace lawful::model {

StepLogProbabilities log_probabilities(std::span<const float> logits, std::uint32_t chosen, std::size_t count) {
  const double largest = logits[argmax(logits)];
  double total = 0.0;
  for (const float logit : logits) total += exp_of_negative(static_cast<double>(logit) - largest);
  const double log_total = ln_of_positive(total);
  const auto of = [&](std::uint32_t id) {
    return LogProbability{id, (static_cast<double>(logits[id]) - largest) - log_total};
  };
  std::vector<std::uint32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0U);
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(count, ids.size()));
  std::partial_sort(ids.begin(), end, ids.end(), [&](std::uint32_t a, std::uint32_t b) {
    return logits[a] > logits[b] || (logits[a] == logits[b] && a < b);
  });
  StepLogProbabilities out{of(chosen), {}};
  std::transform(ids.begin(), end, std::back_inserter(out.top), of);
  return out;
}

}  // namespace lawful::model
