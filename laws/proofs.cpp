// The first proof of every registered law, and that it refutes every mutant: this file compiles, or a law is broken.
#include <algorithm>

#include "laws/facts.hpp"
#include "laws/proof.hpp"
#include "laws/published.hpp"
#include "laws/registry.hpp"

namespace lawful::laws {
namespace {

template <class Law, class... Models>
consteval bool proved_for(types<Models...>) {
  return (proved<Law, Models, Product>() && ...);
}

template <class Law, class Mutant, class... Models>
consteval bool mutant_refuted(types<Models...>) {
  constexpr bool refuted_somewhere = (refutes<Law, Models, Mutant>() || ...);
  static_assert(refuted_somewhere, "a mutant agrees with the law in every config: the law has no teeth here");
  return refuted_somewhere;
}

template <class Law, class... Mutants>
consteval bool mutants_refuted(types<Mutants...>) {
  return (mutant_refuted<Law, Mutants>(models_of<Law>{}) && ...);
}

template <class Law>
struct Checked {
  static_assert(DescribesItself<Law>, "a law must have `about` and `variables`");
  static_assert(HasDomain<Law>, "a law must have a `domain`: it has no proof at compile time");
  static_assert(HasLegalValues<Law>, "a law must have `legal` and `edges`: it has no random search");
  static_assert(HasMutants<Law>, "a law must name a mutant that it refutes");
  static_assert(proved_for<Law>(models_of<Law>{}));
  static_assert(mutants_refuted<Law>(typename Law::mutants{}));
  static constexpr bool proved = true;
};

template <class Law, class... Models>
std::vector<ProvedConfig> configs_of(types<Models...>) {
  return {{Models::config.name, domain_size<Law>(Models::config)}...};
}

template <class... Mutants>
std::vector<Fault> faults_of(types<Mutants...>) {
  return {Mutants::fault...};
}

// The list as published: as many laws, each of the names once.
constexpr auto names = hana::unpack(structural, [](auto... law) { return std::array{decltype(law)::type::about.name...}; });
static_assert(names.size() == published.size(), "the structural laws are the 21 published ones, no more, no less");
static_assert(std::ranges::all_of(published, [](std::string_view name) { return std::ranges::count(names, name) == 1; }),
              "a published law is missing among the structural laws, or is there twice");

}  // namespace

const std::vector<LawFacts>& law_facts() {
  static const std::vector<LawFacts> facts = [] {
    std::vector<LawFacts> all;
    each_law([&](const auto& family, auto law) {
      using Law = typename decltype(law)::type;
      static_assert(Checked<Law>::proved);
      all.push_back({Law::about, family.name, family.about, {Law::variables.begin(), Law::variables.end()},
                     configs_of<Law>(models_of<Law>{}), faults_of(typename Law::mutants{}), true});
    });
    hana::for_each(text_families, [&](const auto& family) {
      hana::for_each(family.laws, [&](auto law) {
        all.push_back({decltype(law)::type::about, family.name, family.about, {}, {}, {}, false});
      });
    });
    return all;
  }();
  return facts;
}

}  // namespace lawful::laws
