// Guesses never change a text; they only may make it faster.
#include "model/generate.hpp"
#include "model/speculate.hpp"
#include "props/model/tiny.hpp"
#include "props/property.hpp"

#include <algorithm>
#include <vector>

namespace {

using namespace lawful::props;
namespace model = lawful::model;

const Tiny& tiny() {
  static const Tiny one = tiny_gguf(tiny_weights());
  return one;
}

struct Run {
  model::Generated made;
  std::size_t length;      // of the sequence afterwards
  Ids seen;
};

Run run(const Ids& prompt, std::size_t tokens, const Ids& eos, model::Guessing guessing,
        const model::Sampling& sampling = {}) {
  auto sequence = tiny().sequence();
  auto logits = model::prefill(*sequence, prompt, 16, [](std::size_t) {});
  Run out;
  model::Limits limits{tokens, eos, guessing};
  limits.sampling = sampling;
  out.made = model::generate(*sequence, prompt, std::move(logits), limits,
                             [&](std::uint32_t id) { out.seen.push_back(id); });
  out.length = sequence->length();
  return out;
}

}  // namespace

TEST_CASE("a text made with guesses is the text made without, wherever it ends, drawn or not") {
  std::size_t guessed = 0, accepted_draws = 0;
  property("the same ids, the same reason to stop, the same positions taken", [&] {
    // A prompt that repeats itself, so that there is something to guess from.
    const Ids part = random_ids(*rc::gen::inRange<std::size_t>(1, 8), *rc::gen::arbitrary<std::uint32_t>());
    Ids prompt;
    for (int i = 0; i < 3; ++i) prompt.insert(prompt.end(), part.begin(), part.end());
    const auto tokens = *rc::gen::inRange<std::size_t>(0, 70);  // past the end of the context too
    const Ids ends = *rc::gen::arbitrary<bool>() ? Ids{static_cast<std::uint32_t>(*rc::gen::inRange(0, 256))} : Ids{};
    model::Sampling sampling;
    if (*rc::gen::arbitrary<bool>())
      sampling = {*rc::gen::element(0.2, 1.0), *rc::gen::element<std::uint64_t>(0, 2, 40), *rc::gen::element(0.3, 1.0),
                  0.0, *rc::gen::element(1.0, 0.5, 1.3), *rc::gen::arbitrary<std::uint64_t>()};
    const Run plain = run(prompt, tokens, ends, model::Guessing::never, sampling);
    const Run fast = run(prompt, tokens, ends,
                         *rc::gen::element(model::Guessing::always, model::Guessing::where_it_pays), sampling);
    guessed += fast.made.guessed;
    if (sampling.temperature > 0.0) accepted_draws += fast.made.accepted;
    RC_CLASSIFY(plain.made.stop == model::Stop::context, "the context's end");
    RC_CLASSIFY(plain.made.stop == model::Stop::length, "the limit");
    RC_ASSERT(fast.made.ids == plain.made.ids);
    RC_ASSERT(fast.seen == plain.made.ids);
    RC_ASSERT(fast.made.stop == plain.made.stop);
    RC_ASSERT(plain.made.stop == model::Stop::eos || fast.length == plain.length);
    RC_ASSERT(fast.made.accepted <= fast.made.guessed);
    RC_ASSERT(plain.made.guessed == 0U);
  }, 200);
  CHECK(guessed > 100);  // the property is about something
  CHECK(accepted_draws > 20);
}

TEST_CASE("a guess is what followed the last earlier occurrence, going round where that is near") {
  model::Lookup text;
  CHECK(text.guess(3).empty());
  for (const std::uint32_t id : {1, 2, 3, 7, 8, 9, 1, 2}) text.append(id);
  CHECK(text.guess(3).empty());
  text.append(3);
  CHECK(text.guess(4) == std::vector<std::uint32_t>{7, 8, 9, 1});
  for (const std::uint32_t id : {5, 5, 5, 5}) text.append(id);
  CHECK(text.guess(3) == std::vector<std::uint32_t>{5, 5, 5});
}

namespace {

struct Played {
  double lost = 0.0, total = 0.0;  // plain steps
  int guessed_steps = 0;
};

/// Steps at each of which a guess is right or not; one more guess costs `per_guess` of a plain step.
Played play(model::Budget& budget, const std::vector<bool>& right, double per_guess) {
  constexpr double plain = 0.01;
  Played out;
  for (const bool is_right : right) {
    const std::size_t guesses = budget.allow(3), accepted = is_right ? guesses : 0;
    const double extra = per_guess * static_cast<double>(guesses);
    guesses == 0 ? budget.plain_step(plain, is_right) : budget.guessed_step(guesses, accepted, plain * (1 + extra));
    out.lost += extra - static_cast<double>(accepted);
    out.total += 1.0 + extra;
    out.guessed_steps += guesses > 0;
  }
  return out;
}

}  // namespace

TEST_CASE("guesses cost at most 3 % of the time, or what the first one cost, whenever they are wrong") {
  property("right and wrong guesses in runs of any length", [](const std::vector<std::uint8_t>& runs) {
    std::vector<bool> right;
    for (std::size_t i = 0; i < runs.size(); ++i) right.insert(right.end(), runs[i], i % 2 == 0);
    const double per_guess = *rc::gen::element(0.05, 0.4, 1.0);
    model::Budget budget;
    const Played played = play(budget, right, per_guess);
    RC_ASSERT(played.lost <= std::max({1.0, 2.0 * per_guess, 0.03 * played.total}));
  }, 500);
  for (const double per_guess : {0.1, 0.5, 1.0, 3.0}) {
    model::Budget budget;
    const Played played = play(budget, std::vector<bool>(5000, false), per_guess);
    INFO("a guess costs ", per_guess, " of a step");
    CHECK(played.lost <= 0.03 * played.total);
    CHECK(played.guessed_steps > 5);  // it may have become right
  }
}

TEST_CASE("right guesses are taken as soon as three were seen to be right, and wrong ones before are no hindrance") {
  model::Budget fresh;
  const Played played = play(fresh, std::vector<bool>(103, true), 0.4);
  CHECK(played.guessed_steps >= 99);
  model::Budget budget;
  play(budget, std::vector<bool>(300, false), 0.1);
  CHECK(play(budget, std::vector<bool>(100, true), 0.1).guessed_steps >= 90);
}
