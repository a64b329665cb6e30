// A law as a question to the solver. Only what talks to Z3 includes this.
#pragma once
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "laws/proof.hpp"
#include "laws/registry.hpp"
#include "laws/solver.hpp"
#include "laws/term.hpp"

namespace lawful::laws {

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

inline std::string describe(const Question& q, const z3::model& model) {
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
inline constexpr unsigned attempts_ms[] = {1000, 1000, 2000, 2000, 4000, 8000};

inline void ask(Question& q, Answer& answer) {
  unsigned seed = 0;
  for (const unsigned milliseconds : attempts_ms) {
    z3::solver solver(q.context);
    z3::params params(q.context);
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

}  // namespace lawful::laws
