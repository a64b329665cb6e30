// Attention is causal: a position sees itself and all before it, and nothing after.
#pragma once
#include "laws/code.hpp"
#include "laws/law.hpp"

namespace lawful::laws {

// Wrong counts of keys.
struct own_key_unseen : Product {
  static constexpr Fault fault{"own_key_unseen", "position t scores t keys: its own is left out"};
  template <class N>
  static constexpr N keys_read(N t) { return t; }
};
struct next_key_seen : Product {
  static constexpr Fault fault{"next_key_seen", "position t scores t + 2 keys: one from the future, or never written"};
  template <class N>
  static constexpr N keys_read(N t) { return t + N{2}; }
};

struct causal {
  static constexpr About about{
      .name = "causal",
      .statement = "attention at position t scores exactly t + 1 keys: its own and the t before it",
      .why = "One key too many reads memory that nobody wrote, or the future of a prompt; one too few loses the token "
             "itself. The mask is this count, so it depends on the absolute position alone.",
      .symbol = "Index::keys_read",
      .file = "kernels/index.hpp",
      .picture = "keys   0 1 2 3\n"
                 "t = 0  x . . .\n"
                 "t = 1  x x . .\n"
                 "t = 2  x x x .     t + 1 crosses in row t"};
  static constexpr std::array variables{"t"};

  template <class Code, class N>
  static constexpr auto holds(N t) {
    return equal(Code::keys_read(t), t + N{1});
  }

  static constexpr std::array<Range, 1> domain(const model::Config& c) { return {up_to(c.context)}; }
  static constexpr std::array<std::size_t, 1> legal(auto&& pick) { return {pick(0, 1U << 30)}; }
  static constexpr std::array<Edge, 1> edges{{{"t = 0", [](Values v) { return v[0] == 0; }}}};
  using mutants = types<own_key_unseen, next_key_seen>;
};

using attention_laws = types<causal>;

}  // namespace lawful::laws
