// The third proof: for all naturals. Each law proved, each mutant refuted, all in under a minute.
#include <doctest/doctest.h>

#include <string>

#include "laws/facts.hpp"
#include "laws/question.hpp"
#include "props/laws/false_law.hpp"

namespace lawful::props {
namespace {

TEST_CASE("the solver proves every law and refutes every mutant, in under 60 s") {
  std::size_t proved = 0, refuted = 0, laws = 0, mutants = 0;
  double seconds = 0;
  laws::ask_solver("", [&](const laws::Answer& answer) {
    INFO(answer.law, " about ", answer.code, ": ", answer.text);
    const bool own = answer.code == "Product";
    CHECK(answer.verdict == (own ? laws::Verdict::proved : laws::Verdict::refuted));
    proved += own && answer.verdict == laws::Verdict::proved;
    refuted += !own && answer.verdict == laws::Verdict::refuted;
    seconds += answer.seconds;
  });
  for (const auto& law : laws::law_facts()) laws += law.about_numbers, mutants += law.mutants.size();
  CHECK(proved == laws);
  CHECK(refuted == mutants);
  MESSAGE(proved, " laws proved, ", refuted, " mutants refuted in ", seconds, " s");
  CHECK(seconds < 60);
}

TEST_CASE("the solver refutes a law that is false, with its counterexample") {
  const auto answer = laws::answer_for<no_position_is_48, laws::Product, model::tiny>("Product");
  CHECK(answer.verdict == laws::Verdict::refuted);
  CHECK(answer.text == "t = 47: left 47, right 0, not =");
}

struct subtracts_too_much {
  static constexpr laws::About about{.name = "subtracts_too_much", .statement = "", .why = "", .symbol = "", .file = "", .picture = ""};
  static constexpr std::array variables{"a", "b"};
  template <class Code, class N>
  static constexpr auto holds(N a, N b) {
    return laws::equal((a - b) + b, a);
  }
};
struct divides_by_zero {
  static constexpr laws::About about{.name = "divides_by_zero", .statement = "", .why = "", .symbol = "", .file = "", .picture = ""};
  static constexpr std::array variables{"a"};
  template <class Code, class N>
  static constexpr auto holds(N a) {
    return laws::equal(Code::kv_head(a, N{0}), Code::kv_head(a, N{0}));
  }
};

TEST_CASE("what is no natural number refutes a law, though the integers would have it hold") {
  const auto difference = laws::answer_for<subtracts_too_much, laws::Product, void>("Product");
  CHECK(difference.verdict == laws::Verdict::refuted);
  CHECK(difference.text.find("below zero") != std::string::npos);
  CHECK(laws::answer_for<divides_by_zero, laws::Product, void>("Product").verdict == laws::Verdict::refuted);
}

}  // namespace
}  // namespace lawful::props
