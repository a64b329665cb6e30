// A solver's expression as a kind of number: what `holds` is instantiated with to be proved for all naturals.
//
// Naturals, not integers: a difference that would go below zero, or a division by zero, is recorded as an obligation of
// the proof, under the branches on which it stands. So a proof is also one that no std::size_t wraps below zero.
#pragma once
#include <z3++.h>

#include <cstddef>
#include <string>
#include <vector>

#include "laws/law.hpp"

namespace lawful::laws {

/// One proof under way: its variables are naturals, its obligations are what must be so for the terms to be defined.
class Reasoning {
 public:
  explicit Reasoning(z3::context& context) : context_(context), outer_(current_) { current_ = this; }
  Reasoning(const Reasoning&) = delete;
  ~Reasoning() { current_ = outer_; }

  static Reasoning& current() { return *current_; }
  z3::context& context() { return context_; }

  void must_be(const z3::expr& condition) {
    z3::expr on_path = context_.bool_val(true);
    for (const auto& p : path_) on_path = on_path && p;
    obligations_.push_back(z3::implies(on_path, condition));
  }
  void enter(const z3::expr& branch) { path_.push_back(branch); }
  void leave() { path_.pop_back(); }
  const std::vector<z3::expr>& obligations() const { return obligations_; }

 private:
  z3::context& context_;
  std::vector<z3::expr> path_, obligations_;
  Reasoning* outer_;
  static inline thread_local Reasoning* current_ = nullptr;
};

/// A condition on terms.
struct Truth {
  z3::expr expression;

  Truth(z3::expr e) : expression(std::move(e)) {}
  Truth(bool b) : expression(Reasoning::current().context().bool_val(b)) {}
  friend Truth operator&&(const Truth& a, const Truth& b) { return a.expression && b.expression; }
  friend Truth operator||(const Truth& a, const Truth& b) { return a.expression || b.expression; }
  friend Truth operator!(const Truth& a) { return !a.expression; }
};

/// A natural number: a variable, a literal, or what is computed from them.
struct Term {
  z3::expr expression;

  explicit Term(z3::expr e) : expression(std::move(e)) {}
  Term(std::size_t literal)
      : expression(Reasoning::current().context().int_val(static_cast<std::uint64_t>(literal))) {}

  friend Term operator+(const Term& a, const Term& b) { return Term(a.expression + b.expression); }
  friend Term operator*(const Term& a, const Term& b) { return Term(a.expression * b.expression); }
  friend Term operator-(const Term& a, const Term& b) {
    Reasoning::current().must_be(a.expression >= b.expression);
    return Term(a.expression - b.expression);
  }
  friend Term operator/(const Term& a, const Term& b) {
    Reasoning::current().must_be(b.expression > 0);
    return Term(a.expression / b.expression);
  }
  friend Term operator%(const Term& a, const Term& b) {
    Reasoning::current().must_be(b.expression > 0);
    return Term(z3::mod(a.expression, b.expression));
  }
  friend Truth operator==(const Term& a, const Term& b) { return a.expression == b.expression; }
  friend Truth operator<=(const Term& a, const Term& b) { return a.expression <= b.expression; }
  friend Truth operator<(const Term& a, const Term& b) { return a.expression < b.expression; }
};

/// `choose` (law.hpp) over terms: both branches are expressions, each defined on its own path.
template <class Then, class Else>
Term choose(const Truth& condition, Then then, Else otherwise) {
  Reasoning& reasoning = Reasoning::current();
  reasoning.enter(condition.expression);
  const Term first = then();
  reasoning.leave();
  reasoning.enter(!condition.expression);
  const Term second = otherwise();
  reasoning.leave();
  return Term(z3::ite(condition.expression, first.expression, second.expression));
}

}  // namespace lawful::laws
