// A law that is false, and whose only counterexample among small numbers is one: every proof must find it.
#pragma once
#include "laws/code.hpp"
#include "laws/law.hpp"

namespace lawful::props {

struct no_position_is_48 {
  static constexpr laws::About about{.name = "no_position_is_48",
                                     .statement = "the position after t and one more token is not 48",
                                     .why = "It is false.",
                                     .symbol = "Index::advance",
                                     .file = "kernels/index.hpp",
                                     .picture = ""};
  static constexpr std::array variables{"t"};

  template <class Code, class N>
  static constexpr auto holds(N t) {
    return laws::given(Code::advance(t, N{1}) == N{48}, laws::equal(t, N{0}));
  }

  static constexpr std::array<laws::Range, 1> domain(const model::Config& c) { return {laws::up_to(c.context)}; }
  static constexpr std::array<std::size_t, 1> legal(auto&& pick) { return {pick(0, 1000)}; }
  static constexpr std::array<laws::Edge, 0> edges{};
  using mutants = laws::types<>;
};

}  // namespace lawful::props
