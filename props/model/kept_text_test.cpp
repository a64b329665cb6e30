// The laws of laws/conversation.hpp on the running code, and the faults that they refute.
#include "laws/conversation.hpp"
#include "model/kept_text.hpp"
#include "props/model/tiny.hpp"
#include "props/property.hpp"
#include "props/rejection.hpp"

#include <algorithm>

namespace {

using namespace lawful;
using namespace lawful::props;

const Tiny& tiny() {
  static const Tiny one = tiny_gguf(tiny_weights());
  return one;
}

/// What a turn adds: its ids are `kept` ids of the turn before and its answer, and then `more`; its answer has up to
/// `answer` ids, with guesses that may be wrong, and may be stopped by an exception after some.
struct Turn {
  Ids ids;
  std::size_t answer;
  bool thrown;
};
using Turns = std::vector<Turn>;

void nothing(std::size_t) {}

/// The product: one sequence, in which everything is kept that can be.
struct Product {
  std::vector<float> kept(const Turns& turns) const {
    const auto sequence = tiny().sequence();
    model::KeptText text(*sequence);
    std::vector<float> out;
    for (const auto& turn : turns) {
      auto logits = text.prefill(turn.ids, 7, nothing);
      const auto row = values(logits);
      out.insert(out.end(), row.begin(), row.end());
      if (turn.answer > 0) answer(*sequence, turn, std::move(logits), [&](std::uint32_t id) { text.goes_on(id); });
    }
    return out;
  }
  std::vector<float> anew(const Turns& turns) const {
    std::vector<float> out;
    for (const auto& turn : turns) {
      const auto sequence = tiny().sequence();
      const auto row = values(model::prefill(*sequence, turn.ids, 64, nothing));
      out.insert(out.end(), row.begin(), row.end());
    }
    return out;
  }

  struct Thrown {};
  template <class Seen>
  static void answer(model::Sequence& sequence, const Turn& turn, model::Logits logits, Seen seen) {
    std::size_t count = 0;
    try {
      model::generate(sequence, turn.ids, std::move(logits), {turn.answer, {}, model::Guessing::always},
                      [&](std::uint32_t id) {
                        seen(id);
                        if (turn.thrown && ++count == (turn.answer + 1) / 2) throw Thrown{};
                      });
    } catch (const Thrown&) {
    }
  }
};

/// A cache by hand, with one thing wrong: how many positions are kept.
template <class Fault>
struct ByHand : Product {
  std::vector<float> kept(const Turns& turns) const {
    const auto sequence = tiny().sequence();
    std::vector<float> out;
    Ids before;
    for (const auto& turn : turns) {
      const auto same = static_cast<std::size_t>(std::ranges::mismatch(before, turn.ids).in1 - before.begin());
      const std::size_t keep = std::min(Fault::keep(same, sequence->length()), turn.ids.size() - 1);
      sequence->truncate(std::min(keep, sequence->length()));
      auto logits = model::prefill(*sequence, std::span(turn.ids).subspan(sequence->length()), 7, nothing);
      const auto row = values(logits);
      out.insert(out.end(), row.begin(), row.end());
      before = turn.ids;
      if (turn.answer > 0) answer(*sequence, turn, std::move(logits), [&](std::uint32_t id) { before.push_back(id); });
    }
    return out;
  }
};
struct TrustsTheLength {  // and not the ids: after a retry or another system message the old rows stay
  static std::size_t keep(std::size_t, std::size_t length) { return length; }
};
struct KeepsOneTooMany {  // the row of the first id that differs
  static std::size_t keep(std::size_t same, std::size_t) { return same + 1; }
};
struct TrustsWhatWasSeen {  // the last id of an answer is given out before it is in the cache: there may be a guess
  static std::size_t keep(std::size_t same, std::size_t length) { return std::min(same, length); }
};

/// Turns that go on, repeat, take back or change what was said; each within the context.
Turns some_turns() {
  Turns turns;
  Ids talk;
  const auto sequence = tiny().sequence();
  for (int n = *rc::gen::inRange(2, 5); n > 0; --n) {
    const std::size_t longest = std::min<std::size_t>(talk.size(), 30);
    const auto keep = *rc::gen::oneOf(rc::gen::just(longest), rc::gen::inRange<std::size_t>(0, longest + 1));
    talk.resize(keep);
    // Few different ids, so that texts repeat themselves and there are guesses, and two texts may agree by chance.
    const auto more = *rc::gen::nonEmpty(rc::gen::container<Ids>(rc::gen::inRange<std::uint32_t>(0, 3)));
    talk.insert(talk.end(), more.begin(), more.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(more.size(), 14)));
    const Turn turn{talk, *rc::gen::inRange<std::size_t>(0, 14), *rc::gen::arbitrary<bool>()};
    turns.push_back(turn);
    sequence->truncate(0);
    if (turn.answer > 0)
      Product::answer(*sequence, turn, model::prefill(*sequence, talk, 64, nothing),
                      [&](std::uint32_t id) { talk.push_back(id); });
  }
  return turns;
}

template <class Law>
struct Mutants;
template <>
struct Mutants<laws::conversation::turn_is_anew> {
  using list = laws::types<ByHand<TrustsTheLength>, ByHand<KeepsOneTooMany>, ByHand<TrustsWhatWasSeen>>;
};

template <class Law, class... Faults>
void check_law(laws::types<Faults...>) {
  property(std::string(Law::about.statement), [] {
    const auto sides = Law::holds(Product{}, some_turns());
    RC_ASSERT(sides.hold());
  }, 150);
  const bool all_refuted[] = {refuted(std::string(Law::about.name), [] {
    const auto sides = Law::holds(Faults{}, some_turns());
    RC_ASSERT(sides.hold());
  }, 1500)...};
  for (const bool one : all_refuted) CHECK(one);
}

template <class... Laws>
void check_laws(laws::types<Laws...>) {
  (check_law<Laws>(typename Mutants<Laws>::list{}), ...);
}

}  // namespace

TEST_CASE("the laws of conversations hold on the running code, and refute their faults") {
  check_laws(laws::conversation::text_laws{});
}

TEST_CASE("what is common is not computed again, and the last id always is") {
  const auto sequence = tiny().sequence();
  model::KeptText text(*sequence);
  const Ids ids = random_ids(20, 5);
  std::vector<std::size_t> held;
  const auto note = [&](std::size_t n) { held.push_back(n); };
  text.prefill(ids, 8, note);
  CHECK(text.kept() == 0);
  CHECK(held == std::vector<std::size_t>{8, 16, 20});
  text.prefill(ids, 8, nothing);
  CHECK(text.kept() == 19);
  Ids other = ids;
  other[12] ^= 1U;
  held.clear();
  text.prefill(other, 8, note);
  CHECK(text.kept() == 12);
  CHECK(held == std::vector<std::size_t>{20});
  text.prefill(std::span(ids).first(5), 8, nothing);
  CHECK(text.kept() == 4);
}

TEST_CASE("a prefill that was stopped is gone on with; a text that does not fit changes nothing") {
  const auto sequence = tiny().sequence();
  model::KeptText text(*sequence);
  const Ids ids = random_ids(40, 6);
  const auto stop = [](std::size_t held) { if (held == 16) throw Product::Thrown{}; };
  CHECK_THROWS_AS(text.prefill(ids, 8, stop), Product::Thrown);
  CHECK(values(text.prefill(ids, 8, nothing)) == Product{}.anew({{ids, 0, false}}));
  CHECK(text.kept() == 16);
  CHECK(contains(rejection([&] { text.prefill(random_ids(65, 7), 8, nothing); }), "1 to 64 tokens"));
  CHECK(contains(rejection([&] { text.prefill({}, 8, nothing); }), "the conversation"));
  text.prefill(ids, 8, nothing);
  CHECK(text.kept() == 39);
}
