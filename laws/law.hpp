// What a law is made of. A law is a struct without any framework inside; laws/heads.hpp shows one.
//
//   about        its name, its statement, what it governs, why it matters, a picture
//   variables    the names of what it speaks about
//   holds        the law itself, over any kind of number N and any code that it could govern: both sides, not a bool
//   domain       the values that a config gives the variables; proved over all of them at compile time
//   legal        values far outside the configs, legal by construction; searched at random
//   edges        cases that the random search must meet
//   mutants      plausible wrong code; every one of the three proofs must refute it
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

namespace lawful::laws {

/// What a law says of itself. `symbol` stands in `file`; a test looks it up there.
struct About {
  std::string_view name;
  std::string_view statement;
  std::string_view why;
  std::string_view symbol;
  std::string_view file;
  std::string_view picture;
};

/// The name of a wrong code and what is wrong with it.
struct Fault {
  std::string_view name;
  std::string_view text;
};

enum class Relation : unsigned char { equal, at_most, below };

constexpr std::string_view symbol(Relation r) {
  return r == Relation::equal ? "=" : r == Relation::at_most ? "<=" : "<";
}

/// Two sides of a law: left what the code computes, right an independent formula.
template <class N>
struct Sides {
  N left;
  Relation relation;
  N right;
  std::string_view part;  ///< which part of a law of several parts; empty in a law of one

  constexpr auto hold() const {
    return relation == Relation::equal ? left == right : relation == Relation::at_most ? left <= right : left < right;
  }
};

/// A law at one point: under the condition `given`, the sides of each part hold.
template <class Truth, class N, std::size_t Parts>
struct Claim {
  using number = N;
  static constexpr std::size_t parts = Parts;
  Truth given;
  Sides<N> sides[Parts];
};

template <class L, class R>
using number_of = std::common_type_t<L, R>;

template <class L, class R, class N = number_of<L, R>>
constexpr Claim<bool, N, 1> equal(L left, R right, std::string_view part = {}) {
  return {true, {{static_cast<N>(left), Relation::equal, static_cast<N>(right), part}}};
}
template <class L, class R, class N = number_of<L, R>>
constexpr Claim<bool, N, 1> at_most(L left, R right, std::string_view part = {}) {
  return {true, {{static_cast<N>(left), Relation::at_most, static_cast<N>(right), part}}};
}
template <class L, class R, class N = number_of<L, R>>
constexpr Claim<bool, N, 1> below(L left, R right, std::string_view part = {}) {
  return {true, {{static_cast<N>(left), Relation::below, static_cast<N>(right), part}}};
}

/// The law under a condition: it says nothing where `condition` is false.
template <class Truth, class N, std::size_t Parts>
constexpr Claim<Truth, N, Parts> given(Truth condition, Claim<bool, N, Parts> claim) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Claim<Truth, N, Parts>{condition, {claim.sides[I]...}};
  }(std::make_index_sequence<Parts>{});
}

/// A law of several parts.
template <class N, std::same_as<Claim<bool, N, 1>>... Part>
constexpr Claim<bool, N, 1 + sizeof...(Part)> all(Claim<bool, N, 1> first, Part... rest) {
  return {true, {first.sides[0], rest.sides[0]...}};
}

/// The value of the branch that `condition` takes; only that branch need be defined.
template <class Then, class Else>
constexpr auto choose(bool condition, Then then, Else otherwise) {
  return condition ? then() : otherwise();
}

/// Values of one variable: first, first + step, …; `count` of them.
struct Range {
  std::size_t first;
  std::size_t count;
  std::size_t step = 1;
};
constexpr Range up_to(std::size_t end) { return {0, end}; }                       ///< 0 … end − 1
constexpr Range from_one_to(std::size_t last) { return {1, last}; }               ///< 1 … last
constexpr Range exactly(std::size_t value) { return {value, 1}; }
constexpr Range every(std::size_t step, std::size_t count) { return {0, count, step}; }

using Values = std::span<const std::size_t>;

/// A case that a random search must have met to count.
struct Edge {
  std::string_view name;
  bool (*met)(Values);
};

template <class... T>
struct types {
  static constexpr std::size_t size = sizeof...(T);
};

}  // namespace lawful::laws
