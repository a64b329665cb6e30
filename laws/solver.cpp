#include "laws/solver.hpp"

#include "laws/question.hpp"

namespace lawful::laws {
namespace {

template <class Law, class Told, class... Mutants>
void ask_about(Told&& told, types<Mutants...>) {
  told(answer_over<Law, Product>("Product", models_asked<Law>{}));
  (told(answer_over<Law, Mutants>(Mutants::fault.name, models_asked<Law>{})), ...);
}

template <class Law, class Model>
Obligation obligation() {
  Question q;
  state<Law, Product, Model>(q, std::make_index_sequence<arity<Law>>{});
  z3::solver solver(q.context);
  for (const auto& a : q.assertions) solver.add(a);
  Obligation o{std::string(Law::about.name), {}};
  if constexpr (!std::is_void_v<Model>)
    if constexpr (models_of<Law>::size > 1) o.name += fmt::format(".{}", Model::config.name);
  o.smtlib = fmt::format("; {}: {}\n; Unsatisfiable: there is no counterexample among the naturals.\n(set-logic ALL)\n{}",
                         o.name, Law::about.statement, solver.to_smt2());
  return o;
}

template <class Law, class... Models>
void obligations_of(std::vector<Obligation>& all, types<Models...>) {
  (all.push_back(obligation<Law, Models>()), ...);
}

}  // namespace

std::string solver_name() {
  unsigned major, minor, build, revision;
  Z3_get_version(&major, &minor, &build, &revision);
  return fmt::format("Z3 {}.{}.{}", major, minor, build);
}

std::vector<Answer> ask_solver(std::string_view name, const std::function<void(const Answer&)>& told) {
  std::vector<Answer> answers;
  each_law([&](const auto&, auto law) {
    using Law = typename decltype(law)::type;
    if (!name.empty() && name != Law::about.name) return;
    ask_about<Law>(
        [&](Answer answer) {
          if (told) told(answer);
          answers.push_back(std::move(answer));
        },
        typename Law::mutants{});
  });
  return answers;
}

std::vector<Obligation> obligations(std::string_view name) {
  std::vector<Obligation> all;
  each_law([&](const auto&, auto law) {
    using Law = typename decltype(law)::type;
    if (name.empty() || name == Law::about.name) obligations_of<Law>(all, models_asked<Law>{});
  });
  return all;
}

}  // namespace lawful::laws
