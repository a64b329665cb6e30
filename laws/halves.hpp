// RoPE splits a head into two halves and joins them again.
#pragma once
#include "laws/code.hpp"
#include "laws/law.hpp"

namespace lawful::laws {

// Wrong places to split.
struct interleaved_pairs : Product {
  static constexpr Fault fault{"interleaved_pairs", "lane i is split into values 2i and 2i + 1"};
  template <class N>
  static constexpr N first_half(N i, N) { return i + i; }
  template <class N>
  static constexpr N second_half(N i, N) { return i + i + N{1}; }
};
struct split_one_too_late : Product {
  static constexpr Fault fault{"split_one_too_late", "the second half begins at half + 1"};
  template <class N>
  static constexpr N second_half(N i, N half) { return half + i + N{1}; }
};
struct halves_exchanged : Product {
  static constexpr Fault fault{"halves_exchanged", "the first half is read from the second and the second from the first"};
  template <class N>
  static constexpr N first_half(N i, N half) { return half + i; }
  template <class N>
  static constexpr N second_half(N i, N) { return i; }
};

struct head_split {
  static constexpr About about{
      .name = "head_split",
      .statement = "splitting at half and joining gives the same head: join(split(xs)) = xs, value by value",
      .why = "RoPE rotates the pair (i, i + half). Split elsewhere, it rotates other pairs; another split and join that "
             "agree with each other would hide it, so the law names the place of every value.",
      .symbol = "Index::second_half",
      .file = "kernels/index.hpp",
      .picture = "xs     x0 x1 … x(half-1) | x(half) … x(length-1)\n"
                 "lane   0  1  …  half-1   |   0     …"};
  static constexpr std::array variables{"p", "half"};

  template <class Code, class N>
  static constexpr auto holds(N p, N half) {
    return equal(choose(p < half, [&] { return Code::first_half(p, half); },
                        [&] { return Code::second_half(p - half, half); }), p);
  }

  static constexpr std::array<Range, 2> domain(const model::Config& c) { return {up_to(c.head()), exactly(c.half)}; }
  static constexpr std::array<std::size_t, 2> legal(auto&& pick) {
    const auto half = pick(0, 100000);
    return {pick(0, half + half + 7), half};
  }
  static constexpr std::array<Edge, 4> edges{{{"half = 0", [](Values v) { return v[1] == 0; }},
                                              {"the first value", [](Values v) { return v[0] == 0; }},
                                              {"the last of the first half", [](Values v) { return v[0] + 1 == v[1]; }},
                                              {"the first of the second half", [](Values v) { return v[0] == v[1]; }}}};
  using mutants = types<interleaved_pairs, split_one_too_late, halves_exchanged>;
};

using half_laws = types<head_split>;

}  // namespace lawful::laws
