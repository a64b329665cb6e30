// The KV cache: how many heads it has, and that what is written fits what is allocated.
#pragma once
#include "laws/code.hpp"
#include "laws/law.hpp"

namespace lawful::laws {

// Wrong caches.
struct cache_of_query_heads : Product {
  static constexpr Fault fault{"cache_of_query_heads", "the cache has a plane for every query head"};
  template <class Model>
  static constexpr std::size_t cache_heads = Model::config.heads() + Model::config.kv_heads * (Model::config.group == 1);
};
struct one_row_short : Product {
  static constexpr Fault fault{"one_row_short", "cap rows are given the memory of cap - 1"};
  template <class N>
  static constexpr N extent(N rows, N width) { return choose(N{0} < rows, [&] { return (rows - N{1}) * width; },
                                                             [&] { return rows; }); }
};
struct rows_and_width_added : Product {
  static constexpr Fault fault{"rows_and_width_added", "the extent of rows of a width is rows + width"};
  template <class N>
  static constexpr N extent(N rows, N width) { return rows + width; }
};

struct kv_heads {
  static constexpr About about{
      .name = "kv_heads",
      .statement = "an empty cache of config c has kv(c) heads, and memory for them: cap positions of kv(c) * head values",
      .why = "Keys are cached once a KV head, not once a query head: three times less memory in 135M, and the reason why "
             "heads must be mapped.",
      .symbol = "LayerCache",
      .file = "model/kv_cache.hpp",
      .picture = "plane 0  [ cap rows of head values ]\n"
                 "plane 1  [ cap rows of head values ]   … kv(c) planes, keys and values alike"};
  static constexpr std::array variables{"cap"};

  template <class Code, class Model, class N>
  static constexpr auto holds(N cap) {
    constexpr auto c = Model::config;
    constexpr std::size_t heads = Code::template cache_heads<Model>;
    return all(equal(N{heads}, N{c.kv_heads}, "heads"),
               equal(model::plane_extent<Code>(cap, N{heads}, N{c.head()}), cap * N{c.kvw()}, "values of a layer's keys"));
  }

  static constexpr std::array<Range, 1> domain(const model::Config& c) { return {every(c.half, c.context / c.half + 1)}; }
  static constexpr std::array<std::size_t, 1> legal(auto&& pick) { return {pick(0, 1U << 30)}; }
  static constexpr std::array<Edge, 2> edges{{{"a cache of no position", [](Values v) { return v[0] == 0; }},
                                              {"a cache of one position", [](Values v) { return v[0] == 1; }}}};
  using mutants = types<cache_of_query_heads, one_row_short, rows_and_width_added>;
};

struct kv_room {
  static constexpr About about{
      .name = "kv_room",
      .statement = "the row of position t fits a cache of more than t positions: t < cap gives (1 + t) * h <= what cap "
                   "rows of h are allocated",
      .why = "The write at the brim stays inside the memory. One position short, and the last key overwrites the first "
             "of the next head.",
      .symbol = "Index::extent",
      .file = "kernels/index.hpp",
      .picture = "| row 0 | row 1 | … | row t | … | row cap-1 |\n"
                 "                    (1+t)*h ^        cap*h ^"};
  static constexpr std::array variables{"t", "cap", "h"};

  template <class Code, class N>
  static constexpr auto holds(N t, N cap, N h) {
    return given(t < cap, all(at_most((N{1} + t) * h, Code::extent(cap, h), "the end of row t"),
                              at_most(Code::row_begin(t, h) + h, Code::extent(cap, h), "row t as it is written")));
  }

  static constexpr std::array<Range, 3> domain(const model::Config& c) {
    return {up_to(c.context), exactly(c.context), exactly(c.head())};
  }
  static constexpr std::array<std::size_t, 3> legal(auto&& pick) {
    const auto cap = pick(1, 1U << 30);
    return {pick(0, cap), cap, pick(0, 100000)};
  }
  static constexpr std::array<Edge, 3> edges{{{"t = 0", [](Values v) { return v[0] == 0; }},
                                              {"t = cap - 1", [](Values v) { return v[0] + 1 == v[1]; }},
                                              {"cap = 1", [](Values v) { return v[1] == 1; }}}};
  using mutants = types<one_row_short, rows_and_width_added>;
};

using cache_laws = types<kv_heads, kv_room>;

}  // namespace lawful::laws
