// The second proof with rapidcheck: every law at random, far outside the configs, with its edge cases met; and every
// mutant refuted by the same search.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "laws/proof.hpp"
#include "laws/registry.hpp"
#include "props/laws/false_law.hpp"
#include "props/property.hpp"

namespace lawful::props {
namespace {

/// Numbers of [first, end): the ends and what is near the first more often than chance would give them.
std::size_t pick(std::size_t first, std::size_t end) {
  using rc::gen::inRange;
  using rc::gen::just;
  return *rc::gen::weightedOneOf<std::size_t>({{3, inRange(first, end)},
                                               {3, inRange(first, std::min(end, first + 64))},
                                               {1, just(first)},
                                               {1, just(end - 1)}});
}

void classify(bool here, std::string_view name) { RC_CLASSIFY(here, std::string(name)); }

void fail(const std::string& counterexample) { RC_FAIL(counterexample); }

template <class Law, class Code, class Model, std::size_t... V>
void assert_holds(const std::array<std::size_t, laws::arity<Law>>& value, std::index_sequence<V...>) {
  const auto claim = laws::claim_of<Law, Code, Model, std::size_t>(value[V]...);
  if (!claim.given) return;
  for (const auto& sides : claim.sides) {
    std::string at;
    ((at += fmt::format("{} = {}, ", Law::variables[V], value[V])), ...);
    if (!sides.hold())
      fail(fmt::format("{}{} left {}, right {}, not {}", at, sides.part, sides.left, sides.right,
                          laws::symbol(sides.relation)));
  }
}

/// The property that a law about `Code` is; notes in `met` which edge cases it came by. One type for all laws:
/// rapidcheck's templates are instantiated once.
template <class Law, class Code, class Model>
std::function<void()> at_random(std::array<bool, Law::edges.size()>& met) {
  return [&met] {
    const auto value = Law::legal(pick);
    for (std::size_t e = 0; e < met.size(); ++e) {
      const bool here = Law::edges[e].met(value);
      classify(here, Law::edges[e].name);
      met[e] = met[e] || here;
    }
    assert_holds<Law, Code, Model>(value, std::make_index_sequence<laws::arity<Law>>{});
  };
}

constexpr int cases = 500;

template <class Law, class... Models>
void search(laws::types<Models...>) {
  std::array<bool, Law::edges.size()> met{};
  (property(fmt::format("{}: {} ({})", Law::about.name, Law::about.statement, Models::config.name),
            at_random<Law, laws::Product, Models>(met), cases),
   ...);
  for (std::size_t e = 0; e < met.size(); ++e) {
    INFO(Law::about.name, ": the search must meet the case: ", Law::edges[e].name);
    CHECK(met[e]);
  }
}

template <class Law, class Mutant, class... Models>
void refute(laws::types<Models...>) {
  std::array<bool, Law::edges.size()> met{};
  INFO(Law::about.name, " must refute ", Mutant::fault.name, ": ", Mutant::fault.text);
  CHECK((refuted(std::string(Law::about.name), at_random<Law, Mutant, Models>(met), cases) || ...));
}

template <class Law, class... Mutants>
void refute_all(laws::types<Mutants...>) {
  (refute<Law, Mutants>(laws::models_of<Law>{}), ...);
}

TEST_CASE("every law holds at random, and the search meets its edge cases") {
  laws::each_law([](const auto&, auto law) {
    using Law = typename decltype(law)::type;
    search<Law>(laws::models_of<Law>{});
  });
}

TEST_CASE("the search refutes every mutant") {
  laws::each_law([](const auto&, auto law) {
    using Law = typename decltype(law)::type;
    refute_all<Law>(typename Law::mutants{});
  });
}

TEST_CASE("the search refutes a law that is false") {
  std::array<bool, 0> met{};
  CHECK(refuted("a false law", at_random<no_position_is_48, laws::Product, model::tiny>(met), 5000));
}

}  // namespace
}  // namespace lawful::props
