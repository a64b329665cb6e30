#include "laws/search.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "laws/proof.hpp"
#include "laws/registry.hpp"

namespace lawful::laws {
namespace {

constexpr std::size_t search_cases = 2000;

/// Numbers of [first, end), the ends more often than chance would give them (generator: splitmix64).
class Picker {
 public:
  std::size_t operator()(std::size_t first, std::size_t end) {
    const std::uint64_t bits = next();
    if (bits % 8 == 0) return first;
    if (bits % 8 == 1) return end - 1;
    if (bits % 8 < 5) return first + (bits >> 8) % (end - first < 16 ? end - first : 16);
    return first + (bits >> 8) % (end - first);
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::uint64_t state_ = 20261129;
};

template <class Law, class Code, class Model, std::size_t... V>
bool try_case(const std::array<std::size_t, arity<Law>>& value, Searched& searched, std::index_sequence<V...>) {
  const auto claim = claim_of<Law, Code, Model, std::size_t>(value[V]...);
  if (!claim.given) return true;
  for (const auto& sides : claim.sides) {
    if (sides.hold()) continue;
    std::string at;
    ((at += fmt::format("{}{} = {}", at.empty() ? "" : ", ", Law::variables[V], value[V])), ...);
    searched.refuted = true;
    searched.counterexample = fmt::format("{}: {}{}left {}, right {}, not {}", at.empty() ? "no variables" : at,
                                          sides.part, sides.part.empty() ? "" : ": ", sides.left, sides.right,
                                          symbol(sides.relation));
    return false;
  }
  return true;
}

template <class Law, class Code, class... Models>
Searched search(std::string_view code, types<Models...>) {
  Searched searched{.law = Law::about.name, .code = code};
  std::array<bool, Law::edges.size()> met{};
  Picker pick;
  constexpr auto variables = std::make_index_sequence<arity<Law>>{};
  const std::size_t cases = arity<Law> == 0 ? 1 : search_cases;  // a law without variables is one case a model
  while (searched.cases < cases * sizeof...(Models) && !searched.refuted) {
    const auto value = Law::legal(pick);
    for (std::size_t e = 0; e < met.size(); ++e) met[e] = met[e] || Law::edges[e].met(value);
    (void)((++searched.cases, try_case<Law, Code, Models>(value, searched, variables)) && ...);
  }
  if (!searched.refuted)
    for (std::size_t e = 0; e < met.size(); ++e)
      if (!met[e]) searched.edges_unmet.push_back(Law::edges[e].name);
  return searched;
}

template <class Law, class... Mutants>
void search_all(std::vector<Searched>& all, types<Mutants...>) {
  all.push_back(search<Law, Product>("Product", models_of<Law>{}));
  (all.push_back(search<Law, Mutants>(Mutants::fault.name, models_of<Law>{})), ...);
}

}  // namespace

std::vector<Searched> search_law(std::string_view name) {
  std::vector<Searched> all;
  each_law([&](const auto&, auto law) {
    using Law = typename decltype(law)::type;
    if (name == Law::about.name) search_all<Law>(all, typename Law::mutants{});
  });
  return all;
}

}  // namespace lawful::laws
