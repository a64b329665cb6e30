// The proofs that the program runs itself: the search and the solver, for one law and its mutants.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laws/facts.hpp"
#include "laws/search.hpp"
#include "laws/solver_module.hpp"

namespace lawful::laws {

/// A mutant and the proofs that refuted it.
struct MutantEvidence {
  Fault fault;
  std::vector<std::string_view> refuted_by;  ///< of "compile time", "search", "solver"
};

struct Evidence {
  const LawFacts* law;
  Searched search{};             ///< of the law itself
  std::string naturals{};        ///< "proved", or why not
  double solver_seconds = 0;
  std::vector<MutantEvidence> mutants{};

  bool searched() const { return !search.refuted && search.edges_unmet.empty(); }
  bool proved() const { return naturals == "proved"; }
  /// Whether every proof holds and every proof refutes every mutant.
  bool complete() const;
};

/// Runs the search and, where there is a solver, the solver. `why_not` says why there is none.
Evidence gather(const LawFacts& law, const std::optional<SolverModule>& solver, std::string_view why_not);

}  // namespace lawful::laws
