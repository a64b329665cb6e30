#include "model/speculate.hpp"

#include <algorithm>
#include <cmath>

namespace lawful::model {
namespace {

/// FNV-1a over the ids; two grams of one hash cost a wrong guess, nothing else.
std::uint64_t hash(std::span<const std::uint32_t> ids) {
  std::uint64_t h = 14695981039346656037ULL;
  for (const auto id : ids) h = (h ^ id) * 1099511628211ULL;
  return h;
}

double averaged(double average, double value) { return 0.8 * average + 0.2 * value; }

}  // namespace

void Lookup::append(std::uint32_t id) {
  ids_.push_back(id);
  if (ids_.size() < gram) return;
  const auto [at, fresh] = after_.try_emplace(hash(std::span(ids_).last(gram)), ids_.size());
  match_ = fresh ? 0 : at->second;
  at->second = ids_.size();
}

std::vector<std::uint32_t> Lookup::guess(std::size_t most) const {
  if (match_ == 0) return {};
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < most; ++i) out.push_back(ids_[match_ + i % (ids_.size() - match_)]);
  return out;
}

std::size_t Budget::allow(std::size_t offered) const {
  if (plain_ == 0.0) return 0;  // what a step costs is not known yet
  constexpr double margin = 0.2;
  const bool pays = right_ > per_guess_ + margin;
  const double at_stake = balance_ + std::max(0.02 * total_, pays ? plain_ : 0.0);
  const double guesses = std::floor(at_stake / (plain_ * std::max(per_guess_, 0.01)));
  return std::min({offered, most_guesses, static_cast<std::size_t>(std::clamp(guesses, 0.0, 1e3))});
}

void Budget::plain_step(double seconds, std::optional<bool> right) {
  total_ += seconds;
  plain_ = plain_ == 0.0 ? seconds : averaged(plain_, seconds);
  if (right) right_ = averaged(right_, *right ? 1.0 : 0.0);
}

void Budget::guessed_step(std::size_t guesses, std::size_t accepted, double seconds) {
  total_ += seconds;
  const double extra = std::max(0.0, seconds - plain_);
  per_guess_ = averaged(per_guess_, extra / plain_ / static_cast<double>(guesses));
  right_ = averaged(right_, static_cast<double>(accepted) / static_cast<double>(guesses));
  balance_ += plain_ * static_cast<double>(accepted) - extra;
  // What was gained long ago is no licence to lose it again.
  balance_ = std::min(balance_, 0.05 * total_);
}

}  // namespace lawful::model
