// What callers carry: the lemmas behind the room witness. Steps (model/steps.hpp) is the counter that the cache keeps
// and that decides whether a witness is handed out.
#pragma once
#include "laws/positions.hpp"
#include "laws/reading.hpp"

namespace lawful::laws {

// Wrong counters.
struct fits_one_too_many : Product {
  static constexpr Fault fault{"fits_one_too_many", "one position more than is left is said to fit"};
  template <class N>
  static constexpr auto fits(N count, N left) { return count <= left + N{1}; }
};
struct anything_fits : Product {
  static constexpr Fault fault{"anything_fits", "room is never checked"};
  template <class N>
  static constexpr auto fits(N count, N) { return count <= count; }
};
struct step_is_free : Product {
  static constexpr Fault fault{"step_is_free", "taking a step leaves as many as before"};
  template <class N>
  static constexpr N step_left(N left) { return left; }
};
struct step_costs_two : Product {
  static constexpr Fault fault{"step_costs_two", "taking a step moves the position by two"};
  template <class N>
  static constexpr N advance(N t, N n) { return t + n + n; }
};

struct leb_trans {
  static constexpr About about{
      .name = "leb_trans",
      .statement = "what fits into something that fits, fits: a <= b and b <= c give a <= c",
      .why = "A chunk of a prompt that has room has room; a witness may be handed down.",
      .symbol = "Index::fits",
      .file = "kernels/index.hpp",
      .picture = "|-- a --|\n"
                 "|---- b ----|\n"
                 "|------- c -------|"};
  static constexpr std::array variables{"a", "b", "c"};

  template <class Code, class N>
  static constexpr auto holds(N a, N b, N c) {
    return given(Code::fits(a, b) && Code::fits(b, c), at_most(a, c));
  }

  static constexpr std::array<Range, 3> domain(const model::Config& c) {
    return {up_to(c.kv_heads + 5), up_to(c.kv_heads + 5), up_to(9)};
  }
  static constexpr std::array<std::size_t, 3> legal(auto&& pick) {
    const auto c = pick(0, 1U << 30), b = pick(0, c + 2);
    return {pick(0, b + 2), b, c};
  }
  static constexpr std::array<Edge, 2> edges{{{"a = b = c", [](Values v) { return v[0] == v[1] && v[1] == v[2]; }},
                                              {"nothing fits", [](Values v) { return v[0] > v[1]; }}}};
  using mutants = types<fits_one_too_many, anything_fits>;
};

struct leb_mul {
  static constexpr About about{
      .name = "leb_mul",
      .statement = "rows that fit in number fit in memory: a <= b gives a * h <= b * h",
      .why = "The witness counts positions, the memory counts values; this carries the one over to the other.",
      .symbol = "Index::extent",
      .file = "kernels/index.hpp",
      .picture = "a rows of h   |====|\n"
                 "b rows of h   |=========|"};
  static constexpr std::array variables{"a", "b", "h"};

  template <class Code, class N>
  static constexpr auto holds(N a, N b, N h) {
    return given(Code::fits(a, b), at_most(a * h, Code::extent(b, h)));
  }

  static constexpr std::array<Range, 3> domain(const model::Config& c) {
    return {up_to(c.layers), up_to(c.layers), exactly(c.head())};
  }
  static constexpr std::array<std::size_t, 3> legal(auto&& pick) {
    const auto b = pick(0, 1U << 30);
    return {pick(0, b + 2), b, pick(0, 100000)};
  }
  static constexpr std::array<Edge, 3> edges{{{"a = b", [](Values v) { return v[0] == v[1]; }},
                                              {"a = 0", [](Values v) { return v[0] == 0; }},
                                              {"rows of no value", [](Values v) { return v[2] == 0; }}}};
  using mutants = types<fits_one_too_many, anything_fits, one_row_short>;
};

struct step_room {
  static constexpr About about{
      .name = "step_room",
      .statement = "steps that are left have room: with t + left = cap, n of them end at t + n <= cap",
      .why = "The generation loop counts steps; the cache counts positions. This is why the loop needs no second check.",
      .symbol = "Steps",
      .file = "model/steps.hpp",
      .picture = "|-- t written --|- n -|--- left - n ---|\n"
                 "0                                      cap"};
  static constexpr std::array variables{"t", "left", "n"};

  template <class Code, class N>
  static constexpr auto holds(N t, N left, N n) {
    const model::Steps<N, Code> steps{t, left};
    return given(steps.has_room(n), all(at_most(Code::advance(t, n), t + left, "where the steps end"),
                                        below(t, t + left, "where the first of them is")));
  }

  static constexpr std::array<Range, 3> domain(const model::Config& c) {
    return {every(c.half, c.context / c.half), up_to(4), up_to(5)};
  }
  static constexpr std::array<std::size_t, 3> legal(auto&& pick) {
    const auto left = pick(0, 1U << 20);
    return {pick(0, 1U << 30), left, pick(0, left + 2)};
  }
  static constexpr std::array<Edge, 4> edges{{{"t = 0", [](Values v) { return v[0] == 0; }},
                                              {"no step is left", [](Values v) { return v[1] == 0; }},
                                              {"all that are left", [](Values v) { return v[1] > 0 && v[2] == v[1]; }},
                                              {"one more than is left", [](Values v) { return v[2] == v[1] + 1; }}}};
  using mutants = types<fits_one_too_many, anything_fits, step_costs_two>;
};

struct step_inv {
  static constexpr About about{
      .name = "step_inv",
      .statement = "taking a step keeps t + steps_left = cap",
      .why = "The invariant that makes the counter an answer about room at every step, not only at the first.",
      .symbol = "Steps",
      .file = "model/steps.hpp",
      .picture = "|-- t --|------ left ------|      before\n"
                 "|-- t + 1 --|-- left - 1 --|      after: the same cap"};
  static constexpr std::array variables{"t", "left"};

  template <class Code, class N>
  static constexpr auto holds(N t, N left) {
    const model::Steps<N, Code> steps{t, left};
    return given(N{0} < left, equal(steps.taken().t + steps.taken().left, t + left));
  }

  static constexpr std::array<Range, 2> domain(const model::Config& c) {
    return {every(c.half, c.context / c.half), from_one_to(8)};
  }
  static constexpr std::array<std::size_t, 2> legal(auto&& pick) { return {pick(0, 1U << 30), pick(1, 1U << 30)}; }
  static constexpr std::array<Edge, 2> edges{{{"t = 0", [](Values v) { return v[0] == 0; }},
                                              {"the last step", [](Values v) { return v[1] == 1; }}}};
  using mutants = types<step_is_free, step_costs_two, writes_one_too_far>;
};

using step_laws = types<leb_trans, leb_mul, step_room, step_inv>;

}  // namespace lawful::laws
