// The arithmetic has one order: where a term of a sum is added follows from its index alone, and what a position reads
// from its number alone. So a result is the same whatever was computed beside it.
#pragma once
#include <concepts>

#include "laws/attention.hpp"
#include "laws/code.hpp"
#include "laws/law.hpp"
#include "laws/positions.hpp"

namespace lawful::laws {

// The maps take a term's index and nothing else: no row, token, thread or chunk can come into them.
template <class... Maps>
concept map_one_number = (std::same_as<Maps, std::size_t (*)(std::size_t)> && ...);
static_assert(map_one_number<decltype(&Product::block_of<std::size_t>), decltype(&Product::lane_of<std::size_t>),
                             decltype(&Product::step_of<std::size_t>)>);

// Wrong orders of addition.
struct eight_lanes : Product {
  static constexpr Fault fault{"eight_lanes", "a machine with narrower vectors takes eight lanes: lane k mod 8"};
  template <class N>
  static constexpr N lane_of(N k) { return k % N{8}; }
};
struct contiguous_lanes : Product {
  static constexpr Fault fault{"contiguous_lanes", "each lane takes a run of neighbours instead of every 16th term"};
  template <class N>
  static constexpr N lane_of(N k) { return k % N{block} / N{steps}; }
  template <class N>
  static constexpr N step_of(N k) { return k % N{steps}; }
};
struct split_by_threads : Product {
  static constexpr Fault fault{"split_by_threads", "three threads share the terms of a row of 576: block k div 192"};
  template <class N>
  static constexpr N block_of(N k) { return k / N{192}; }
};
struct last_term_first : Product {
  static constexpr Fault fault{"last_term_first", "a lane takes the terms of a block from the last to the first"};
  template <class N>
  static constexpr N step_of(N k) { return N{steps - 1} - k % N{block} / N{lanes}; }
};

struct term_has_one_place {
  static constexpr About about{
      .name = "term_has_one_place",
      .statement = "term k is added at step (k mod 320) / 16 of lane k mod 16 of block k / 320, and nowhere else",
      .why = "The place gives the index back, so no two terms share one and none is lost; and it is made of the index "
             "alone, so no thread, chunk or neighbour moves it.",
      .symbol = "Order::term",
      .file = "kernels/order.hpp",
      .picture = "lane:   0   1  …  15\n"
                 "step 0: 0   1      15\n"
                 "step 1: 16  17     31     … 20 steps: block 0, terms 0 … 319"};
  static constexpr std::array variables{"k"};

  template <class Code, class N>
  static constexpr auto holds(N k) {
    return all(equal(Code::term(Code::block_of(k), Code::step_of(k), Code::lane_of(k)), k, "the place's term"),
               below(Code::lane_of(k), N{Code::lanes}, "lane"), below(Code::step_of(k), N{Code::steps}, "step"));
  }

  static constexpr std::array<Range, 1> domain(const model::Config& c) { return {up_to(c.ffn)}; }
  static constexpr std::array<std::size_t, 1> legal(auto&& pick) { return {pick(0, 1U << 30)}; }
  static constexpr std::array<Edge, 2> edges{{{"k = 0", [](Values v) { return v[0] == 0; }},
                                              {"the last term of a block", [](Values v) { return v[0] % 320 == 319; }}}};
  using mutants = types<eight_lanes, contiguous_lanes, split_by_threads, last_term_first>;
};

struct place_has_one_term {
  static constexpr About about{
      .name = "place_has_one_term",
      .statement = "step s < 20 of lane l < 16 of block b adds term 320*b + 16*s + l, and no other",
      .why = "Every place of a whole block is filled once: with term_has_one_place, the order is a bijection.",
      .symbol = "Order::term",
      .file = "kernels/order.hpp",
      .picture = "(b, s, l) -> 320*b + 16*s + l -> (b, s, l)"};
  static constexpr std::array variables{"b", "s", "l"};

  template <class Code, class N>
  static constexpr auto holds(N b, N s, N l) {
    const N k = Code::term(b, s, l);
    return given(s < N{Code::steps} && l < N{Code::lanes},
                 all(equal(Code::block_of(k), b, "block"), equal(Code::step_of(k), s, "step"),
                     equal(Code::lane_of(k), l, "lane")));
  }

  static constexpr std::array<Range, 3> domain(const model::Config& c) {
    return {up_to(c.ffn / Product::block + 1), up_to(Product::steps), up_to(Product::lanes)};
  }
  static constexpr std::array<std::size_t, 3> legal(auto&& pick) {
    return {pick(0, 1U << 20), pick(0, Product::steps), pick(0, Product::lanes)};
  }
  static constexpr std::array<Edge, 2> edges{{{"s = 19", [](Values v) { return v[1] == 19; }},
                                              {"l = 15", [](Values v) { return v[2] == 15; }}}};
  using mutants = types<eight_lanes, contiguous_lanes, split_by_threads, last_term_first>;
};

struct lane_rises {
  static constexpr About about{
      .name = "lane_rises",
      .statement = "inside a block, term k + 16 is added to the same lane right after term k",
      .why = "A lane adds in rising order and skips nothing: the one order that every vector width can keep, since 16 "
             "lanes are two registers of 8 or four of 4.",
      .symbol = "Order::step_of",
      .file = "kernels/order.hpp",
      .picture = "lane 3:  3 -> 19 -> 35 -> … -> 307 | block 1: 323 -> …"};
  static constexpr std::array variables{"k"};

  template <class Code, class N>
  static constexpr auto holds(N k) {
    const N next = k + N{Code::lanes};
    return given(k % N{Code::block} < N{Code::block - Code::lanes},
                 all(equal(Code::step_of(next), Code::step_of(k) + N{1}, "step"),
                     equal(Code::lane_of(next), Code::lane_of(k), "lane"),
                     equal(Code::block_of(next), Code::block_of(k), "block")));
  }

  static constexpr std::array<Range, 1> domain(const model::Config& c) { return {up_to(c.ffn)}; }
  static constexpr std::array<std::size_t, 1> legal(auto&& pick) { return {pick(0, 1U << 30)}; }
  static constexpr std::array<Edge, 1> edges{{{"k = 0", [](Values v) { return v[0] == 0; }}}};
  using mutants = types<contiguous_lanes, split_by_threads, last_term_first>;
};

struct decode_is_prefill {
  static constexpr About about{
      .name = "decode_is_prefill",
      .statement = "row r of a call that begins at position m reads m + r + 1 keys, as it would in a call of its own",
      .why = "Decoding with the cache then equals attention over the whole text again, and a prompt may be cut anywhere.",
      .symbol = "Index::keys_read",
      .file = "kernels/index.hpp",
      .picture = "cached: 0 … m-1 | call: m  m+1 … m+r\n"
                 "row r reads all of these: m + r + 1"};
  static constexpr std::array variables{"m", "r"};

  template <class Code, class N>
  static constexpr auto holds(N m, N r) {
    return equal(Code::keys_read(Code::advance(m, r)), m + r + N{1});
  }

  static constexpr std::array<Range, 2> domain(const model::Config& c) {
    return {every(c.context / 64, 64), up_to(32)};
  }
  static constexpr std::array<std::size_t, 2> legal(auto&& pick) { return {pick(0, 1U << 30), pick(0, 100000)}; }
  static constexpr std::array<Edge, 2> edges{{{"m = 0: nothing is cached", [](Values v) { return v[0] == 0; }},
                                              {"r = 0", [](Values v) { return v[1] == 0; }}}};
  using mutants = types<chunk_starts_at_zero, one_step_a_chunk, own_key_unseen, next_key_seen>;
};

struct future_weighs_nothing {
  static constexpr About about{
      .name = "future_weighs_nothing",
      .statement = "a key of the future is not read: for j > t, j is beyond the keys read at t; for j <= t it is among them",
      .why = "Its weight is exactly zero and no rounding of e^-infinity: NaN or garbage there changes no bit. And every "
             "key up to t is read.",
      .symbol = "Index::keys_read",
      .file = "kernels/index.hpp",
      .picture = "keys read at t:  0 1 … t | t+1 …\n"
                 "                 x x   x |  .  .     not masked: never touched"};
  static constexpr std::array variables{"j", "d"};

  template <class Code, class N>
  static constexpr auto holds(N j, N d) {
    return all(at_most(Code::keys_read(j), j + N{1} + d, "a key of the future, d further on"),
               below(j, Code::keys_read(j + d), "a key of the past, d before"));
  }

  static constexpr std::array<Range, 2> domain(const model::Config& c) {
    return {every(c.context / 64, 64), up_to(32)};
  }
  static constexpr std::array<std::size_t, 2> legal(auto&& pick) { return {pick(0, 1U << 30), pick(0, 100000)}; }
  static constexpr std::array<Edge, 1> edges{{{"d = 0: the next key, and the own", [](Values v) { return v[1] == 0; }}}};
  using mutants = types<own_key_unseen, next_key_seen>;
};

struct position_counts {
  static constexpr About about{
      .name = "position_counts",
      .statement = "a token's position is the number of tokens before it: i, after calls of a and of b tokens, a + b + i",
      .why = "RoPE turns a token by this number; a count that begins anew in each call turns it wrongly from the second "
             "call on.",
      .symbol = "Index::advance",
      .file = "kernels/index.hpp",
      .picture = "[ a tokens ][ b tokens ][ i tokens ] ^a+b+i"};
  static constexpr std::array variables{"a", "b", "i"};

  template <class Code, class N>
  static constexpr auto holds(N a, N b, N i) {
    return equal(Code::advance(Code::advance(Code::advance(N{0}, a), b), i), a + b + i);
  }

  static constexpr std::array<Range, 3> domain(const model::Config& c) {
    return {every(c.context / 16, 16), up_to(8), up_to(8)};
  }
  static constexpr std::array<std::size_t, 3> legal(auto&& pick) {
    return {pick(0, 1U << 20), pick(0, 100000), pick(0, 100000)};
  }
  static constexpr std::array<Edge, 2> edges{{{"a = 0", [](Values v) { return v[0] == 0; }},
                                              {"i = 0", [](Values v) { return v[2] == 0; }}}};
  using mutants = types<writes_one_too_far, chunk_starts_at_zero, one_step_a_chunk, stands_still>;
};

// Wrong places of rows.
struct rows_overlap : Product {
  static constexpr Fault fault{"rows_overlap", "rows lie one value too close: each shares one with the next"};
  template <class N>
  static constexpr N row_begin(N row, N width) { return row * (width - N{1}); }
};
struct one_row_for_all : Product {
  static constexpr Fault fault{"one_row_for_all", "all rows are the first"};
  template <class N>
  static constexpr N row_begin(N, N) { return N{0}; }
};

struct rows_apart {
  static constexpr About about{
      .name = "rows_apart",
      .statement = "the value i < w of row a lies before every value of a later row b > a: a*w + i < b*w",
      .why = "Requests, tokens and cache positions lie in rows of their own, so what stands in one row cannot reach "
             "another: a request's bits do not depend on its neighbours.",
      .symbol = "Index::row_begin",
      .file = "kernels/index.hpp",
      .picture = "| row a: w values |      …      | row b: w values |\n"
                 "a*w       a*w + i             b*w"};
  static constexpr std::array variables{"a", "b", "w", "i"};

  template <class Code, class N>
  static constexpr auto holds(N a, N b, N w, N i) {
    return given(a < b && i < w, below(Code::row_begin(a, w) + i, Code::row_begin(b, w)));
  }

  static constexpr std::array<Range, 4> domain(const model::Config& c) {
    return {up_to(8), up_to(8), exactly(c.dim()), Range{0, 2, c.dim() - 1}};
  }
  static constexpr std::array<std::size_t, 4> legal(auto&& pick) {
    const auto a = pick(0, 100000), w = pick(1, 10000);
    return {a, a + 1 + pick(0, 1000), w, pick(0, w)};
  }
  static constexpr std::array<Edge, 2> edges{{{"b = a + 1", [](Values v) { return v[1] == v[0] + 1; }},
                                              {"i = w - 1", [](Values v) { return v[3] + 1 == v[2]; }}}};
  using mutants = types<rows_overlap, one_row_for_all>;
};

using arithmetic_laws = types<term_has_one_place, place_has_one_term, lane_rises, decode_is_prefill,
                              future_weighs_nothing, position_counts, rows_apart>;

}  // namespace lawful::laws
