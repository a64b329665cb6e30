// Positions advance as naturals do: where a token stands is the number of tokens before it, however they were fed.
#pragma once
#include "laws/code.hpp"
#include "laws/law.hpp"

namespace lawful::laws {

// Wrong ways to advance a position by n tokens.
struct writes_one_too_far : Product {
  static constexpr Fault fault{"writes_one_too_far", "the position after n more tokens is t + n + 1"};
  template <class N>
  static constexpr N advance(N t, N n) { return t + n + N{1}; }
};
struct chunk_starts_at_zero : Product {
  static constexpr Fault fault{"chunk_starts_at_zero", "a chunk counts from 0: the position after it is n"};
  template <class N>
  static constexpr N advance(N, N n) { return n; }
};
struct one_step_a_chunk : Product {
  static constexpr Fault fault{"one_step_a_chunk", "a chunk advances by one, whatever its length"};
  template <class N>
  static constexpr N advance(N t, N) { return t + N{1}; }
};
struct stands_still : Product {
  static constexpr Fault fault{"stands_still", "feeding tokens leaves the position where it was"};
  template <class N>
  static constexpr N advance(N t, N) { return t; }
};

struct add_zero {
  static constexpr About about{
      .name = "add_zero",
      .statement = "feeding no token leaves the position where it is: m + 0 = m",
      .why = "An empty chunk, or a prompt that is already cached, must not move the cache or the rotation.",
      .symbol = "Index::advance",
      .file = "kernels/index.hpp",
      .picture = "| 0 | 1 | … | m-1 |  ^m          no token: the next one still stands at m"};
  static constexpr std::array variables{"m"};

  template <class Code, class N>
  static constexpr auto holds(N m) {
    return equal(Code::advance(m, N{0}), m);
  }

  static constexpr std::array<Range, 1> domain(const model::Config& c) { return {up_to(c.context)}; }
  static constexpr std::array<std::size_t, 1> legal(auto&& pick) { return {pick(0, 1U << 30)}; }
  static constexpr std::array<Edge, 1> edges{{{"m = 0", [](Values v) { return v[0] == 0; }}}};
  using mutants = types<writes_one_too_far, chunk_starts_at_zero, one_step_a_chunk>;
};

struct add_succ {
  static constexpr About about{
      .name = "add_succ",
      .statement = "one token more in a chunk is one position more: m + (n + 1) = (m + n) + 1",
      .why = "The last token of a chunk and the first of the next stand side by side: no slot is skipped or used twice.",
      .symbol = "Index::advance",
      .file = "kernels/index.hpp",
      .picture = "m [ n tokens ]   -> m+n\n"
                 "m [ n tokens ][1]-> m+n+1"};
  static constexpr std::array variables{"m", "n"};

  template <class Code, class N>
  static constexpr auto holds(N m, N n) {
    return equal(Code::advance(m, n + N{1}), Code::advance(m, n) + N{1});
  }

  static constexpr std::array<Range, 2> domain(const model::Config& c) { return {up_to(c.context), exactly(c.half)}; }
  static constexpr std::array<std::size_t, 2> legal(auto&& pick) { return {pick(0, 1U << 30), pick(0, 1U << 30)}; }
  static constexpr std::array<Edge, 2> edges{{{"m = 0", [](Values v) { return v[0] == 0; }},
                                              {"n = 0", [](Values v) { return v[1] == 0; }}}};
  using mutants = types<stands_still, one_step_a_chunk>;
};

struct add_one {
  static constexpr About about{
      .name = "add_one",
      .statement = "after one token the position is the next one: m + 1",
      .why = "Decoding writes key m at slot m and rotates by m; one off, and attention reads a slot that nobody wrote.",
      .symbol = "Index::advance",
      .file = "kernels/index.hpp",
      .picture = "| 0 | … | m | m+1 |\n"
                 "          ^ one token -> ^"};
  static constexpr std::array variables{"m"};

  template <class Code, class N>
  static constexpr auto holds(N m) {
    return equal(Code::advance(m, N{1}), m + N{1});
  }

  static constexpr std::array<Range, 1> domain(const model::Config& c) { return {up_to(c.context)}; }
  static constexpr std::array<std::size_t, 1> legal(auto&& pick) { return {pick(0, 1U << 30)}; }
  static constexpr std::array<Edge, 1> edges{{{"m = 0", [](Values v) { return v[0] == 0; }}}};
  using mutants = types<writes_one_too_far, stands_still, chunk_starts_at_zero>;
};

struct add_assoc {
  static constexpr About about{
      .name = "add_assoc",
      .statement = "the position after m and then n tokens is the one after m + n: (p + m) + n = p + (m + n)",
      .why = "A prompt may be fed whole, in chunks or token by token: every way ends at the same position.",
      .symbol = "Index::advance",
      .file = "kernels/index.hpp",
      .picture = "p [  m  ][ n ]  ends where\n"
                 "p [   m + n  ]  ends"};
  static constexpr std::array variables{"p", "m", "n"};

  template <class Code, class N>
  static constexpr auto holds(N p, N m, N n) {
    return equal(Code::advance(Code::advance(p, m), n), p + (m + n));
  }

  static constexpr std::array<Range, 3> domain(const model::Config& c) {
    return {every(c.half, c.context / c.half), every(7, 5), up_to(4)};
  }
  static constexpr std::array<std::size_t, 3> legal(auto&& pick) {
    return {pick(0, 1U << 30), pick(0, 1U << 30), pick(0, 1U << 30)};
  }
  static constexpr std::array<Edge, 3> edges{{{"p = 0", [](Values v) { return v[0] == 0; }},
                                              {"m = 0", [](Values v) { return v[1] == 0; }},
                                              {"n = 0", [](Values v) { return v[2] == 0; }}}};
  using mutants = types<writes_one_too_far, chunk_starts_at_zero, one_step_a_chunk>;
};

using position_laws = types<add_zero, add_succ, add_one, add_assoc>;

}  // namespace lawful::laws
