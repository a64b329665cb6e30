// The choice of an id, against the definition in docs/sampling.md computed another way: for each id by itself, in long
// double with the C library's exp.
#include "model/log_probabilities.hpp"
#include "model/logarithm.hpp"
#include "model/philox.hpp"
#include "model/sampling.hpp"
#include "props/property.hpp"
#include "props/rejection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace {

using namespace lawful::props;
namespace model = lawful::model;
using Ids = std::vector<std::uint32_t>;

/// Logits with many ties and both zeros, or spread ones.
std::vector<float> some_logits() {
  const auto count = *rc::gen::inRange<std::size_t>(1, 60);
  const bool ties = *rc::gen::arbitrary<bool>();
  std::vector<float> out;
  for (std::size_t i = 0; i < count; ++i) {
    const float x = ties ? static_cast<float>(*rc::gen::inRange(-3, 4))
                         : static_cast<float>(*rc::gen::inRange(-200000, 200000)) / 20000.0F;
    out.push_back(x == 0.0F && *rc::gen::arbitrary<bool>() ? -0.0F : x);
  }
  return out;
}

model::Sampling some_settings() {
  model::Sampling s;
  s.temperature = *rc::gen::element(0.05, 0.2, 0.7, 1.0, 1.9, 50.0);
  s.top_k = *rc::gen::element<std::uint64_t>(0, 1, 2, 5, 1000);
  s.top_p = *rc::gen::element(1e-9, 0.1, 0.5, 0.9, 0.999, 1.0);
  s.min_p = *rc::gen::element(0.0, 0.02, 0.5, 1.0);
  s.repetition_penalty = *rc::gen::element(1.0, 1.0, 0.5, 1.2, 3.0);
  s.seed = *rc::gen::arbitrary<std::uint64_t>();
  return s;
}

struct Expected {
  std::vector<bool> kept;
  std::vector<long double> probability;  // after the filters
  bool clear = true;                     // no filter decides by less than rounding
};

Expected expected(const std::vector<float>& logits, const model::Sampling& s, const Ids& text) {
  const std::size_t n = logits.size();
  std::vector<float> score = logits;
  for (const auto id : std::set<std::uint32_t>(text.begin(), text.end()))
    if (id < n)
      score[id] = static_cast<float>(logits[id] > 0 ? logits[id] / s.repetition_penalty : logits[id] * s.repetition_penalty);
  const long double largest = *std::max_element(score.begin(), score.end());
  const auto weight = [&](std::size_t i) { return std::exp((score[i] - largest) / static_cast<long double>(s.temperature)); };
  const auto before = [&](std::size_t j, std::size_t i) { return score[j] > score[i] || (score[j] == score[i] && j < i); };
  const auto rank = [&](std::size_t i) {
    std::size_t r = 0;
    for (std::size_t j = 0; j < n; ++j) r += before(j, i);
    return r;
  };
  const auto in_top_k = [&](std::size_t i) { return s.top_k == 0 || rank(i) < s.top_k; };
  long double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in_top_k(i) ? weight(i) : 0.0L;
  Expected out{std::vector<bool>(n), std::vector<long double>(n), true};
  long double kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    long double better = 0;  // of the ids before it, all of which are in the top k if it is
    for (std::size_t j = 0; j < n; ++j) better += before(j, i) ? weight(j) : 0.0L;
    const long double missing = s.top_p - better / total;
    if (std::abs(missing) < 1e-12L || std::abs(weight(i) - s.min_p) < 1e-12L * (s.min_p < 1.0)) out.clear = false;
    out.kept[i] = in_top_k(i) && (s.top_p == 1.0 || missing > 0) && (weight(i) >= s.min_p || rank(i) == 0);
    out.probability[i] = out.kept[i] ? weight(i) : 0.0L;
    kept += out.probability[i];
  }
  for (auto& p : out.probability) p /= kept;
  return out;
}

bool near(double found, long double right, long double relative) {
  return std::abs(found - right) <= relative * std::abs(right);
}

}  // namespace

TEST_CASE("Philox4x32-10 gives the known answers of Random123") {
  using Block = std::array<std::uint32_t, 4>;
  CHECK(model::philox4x32({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint32_t ones = 0xffffffff;
  CHECK(model::philox4x32({ones, ones, ones, ones}, {ones, ones}) == Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(model::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a draw is the first 53 bits of its block, below 1, and another one for each seed and position") {
  CHECK(model::uniform(0, 0) == std::ldexp(static_cast<double>(0x6627e8d5e169c58dULL >> 11U), -53));
  std::set<double> seen;
  for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32U, ~0ULL})
    for (const std::uint64_t position : {0ULL, 1ULL, 2ULL, 1ULL << 32U, ~0ULL}) seen.insert(model::uniform(seed, position));
  CHECK(seen.size() == 20);
  CHECK(*seen.begin() >= 0.0);
  CHECK(*seen.rbegin() < 1.0);
}

TEST_CASE("exp and ln are right to 4 units in the last place") {
  double worst_exp = 0.0, worst_ln = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const double x = -700.0 * model::uniform(1, static_cast<std::uint64_t>(i)) * model::uniform(2, static_cast<std::uint64_t>(i));
    const auto right = std::exp(static_cast<long double>(x));
    worst_exp = std::max(worst_exp, static_cast<double>(std::abs(model::exp_of_negative(x) - right) / right));
    const double y = std::ldexp(0.5 + model::uniform(3, static_cast<std::uint64_t>(i)), i % 60 - 30);
    const auto ln = std::log(static_cast<long double>(y));
    worst_ln = std::max(worst_ln, static_cast<double>(std::abs(model::ln_of_positive(y) - ln) / std::max(std::abs(ln), 1e-3L)));
  }
  INFO("exp ", worst_exp, ", ln ", worst_ln);
  CHECK(worst_exp < 4 * 0x1p-52);
  CHECK(worst_ln < 4 * 0x1p-52);
  CHECK(model::exp_of_negative(0.0) == 1.0);
  CHECK(model::exp_of_negative(-701.0) == 0.0);
  CHECK(model::exp_of_negative(-std::numeric_limits<double>::infinity()) == 0.0);
  CHECK(model::ln_of_positive(1.0) == 0.0);
}

TEST_CASE("the filters keep what their definition says, with its probabilities, in its order") {
  int compared = 0;
  property("the same ids and probabilities as computed for each id by itself", [&] {
    const auto logits = some_logits();
    const auto settings = some_settings();
    const auto text = *rc::gen::container<Ids>(rc::gen::inRange<std::uint32_t>(0, 64));
    const Expected right = expected(logits, settings, text);
    RC_PRE(right.clear);
    ++compared;
    model::Chooser chooser(settings, text);
    const auto kept = chooser.keep(logits);
    double total = 0.0;
    for (const auto& c : kept) total += c.weight;
    RC_ASSERT(static_cast<std::size_t>(std::count(right.kept.begin(), right.kept.end(), true)) == kept.size());
    RC_ASSERT(kept.front().weight == 1.0);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      RC_ASSERT(right.kept[kept[i].id]);
      RC_ASSERT(near(kept[i].weight / total, right.probability[kept[i].id], 1e-12L));
      if (i > 0)
        RC_ASSERT(kept[i].weight < kept[i - 1].weight ||
                  (kept[i].weight == kept[i - 1].weight && kept[i].id > kept[i - 1].id));
    }
  }, 3000);
  CHECK(compared > 1500);
}

TEST_CASE("an id is chosen where the draw falls among the kept, and greedily where the temperature is 0") {
  property("the choice is that of the definition", [] {
    const auto logits = some_logits();
    auto settings = some_settings();
    const auto text = *rc::gen::container<Ids>(rc::gen::inRange<std::uint32_t>(0, 64));
    model::Chooser chooser(settings, text);
    const auto id = chooser.choose(logits);
    RC_ASSERT(chooser.choose(logits) == id);  // it draws nothing away
    const auto kept = chooser.keep(logits);
    long double total = 0, below = 0;
    for (const auto& c : kept) total += c.weight;
    std::size_t at = 0;
    while (kept[at].id != id) below += kept[at++].weight;
    const long double drawn = model::uniform(settings.seed, text.size());
    RC_ASSERT(below / total <= drawn + 1e-12L);
    RC_ASSERT((below + kept[at].weight) / total >= drawn - 1e-12L);
    settings.temperature = 0.0;
    RC_ASSERT(model::Chooser(settings, text).choose(logits) == kept.front().id);
  }, 1000);
}

TEST_CASE("a text told id by id is the text told at once; repeated ids count once") {
  const std::vector<float> logits{1.0F, 1.2F, -0.5F, 0.9F};
  const model::Sampling settings{0.8, 0, 1.0, 0.0, 1.3, 11};
  const Ids text{1, 1, 3, 1};
  model::Chooser grown(settings);
  for (const auto id : text) grown.append(id);
  CHECK(grown.choose(logits) == model::Chooser(settings, text).choose(logits));
  CHECK(model::Chooser(settings, text).keep(logits).front().id == 0);  // 1.2 / 1.3 < 1
  CHECK(model::Chooser({0.0, 0, 1.0, 0.0, 1.3, 11}, text).choose(logits) == 0);
}

TEST_CASE("of equal logits the lowest id comes first, through every filter; one is always kept") {
  const std::vector<float> equal(300, 2.5F);
  CHECK(model::Chooser({0.0}).choose(equal) == 0);
  for (const model::Sampling& s : {model::Sampling{1.0, 3, 1.0, 0.0}, {1.0, 0, 0.0099, 0.0}, {1.0, 3, 1.0, 1.0}}) {
    model::Chooser chooser(s);
    const auto kept = chooser.keep(equal);
    REQUIRE(kept.size() == 3);
    for (std::uint32_t i = 0; i < 3; ++i) CHECK(kept[i].id == i);
  }
  const std::vector<float> spread{0.0F, 9.0F, -1e30F, 3e38F, -3e38F};
  for (const model::Sampling& s : {model::Sampling{1e-300, 0, 1e-300, 1.0}, {1e300, 0, 1e-300, 0.0}, {1.0, 1, 1.0, 0.0},
                                   {1.0, 0, 1.0, 1.0, 100.0}}) {
    model::Chooser chooser(s, Ids{3, 4});
    CHECK(chooser.keep(spread).size() == 1);
    CHECK(chooser.choose(spread) == 3);
  }
  CHECK(model::Chooser({1.0}).choose(std::vector<float>{-7.0F}) == 0);
}

TEST_CASE("settings that cannot be are refused by name, and logits that are not finite") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  const auto refused = [](const model::Sampling& s) { return rejection([&] { model::Chooser chooser(s); }); };
  for (const double bad : {-0.1, nan, infinite, -infinite}) CHECK(contains(refused({bad}), "temperature: expected"));
  for (const double bad : {0.0, -0.1, 1.0001, nan}) CHECK(contains(refused({1.0, 0, bad}), "top_p: expected"));
  for (const double bad : {-0.1, 1.0001, nan}) CHECK(contains(refused({1.0, 0, 1.0, bad}), "min_p: expected"));
  for (const double bad : {0.0, -1.0, 101.0, nan}) CHECK(contains(refused({1.0, 0, 1.0, 0.0, bad}), "repetition_penalty: exp"));
  CHECK(refused({0.0, 1, 1e-9, 1.0, 0.01}).empty());
  CHECK(contains(rejection([] { model::require_sound({1.0, 0, 2.0}, model::Named::as_options); }), "--top-p: expected"));
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()})
    CHECK_THROWS_AS(model::Chooser({1.0}).choose(std::vector<float>{0.0F, bad}), lawful::io::Failure);
}

TEST_CASE("logarithms of probabilities are those of softmax, whatever the settings") {
  property("ln softmax in long double", [] {
    const auto logits = some_logits();
    const auto chosen = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(logits.size()));
    const auto count = *rc::gen::inRange<std::size_t>(0, 70);
    const auto found = model::log_probabilities(logits, chosen, count);
    long double total = 0;
    for (const float x : logits) total += std::exp(static_cast<long double>(x));
    const auto right = [&](std::uint32_t id) { return logits[id] - std::log(total); };
    RC_ASSERT(found.chosen.id == chosen);
    RC_ASSERT(std::abs(found.chosen.value - right(chosen)) < 1e-13L);
    RC_ASSERT(found.top.size() == std::min(count, logits.size()));
    for (std::size_t i = 0; i < found.top.size(); ++i) {
      RC_ASSERT(std::abs(found.top[i].value - right(found.top[i].id)) < 1e-13L);
      RC_ASSERT(found.top[i].value <= 0.0);
      const auto better = std::count_if(logits.begin(), logits.end(), [&](float x) { return x > logits[found.top[i].id]; });
      const auto same = std::count(logits.begin(), logits.begin() + found.top[i].id, logits[found.top[i].id]);
      RC_ASSERT(static_cast<std::size_t>(better + same) == i);
    }
  });
}
