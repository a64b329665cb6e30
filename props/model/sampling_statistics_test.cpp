// Draws against the exact distribution: Pearson's chi-square with fixed seeds.
#include "model/sampling.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace {

namespace model = lawful::model;

const std::vector<float> logits{2.0F, -1.0F, 0.5F, 0.5F, 3.0F, 1.0F, -4.0F, 2.5F, 0.0F, 1.5F, -0.5F, 2.9F};
constexpr int draws = 60000;

std::vector<int> counts(const model::Sampling& settings) {
  std::vector<int> out(logits.size());
  model::Chooser chooser(settings);
  for (int i = 0; i < draws; ++i) {
    const auto id = chooser.choose(logits);
    ++out[id];
    chooser.append(id);  // the next position
  }
  return out;
}

/// softmax(logits / temperature) over the `kept` ids.
std::vector<double> distribution(double temperature, const std::vector<std::uint32_t>& kept) {
  std::vector<double> p(logits.size());
  double total = 0.0;
  for (const auto id : kept) total += p[id] = std::exp(logits[id] / temperature);
  for (auto& x : p) x /= total;
  return p;
}

/// The statistic over the ids of positive probability; infinite where another id was drawn.
double chi_square(const std::vector<int>& found, const std::vector<double>& p) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double wanted = p[i] * draws;
    if (wanted == 0.0 && found[i] != 0) return HUGE_VAL;
    if (wanted > 0.0) sum += (found[i] - wanted) * (found[i] - wanted) / wanted;
  }
  return sum;
}

const std::vector<std::uint32_t> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

}  // namespace

TEST_CASE("draws are distributed as softmax says, for every seed and filter") {
  constexpr double quantile_11 = 31.26, quantile_3 = 16.27;  // 0.999 of chi-square with 11 and with 3 degrees
  for (const std::uint64_t seed : {0ULL, 1ULL, 2024ULL, 1ULL << 40U}) {
    CAPTURE(seed);
    CHECK(chi_square(counts({1.0, 0, 1.0, 0.0, 1.0, seed}), distribution(1.0, all)) < quantile_11);
    CHECK(chi_square(counts({1.7, 0, 1.0, 0.0, 1.0, seed}), distribution(1.7, all)) < quantile_11);
    CHECK(chi_square(counts({1.0, 4, 1.0, 0.0, 1.0, seed}), distribution(1.0, {4, 11, 7, 0})) < quantile_3);
    // The four most probable reach 0.79, and the third is exp(-0.5) = 0.61 of the first, the fourth 0.37.
    CHECK(chi_square(counts({1.0, 0, 0.75, 0.0, 1.0, seed}), distribution(1.0, {4, 11, 7, 0})) < quantile_3);
    CHECK(chi_square(counts({1.0, 0, 1.0, 0.36, 1.0, seed}), distribution(1.0, {4, 11, 7, 0})) < quantile_3);
  }
}

TEST_CASE("the statistic tells a wrong distribution") {
  const auto found = counts({1.0, 0, 1.0, 0.0, 1.0, 0});
  CHECK(chi_square(found, distribution(1.03, all)) > 31.26);
  CHECK(chi_square(found, distribution(1.0, {4, 11, 7, 0})) == HUGE_VAL);
  const auto next = counts({1.0, 0, 1.0, 0.0, 1.0, 1});
  CHECK(found != next);
}
