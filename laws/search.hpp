// The second proof, as the program runs it: random legal values, far outside the configs. The tests search with
// rapidcheck, which shrinks, and on the running kernels (props/laws); the program carries no test library, so here the
// values come from a generator of its own, the same ones in every run.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::laws {

/// What a search found about a law and some code.
struct Searched {
  std::string_view law{};
  std::string_view code{};  ///< "Product", or the mutant's name
  std::size_t cases = 0;    ///< tried until a counterexample was found, or all
  bool refuted = false;
  std::string counterexample{};
  std::vector<std::string_view> edges_unmet{};  ///< edge cases that no value hit: the search then counts for nothing
};

/// Searches for counterexamples to the law called `name`, with the product and with each of its mutants.
std::vector<Searched> search_law(std::string_view name);

}  // namespace lawful::laws
