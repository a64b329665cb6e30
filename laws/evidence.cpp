#include "laws/evidence.hpp"

#include <algorithm>

namespace lawful::laws {
namespace {

std::string settled(const Answer& answer) {
  switch (answer.verdict) {
    case Verdict::proved: return "proved";
    case Verdict::refuted: return "refuted: " + answer.text;
    default: return "not settled: " + answer.text;
  }
}

template <class Result>
const Result* about(const std::vector<Result>& results, std::string_view code) {
  const auto found = std::ranges::find_if(results, [&](const Result& r) { return r.code == code; });
  return found == results.end() ? nullptr : &*found;
}

}  // namespace

bool Evidence::complete() const {
  return searched() && proved() && std::ranges::all_of(mutants, [](const auto& m) { return m.refuted_by.size() == 3; });
}

Evidence gather(const LawFacts& law, const std::optional<SolverModule>& solver, std::string_view why_not) {
  Evidence evidence{.law = &law};
  const auto searched = search_law(law.about.name);
  if (const auto* own = about(searched, "Product")) evidence.search = *own;

  std::vector<Answer> answers;
  if (solver) answers = solver->ask(law.about.name);
  const auto* own = about(answers, "Product");
  evidence.naturals = own ? settled(*own) : "not settled: no solver (" + std::string(why_not) + ")";
  for (const auto& a : answers) evidence.solver_seconds += a.seconds;

  for (const auto& fault : law.mutants) {
    MutantEvidence mutant{fault, {"compile time"}};  // asserted where law_facts() is made
    if (const auto* s = about(searched, fault.name); s && s->refuted) mutant.refuted_by.push_back("search");
    if (const auto* a = about(answers, fault.name); a && a->verdict == Verdict::refuted)
      mutant.refuted_by.push_back("solver");
    evidence.mutants.push_back(std::move(mutant));
  }
  return evidence;
}

}  // namespace lawful::laws
