#include "laws/solver.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "laws/proof.hpp"
#include "laws/registry.hpp"
#include "laws/term.hpp"

namespace lawful::laws {
namespace {

/// A law about some code, negated: the solver is to find it unsatisfiable.
struct Question {
  z3::context context;
  z3::expr_vector variables{context};
  z3::expr_vector assertions{context};
  struct Part {
    z3::expr left, right;
    Relation relation;
    std::string_view name;
    z3::expr broken;
  };
  std::vector<Part> parts;
};

template <class Law, class Code, class Model, std::size_t... V>
void state(Question& q, std::index_sequence<V...>) {
  Reasoning reasoning(q.context);
  (q.variables.push_back(q.context.int_const(Law::variables[V])), ...);
  for (const auto& v : q.variables) q.assertions.push_back(v >= 0);
  const auto claim = claim_of<Law, Code, Model, Term>(Term(q.variables[static_cast<int>(V)])...);
  q.assertions.push_back(Truth(claim.given).expression);
  z3::expr broken = q.context.bool_val(false);
  for (const auto& sides : claim.sides) {
    const z3::expr fails = !Truth(sides.hold()).expression;
    q.parts.push_back({Term(sides.left).expression, Term(sides.right).expression, sides.relation, sides.part, fails});
    broken = broken || fails;
  }
  for (const auto& defined : reasoning.obligations()) broken = broken || !defined;
  q.assertions.push_back(broken);
}

std::string describe(const Question& q, const z3::model& model) {
  std::string text;
  for (const auto& v : q.variables)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", v.to_string(), model.eval(v, true).to_string());
  for (const auto& part : q.parts)
    if (model.eval(part.broken, true).is_true())
      return fmt::format("{}: {}{}left {}, right {}, not {}", text.empty() ? "no variables" : text, part.name,
                         part.name.empty() ? "" : ": ", model.eval(part.left, true).to_string(),
                         model.eval(part.right, true).to_string(), symbol(part.relation));
  return text + ": a difference below zero or a division by zero";
}

// Products of variables make some statements hard in one order of cases and easy in another. An answer is right from
// any start, so the solver is started anew with other seeds and more time instead of waiting for one.
constexpr unsigned attempts_ms[] = {1000, 1000, 2000, 2000, 4000, 8000};

void ask(const Question& q, Answer& answer) {
  unsigned seed = 0;
  for (const unsigned milliseconds : attempts_ms) {
    z3::context& context = const_cast<z3::context&>(q.context);
    z3::solver solver(context);
    z3::params params(context);
    params.set("timeout", milliseconds);
    params.set("random_seed", seed += 7);
    solver.set(params);
    for (const auto& a : q.assertions) solver.add(a);
    const z3::check_result result = solver.check();
    if (result == z3::unsat) return void(answer.verdict = Verdict::proved);
    if (result == z3::sat) {
      answer.verdict = Verdict::refuted;
      return void(answer.text = describe(q, solver.get_model()));
    }
    answer.text = solver.reason_unknown();
  }
}

template <class Law, class Code, class Model>
Answer answer_for(std::string_view code) {
  const auto start = std::chrono::steady_clock::now();
  Answer answer{.law = Law::about.name, .code = code};
  Question q;
  state<Law, Code, Model>(q, std::make_index_sequence<arity<Law>>{});
  ask(q, answer);
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return answer;
}

template <class Law>
concept takes_model = requires { &Law::template holds<Product, model::tiny, std::size_t>; };

/// A law has to be asked about for each of its models only where its `holds` takes one.
template <class Law>
using models_asked = std::conditional_t<takes_model<Law>, models_of<Law>, types<void>>;

/// One answer for all models: proved where each is, else the first that is not; a mutant need fail for one only.
template <class Law, class Code, class... Models>
Answer answer_over(std::string_view code, types<Models...>) {
  Answer whole{.law = Law::about.name, .code = code, .verdict = Verdict::proved};
  const auto join = [&](Answer one) {
    whole.seconds += one.seconds;
    if (whole.verdict == Verdict::refuted || one.verdict == Verdict::proved) return;
    whole.verdict = one.verdict;
    whole.text = std::move(one.text);
  };
  (join(answer_for<Law, Code, Models>(code)), ...);
  return whole;
}

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
