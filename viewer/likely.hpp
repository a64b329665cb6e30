// The likeliest tokens of a row of logits.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace lawful::viewer {

/// An id and the probability that the softmax of the logits gives to it.
struct Likely {
  std::uint32_t id;
  double probability;
};

/// The `count` likeliest ids, likeliest first, of equal ones the lowest. Softmax in double.
std::vector<Likely> likeliest(std::span<const float> logits, std::size_t count);

/// The probability of one id.
double probability(std::span<const float> logits, std::uint32_t id);

}  // namespace lawful::viewer
