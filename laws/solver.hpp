// The third proof: Z3 refutes the negation of every law, for all naturals, from the same `holds`.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::laws {

enum class Verdict : unsigned char { proved, refuted, unsettled };

/// What the solver says of a law about some code: the product, or a mutant.
struct Answer {
  std::string_view law{};
  std::string_view code{};      ///< "Product", or the mutant's name
  Verdict verdict = Verdict::unsettled;
  std::string text{};           ///< the counterexample with both sides, or why it is unsettled
  double seconds = 0;
};

/// One statement handed to the solver, as SMT-LIB 2: unsatisfiable where the law holds for all naturals.
struct Obligation {
  std::string name;  ///< the law's; with a model where the law speaks about one of several
  std::string smtlib;
};

/// Names the solver and its version, for people.
std::string solver_name();

/// Asks the solver about each law called `name` (all where it is empty) and about each of its mutants; `told` hears
/// every answer as it comes.
std::vector<Answer> ask_solver(std::string_view name, const std::function<void(const Answer&)>& told);

/// The obligations of the laws called `name` (all where it is empty).
std::vector<Obligation> obligations(std::string_view name);

}  // namespace lawful::laws
