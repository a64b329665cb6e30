// The division that maps query heads to KV heads, by blocks: what gqa_head rests on.
#pragma once
#include "laws/heads.hpp"

namespace lawful::laws {

struct div_block {
  static constexpr About about{
      .name = "div_block",
      .statement = "one block of g heads more is one KV head more: (g + n) / g = 1 + n / g",
      .why = "The map goes up by one exactly at the border of each block, so groups do not overlap.",
      .symbol = "Index::kv_head",
      .file = "kernels/index.hpp",
      .picture = "n:      0 … g-1    g … 2g-1\n"
                 "n / g:     0           1"};
  static constexpr std::array variables{"n", "g"};

  template <class Code, class N>
  static constexpr auto holds(N n, N g) {
    return given(N{0} < g, equal(Code::kv_head(g + n, g), N{1} + Code::kv_head(n, g)));
  }

  static constexpr std::array<Range, 2> domain(const model::Config& c) { return {up_to(c.heads()), exactly(c.group)}; }
  static constexpr std::array<std::size_t, 2> legal(auto&& pick) { return {pick(0, 1U << 30), pick(1, 1000)}; }
  static constexpr std::array<Edge, 2> edges{{{"n = 0", [](Values v) { return v[0] == 0; }},
                                              {"g = 1", [](Values v) { return v[1] == 1; }}}};
  using mutants = types<interleaved_heads, every_head_its_own, group_one_too_wide>;
};

struct div_blocks {
  static constexpr About about{
      .name = "div_blocks",
      .statement = "j blocks of g heads more are j KV heads more: (j*g + n) / g = j + n / g",
      .why = "Group j begins at query head j*g, for every j: the last layer of a wide model as well as the first group.",
      .symbol = "Index::kv_head",
      .file = "kernels/index.hpp",
      .picture = "[ g ][ g ] … [ g ] n      j blocks, then n\n"
                 "  0    1     j-1   j + n / g"};
  static constexpr std::array variables{"j", "g", "n"};

  template <class Code, class N>
  static constexpr auto holds(N j, N g, N n) {
    return given(N{0} < g, equal(Code::kv_head(j * g + n, g), j + Code::kv_head(n, g)));
  }

  static constexpr std::array<Range, 3> domain(const model::Config& c) {
    return {up_to(c.kv_heads), exactly(c.group), up_to(c.heads())};
  }
  static constexpr std::array<std::size_t, 3> legal(auto&& pick) {
    return {pick(0, 100000), pick(1, 1000), pick(0, 1U << 30)};
  }
  static constexpr std::array<Edge, 3> edges{{{"j = 0", [](Values v) { return v[0] == 0; }},
                                              {"g = 1", [](Values v) { return v[1] == 1; }},
                                              {"n = 0", [](Values v) { return v[2] == 0; }}}};
  using mutants = types<interleaved_heads, every_head_its_own, group_one_too_wide>;
};

struct div_rest {
  static constexpr About about{
      .name = "div_rest",
      .statement = "a rest smaller than a block adds no KV head: i / g = 0 for i < g",
      .why = "The first g query heads read KV head 0; rounding the division up would send all but the first elsewhere.",
      .symbol = "Index::kv_head",
      .file = "kernels/index.hpp",
      .picture = "i:      0 1 … g-1 | g\n"
                 "i / g:  0 0 …  0  | 1"};
  static constexpr std::array variables{"i", "g"};

  template <class Code, class N>
  static constexpr auto holds(N i, N g) {
    return given(i < g, equal(Code::kv_head(i, g), N{0}));
  }

  static constexpr std::array<Range, 2> domain(const model::Config& c) { return {up_to(c.group), exactly(c.group)}; }
  static constexpr std::array<std::size_t, 2> legal(auto&& pick) {
    const auto g = pick(1, 100000);
    return {pick(0, g), g};
  }
  static constexpr std::array<Edge, 2> edges{{{"i = 0", [](Values v) { return v[0] == 0; }},
                                              {"i = g - 1", [](Values v) { return v[0] + 1 == v[1]; }}}};
  using mutants = types<interleaved_heads, every_head_its_own, rounds_up>;
};

using division_laws = types<div_block, div_blocks, div_rest>;

}  // namespace lawful::laws
