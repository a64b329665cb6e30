// Grouped-query attention: which query head reads which key/value head (Ainslie et al. 2023, arXiv:2305.13245).
#pragma once
#include "laws/code.hpp"
#include "laws/law.hpp"

namespace lawful::laws {

// Wrong ways to choose the KV head. Where a model has as many KV heads as query heads (1.7B), all but the last agree
// with the right one: only a grouped config shows the fault.
struct interleaved_heads : Product {
  static constexpr Fault fault{"interleaved_heads", "query head h reads KV head h % group"};
  template <class N>
  static constexpr N kv_head(N query_head, N group) { return query_head % group; }
};
struct every_head_its_own : Product {
  static constexpr Fault fault{"every_head_its_own", "query head h reads KV head h, as without groups"};
  template <class N>
  static constexpr N kv_head(N query_head, N) { return query_head; }
};
struct group_one_too_wide : Product {
  static constexpr Fault fault{"group_one_too_wide", "query head h reads KV head h / (group + 1)"};
  template <class N>
  static constexpr N kv_head(N query_head, N group) { return query_head / (group + N{1}); }
};
struct rounds_up : Product {
  static constexpr Fault fault{"rounds_up", "the division that maps heads rounds up"};
  template <class N>
  static constexpr N kv_head(N query_head, N group) { return (query_head + group - N{1}) / group; }
};

struct gqa_head {
  static constexpr About about{
      .name = "gqa_head",
      .statement = "query head j*g + i, i < g, reads KV head j",
      .why = "A wrong KV head stays in bounds and does not crash: the text is fluent and wrong. A model with one query "
             "head a group cannot show it.",
      .symbol = "Index::kv_head",
      .file = "kernels/index.hpp",
      .picture = "query heads  0 1 2 | 3 4 5 | 6 7 8     g = 3\n"
                 "               \\|/     \\|/     \\|/\n"
                 "KV heads        0       1       2"};
  static constexpr std::array variables{"j", "g", "i"};

  template <class Code, class N>
  static constexpr auto holds(N j, N g, N i) {
    return given(i < g, equal(Code::kv_head(j * g + i, g), j));
  }

  static constexpr std::array<Range, 3> domain(const model::Config& c) {
    return {up_to(c.kv_heads), exactly(c.group), up_to(c.group)};
  }
  static constexpr std::array<std::size_t, 3> legal(auto&& pick) {
    const auto j = pick(0, 100000), g = pick(1, 1000);
    return {j, g, pick(0, g)};
  }
  static constexpr std::array<Edge, 3> edges{{{"g = 1", [](Values v) { return v[1] == 1; }},
                                              {"the first of a group", [](Values v) { return v[2] == 0; }},
                                              {"the last of a group", [](Values v) { return v[2] + 1 == v[1]; }}}};
  using mutants = types<interleaved_heads, every_head_its_own, group_one_too_wide, rounds_up>;
};

struct groups_len {
  static constexpr About about{
      .name = "groups_len",
      .statement = "grouping n*g query heads by g gives n groups: the last head reads KV head n - 1",
      .why = "Every KV head that is computed and cached is read, and none beyond them.",
      .symbol = "Index::kv_head",
      .file = "kernels/index.hpp",
      .picture = "heads 0 … g-1 | g … 2g-1 | … | … n*g-1\n"
                 "group    0    |    1     | … |   n-1     n groups"};
  static constexpr std::array variables{"n", "g"};

  template <class Code, class N>
  static constexpr auto holds(N n, N g) {
    return given(N{0} < n && N{0} < g, equal(Code::kv_head(n * g - N{1}, g) + N{1}, n));
  }

  static constexpr std::array<Range, 2> domain(const model::Config& c) {
    return {from_one_to(c.kv_heads), exactly(c.group)};
  }
  static constexpr std::array<std::size_t, 2> legal(auto&& pick) { return {pick(1, 100000), pick(1, 1000)}; }
  static constexpr std::array<Edge, 2> edges{{{"n = 1", [](Values v) { return v[0] == 1; }},
                                              {"g = 1", [](Values v) { return v[1] == 1; }}}};
  using mutants = types<interleaved_heads, every_head_its_own, group_one_too_wide, rounds_up>;
};

using head_laws = types<gqa_head, groups_len>;

}  // namespace lawful::laws
