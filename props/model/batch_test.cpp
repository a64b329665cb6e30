// A batch gives every text what `generate` gives it alone: ids, reason to stop, and the bits of every row of logits
// that an id was chosen from.
#include "model/batch.hpp"

#include "io/bad_input.hpp"
#include "kernels/isa.hpp"
#include "kernels/team.hpp"
#include "props/kernels/settings.hpp"
#include "props/model/tiny.hpp"
#include "props/property.hpp"
#include "props/rejection.hpp"

#include <algorithm>
#include <map>

namespace {

using namespace lawful::props;
namespace model = lawful::model;
namespace kernels = lawful::kernels;

constexpr std::size_t context = model::tiny::config.context;

const Tiny& tiny() {
  static const Tiny one = tiny_gguf(tiny_weights());
  return one;
}

struct Wish {
  Ids prompt;
  std::size_t tokens;
  Ids eos;
  model::Sampling sampling = {};
  std::size_t stopped_after = 1000;  // ids
};

struct Outcome {
  Ids ids;
  model::Stop stop;
  std::vector<float> logits;
  bool operator==(const Outcome&) const = default;
};

model::Limits limits_of(const Wish& wish, std::vector<float>& logits, const std::size_t& seen) {
  model::Limits limits{wish.tokens, wish.eos};
  limits.chosen_from = [&](std::span<const float> row, std::uint32_t) {
    logits.insert(logits.end(), row.begin(), row.end());
  };
  limits.sampling = wish.sampling;
  limits.stopped = [&, after = wish.stopped_after] { return seen == after; };
  return limits;
}

Outcome alone(const Wish& wish, std::size_t positions) {
  auto sequence = tiny().model->sequence(positions);
  auto logits = model::prefill(*sequence, wish.prompt, 16, [](std::size_t) {});
  Outcome out;
  std::size_t seen = 0;
  const auto limits = limits_of(wish, out.logits, seen);
  const auto made = model::generate(*sequence, wish.prompt, std::move(logits), limits, [&](std::uint32_t) { ++seen; });
  out.ids = made.ids;
  out.stop = made.stop;
  return out;
}

/// All wishes through one batch; `most_together` is set to how many were under way at once.
std::map<std::size_t, Outcome> together(const std::vector<Wish>& wishes, model::Batch::Settings settings,
                                        std::size_t* most_together = nullptr) {
  model::Batch batch(*tiny().model, settings);
  std::map<std::size_t, Outcome> out;
  std::map<std::size_t, std::size_t> seen;
  std::size_t next = 0, under_way = 0;
  while (next < wishes.size() || !batch.empty()) {
    for (; next < wishes.size() && batch.has_room(); ++next, ++under_way) {
      std::size_t& count = seen[next];
      batch.add(next, {wishes[next].prompt, limits_of(wishes[next], out[next].logits, count), [&count](std::uint32_t) { ++count; }});
    }
    if (most_together != nullptr) *most_together = std::max(*most_together, under_way);
    for (auto& result : batch.step()) {
      CHECK(result.failure == "");
      CHECK(result.made.ids.size() == seen[result.number]);
      out[result.number].ids = result.made.ids;
      out[result.number].stop = result.made.stop;
      --under_way;
    }
  }
  return out;
}

model::BatchText text(Ids prompt, std::size_t tokens) { return {std::move(prompt), {tokens, {}}}; }

std::vector<Wish> some_wishes(std::size_t count, std::uint64_t seed) {
  std::vector<Wish> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back({random_ids(1 + 7 * i % 40, seed + i), 1 + 11 * i % 30, i % 3 == 0 ? Ids{} : random_ids(3, seed + 50 + i)});
    if (i % 2 == 0) out.back().sampling = {1.5, 40, 0.95, 0.0, 1.1, seed + i};
  }
  return out;
}

}  // namespace

TEST_CASE("texts of a batch are those that they are alone, whatever is beside them and whenever they come") {
  std::map<model::Stop, std::size_t> ends;
  std::size_t most = 0;
  property("ids, stop and logits of every text", [&] {
    std::vector<Wish> wishes(*rc::gen::inRange<std::size_t>(1, 12));
    const auto positions = *rc::gen::inRange<std::size_t>(8, context + 1);
    for (auto& wish : wishes) {
      wish.prompt = random_ids(*rc::gen::inRange<std::size_t>(1, positions + 1), *rc::gen::arbitrary<std::uint32_t>());
      wish.tokens = *rc::gen::inRange<std::size_t>(0, 70);
      wish.eos = random_ids(*rc::gen::inRange<std::size_t>(0, 20), *rc::gen::arbitrary<std::uint32_t>());
      if (*rc::gen::arbitrary<bool>()) wish.sampling = {2.0, 0, 0.9, 0.0, 1.2, *rc::gen::arbitrary<std::uint64_t>()};
      if (*rc::gen::arbitrary<bool>()) wish.stopped_after = *rc::gen::inRange<std::size_t>(1, 30);
    }
    const auto sets = kernels::instruction_sets();
    kernels::use_instruction_set(sets[*rc::gen::inRange<std::size_t>(0, sets.size())]);
    kernels::use_threads(*rc::gen::inRange(1, 4));
    const auto found = together(wishes, {*rc::gen::inRange<std::size_t>(1, 9), positions,
                                         *rc::gen::inRange<std::size_t>(1, 50)}, &most);
    RC_ASSERT(found.size() == wishes.size());
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      const Outcome expected = alone(wishes[i], positions);
      ++ends[expected.stop];
      RC_ASSERT(found.at(i).ids == expected.ids);
      RC_ASSERT(found.at(i).stop == expected.stop);
      RC_ASSERT(found.at(i).logits == expected.logits);
    }
  }, 60);
  kernels::use_instruction_set(kernels::instruction_sets().front());
  kernels::use_threads(kernels::machine_threads());
  CHECK(most > 4);
  for (const auto stop : {model::Stop::eos, model::Stop::length, model::Stop::context, model::Stop::stop}) CHECK(ends[stop] > 10);
}

TEST_CASE("a batch has the same bits on every setting") {
  const auto wishes = some_wishes(9, 300);
  const auto expected = together(wishes, {1, context, 256});
  on_every_setting([&] { CHECK(together(wishes, {5, context, 20}) == expected); });
}

TEST_CASE("no more texts than wanted are under way, and one that ends makes room at once") {
  const auto wishes = some_wishes(9, 400);
  for (const std::size_t parallel : {1, 2, 4, 9, 20}) {
    std::size_t most = 0;
    together(wishes, {parallel, context, 256}, &most);
    CHECK(most == std::min<std::size_t>(parallel, 9));
  }
  model::Batch batch(*tiny().model, {2, context, 256});
  batch.add(0, text({5}, 1));
  batch.add(1, text({6}, 3));
  CHECK_FALSE(batch.has_room());
  const auto first = batch.step();
  REQUIRE(first.size() == 1);
  CHECK(first[0].number == 0);
  CHECK(batch.has_room());
  batch.add(2, text({7}, 2));
  CHECK(batch.step().empty());
  CHECK(batch.step().size() == 2);  // both end in the same pass
  CHECK(batch.empty());
}

TEST_CASE("texts under way are not held up by the long prompt of another") {
  model::Batch batch(*tiny().model, {2, context, 4});
  batch.add(0, text({5}, 5));
  batch.step();
  batch.add(1, text(random_ids(30, 9), 1));
  for (int pass = 2; pass < 5; ++pass) CHECK(batch.step().empty());
  const auto ended = batch.step();  // the fifth token, though 30 positions at 3 a pass are not done
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].number == 0);
  CHECK(batch.computed() == 5 + 4 * 3);
  CHECK(batch.chosen() == 5);
}

TEST_CASE("texts of no new tokens end in the next pass without being computed") {
  model::Batch batch(*tiny().model, {3, context, 256});
  batch.add(1, text({5, 6}, 0));
  const auto ended = batch.step();
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].made.ids.empty());
  CHECK(ended[0].made.stop == model::Stop::length);
  CHECK(batch.computed() == 0);
}

TEST_CASE("prompts that cannot be are refused, and the others go on") {
  model::Batch batch(*tiny().model, {8, 10, 256});
  batch.add(0, text({5}, 2));
  CHECK(contains(rejection([&] { batch.add(1, text({}, 2)); }), "prompt: expected at least one token"));
  CHECK(contains(rejection([&] { batch.add(1, text(random_ids(11, 1), 2)); }),
                 "prompt: expected at most 10 tokens (the context), found 11"));
  CHECK(contains(rejection([&] { batch.add(1, text({5, 256}, 2)); }), "token id: expected 0 to 255"));
  auto hot = text({5}, 2);
  hot.limits.sampling.temperature = -1;
  CHECK(contains(rejection([&] { batch.add(1, hot); }), "temperature"));
  batch.step();
  CHECK(batch.step().size() == 1);
  CHECK(batch.empty());
}

TEST_CASE("how many texts go together follows from memory, at least one") {
  const auto& m = *tiny().model;
  const std::size_t each = m.cache_bytes(context);
  CHECK(model::default_parallel(m, context, 0) == 1);
  CHECK(model::default_parallel(m, context, 2 * each) == 1);
  CHECK(model::default_parallel(m, context, 10 * each) == 5);
  CHECK(model::default_parallel(m, context, std::size_t{1} << 40) >= 8);
}
