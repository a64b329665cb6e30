#include "model/sampling.hpp"

#include "io/bad_input.hpp"
#include "model/logarithm.hpp"
#include "model/philox.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace lawful::model {
namespace {

std::string name_of(std::string_view field, Named named) {
  if (named == Named::as_fields) return std::string(field);
  std::string option = "--" + std::string(field);
  std::ranges::replace(option, '_', '-');
  return option;
}

/// The bits of a float as an unsigned number in falling order of the floats; -0 as 0.
std::uint32_t falling_key(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x + 0.0F);
  constexpr std::uint32_t sign = 0x80000000U;
  return (bits & sign) != 0 ? bits : ~(bits | sign);
}

}  // namespace

void require_sound(const Sampling& s, Named named) {
  const auto require = [&](bool sound, std::string_view field, std::string_view expected, double found) {
    if (!sound) io::reject(name_of(field, named), expected, fmt::to_string(found));
  };
  // Written so that NaN is refused.
  require(s.temperature >= 0.0 && s.temperature <= std::numeric_limits<double>::max(), "temperature",
          "a number from 0 on", s.temperature);
  require(s.top_p > 0.0 && s.top_p <= 1.0, "top_p", "a number above 0 and at most 1", s.top_p);
  require(s.min_p >= 0.0 && s.min_p <= 1.0, "min_p", "a number from 0 to 1", s.min_p);
  require(s.repetition_penalty >= 0.01 && s.repetition_penalty <= 100.0, "repetition_penalty",
          "a number from 0.01 to 100", s.repetition_penalty);
}

std::uint32_t argmax(std::span<const float> logits) {
  // Two plain passes, since both become vector code: over bits for what is not finite and for the largest (as signed
  // integers in the order of the floats), then for the first that equals it.
  constexpr std::uint32_t exponent = 0x7f800000;
  std::int32_t largest = std::numeric_limits<std::int32_t>::min();
  std::uint32_t unusable = 0;
  for (const float x : logits) {
    const auto bits = std::bit_cast<std::int32_t>(x);
    const std::int32_t ordered = bits ^ ((bits >> 31) & 0x7fffffff);
    largest = ordered > largest ? ordered : largest;
    unusable |= (std::bit_cast<std::uint32_t>(x) & exponent) == exponent ? 1U : 0U;
  }
  const float most = std::bit_cast<float>(largest ^ ((largest >> 31) & 0x7fffffff));
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (unusable != 0 && !std::isfinite(logits[i]))
      throw io::Failure(fmt::format("logits: id {} has the value {}; the weights or the activations are not finite", i,
                                    logits[i]));
    if (unusable == 0 && logits[i] == most) return static_cast<std::uint32_t>(i);
  }
  throw io::Failure("logits: none");
}

Chooser::Chooser(const Sampling& sampling, std::span<const std::uint32_t> text) : sampling_(sampling) {
  require_sound(sampling);
  for (const auto id : text) append(id);
}

void Chooser::append(std::uint32_t id) {
  ++position_;
  if (sampling_.repetition_penalty != 1.0) seen_.insert(id);
}

std::span<const float> Chooser::scores(std::span<const float> logits) {
  if (seen_.empty()) return logits;
  scores_.assign(logits.begin(), logits.end());
  constexpr double most = std::numeric_limits<float>::max();
  for (const auto id : seen_) {
    if (id >= logits.size()) continue;
    const double logit = logits[id], penalty = sampling_.repetition_penalty;
    scores_[id] = static_cast<float>(std::clamp(logit > 0.0 ? logit / penalty : logit * penalty, -most, most));
  }
  return scores_;
}

/// Radix sort by falling score. It is stable, and begins in rising order of the ids: so equal scores stay in it.
void Chooser::rank(std::span<const float> scores) {
  constexpr std::uint32_t bits = 11, values = 1U << bits;
  ranked_.resize(scores.size());
  other_.resize(scores.size());
  for (std::size_t id = 0; id < scores.size(); ++id)
    ranked_[id] = {falling_key(scores[id]), static_cast<std::uint32_t>(id)};
  for (std::uint32_t shift = 0; shift < 32; shift += bits) {
    std::array<std::uint32_t, values + 1> begin{};
    for (const auto& r : ranked_) ++begin[(r.key >> shift) % values + 1];
    for (std::uint32_t v = 0; v < values; ++v) begin[v + 1] += begin[v];
    for (const auto& r : ranked_) other_[begin[(r.key >> shift) % values]++] = r;
    ranked_.swap(other_);
  }
}

std::span<const Candidate> Chooser::keep(std::span<const float> logits) {
  argmax(logits);  // refuses what is not finite
  const auto score = scores(logits);
  rank(score);
  if (sampling_.top_k != 0 && sampling_.top_k < ranked_.size()) ranked_.resize(sampling_.top_k);
  const double largest = score[ranked_.front().id];
  candidates_.resize(ranked_.size());
  double total = 0.0;
  for (std::size_t i = 0; i < ranked_.size(); ++i) {
    const std::uint32_t id = ranked_[i].id;
    const double weight = exp_of_negative((static_cast<double>(score[id]) - largest) / sampling_.temperature);
    candidates_[i] = {id, weight};
    total += weight;
  }
  std::size_t kept = candidates_.size();
  if (sampling_.top_p < 1.0) {
    double reached = 0.0;
    for (kept = 0; kept < candidates_.size() && reached < sampling_.top_p * total;) reached += candidates_[kept++].weight;
  }
  while (kept > 1 && candidates_[kept - 1].weight < sampling_.min_p) --kept;
  return std::span(candidates_).first(kept);
}

std::uint32_t Chooser::choose(std::span<const float> logits) {
  if (sampling_.temperature == 0.0) return argmax(scores(logits));
  const auto kept = keep(logits);
  double total = 0.0, reached = 0.0;
  for (const auto& candidate : kept) total += candidate.weight;
  const double drawn = uniform(sampling_.seed, position_) * total;
  for (const auto& candidate : kept) {
    reached += candidate.weight;
    if (drawn < reached) return candidate.id;
  }
  return kept.back().id;  // not reached: uniform() is below 1, and so is drawn below the total
}

}  // namespace lawful::model
