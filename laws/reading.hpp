// Making arrays and reading values: the counts that memory and files are walked by.
#pragma once
#include "laws/cache.hpp"

namespace lawful::laws {

// Wrong counts.
struct row_begins_late : Product {
  static constexpr Fault fault{"row_begins_late", "row i begins after i + 1 rows"};
  template <class N>
  static constexpr N row_begin(N row, N width) { return (row + N{1}) * width; }
};
struct last_value_unread : Product {
  static constexpr Fault fault{"last_value_unread", "reading stops before the last value"};
  template <class N>
  static constexpr N after_reading(N read, N more) { return read + more - N{1}; }
};
struct reading_starts_over : Product {
  static constexpr Fault fault{"reading_starts_over", "what was read before is forgotten"};
  template <class N>
  static constexpr N after_reading(N, N more) { return more; }
};
struct reads_one_value : Product {
  static constexpr Fault fault{"reads_one_value", "one value is read, however many are asked for"};
  template <class N>
  static constexpr N after_reading(N read, N) { return read + N{1}; }
};

struct arrays_len {
  static constexpr About about{
      .name = "arrays_len",
      .statement = "making n arrays of w values makes n: their memory holds n of them, and array n would begin at its end",
      .why = "Activations are rows of one width, one a token. The memory and the row's place come from two maps, which "
             "must agree.",
      .symbol = "Index::row_begin",
      .file = "kernels/index.hpp",
      .picture = "| array 0 | array 1 | … | array n-1 |\n"
                 "0         w        2w             n*w"};
  static constexpr std::array variables{"n", "w"};

  template <class Code, class N>
  static constexpr auto holds(N n, N w) {
    return given(N{0} < w, all(equal(Code::extent(n, w) / w, n, "arrays that the memory holds"),
                               equal(Code::row_begin(n, w), n * w, "where array n would begin")));
  }

  static constexpr std::array<Range, 2> domain(const model::Config& c) {
    return {up_to(c.layers + c.heads()), from_one_to(c.head())};
  }
  static constexpr std::array<std::size_t, 2> legal(auto&& pick) { return {pick(0, 1U << 30), pick(1, 100000)}; }
  static constexpr std::array<Edge, 3> edges{{{"no array", [](Values v) { return v[0] == 0; }},
                                              {"one array", [](Values v) { return v[0] == 1; }},
                                              {"arrays of one value", [](Values v) { return v[1] == 1; }}}};
  using mutants = types<one_row_short, rows_and_width_added, row_begins_late>;
};

struct read_len {
  static constexpr About about{
      .name = "read_len",
      .statement = "reading m + 1 values after acc gives m + 1 + |acc|",
      .why = "A reader that loses or repeats one value shifts every later one: the file still has the right length.",
      .symbol = "Index::after_reading",
      .file = "kernels/index.hpp",
      .picture = "| acc … | m + 1 values … |\n"
                 "        ^ before         ^ after"};
  static constexpr std::array variables{"acc", "m"};

  template <class Code, class N>
  static constexpr auto holds(N acc, N m) {
    return equal(Code::after_reading(acc, m + N{1}), m + N{1} + acc);
  }

  static constexpr std::array<Range, 2> domain(const model::Config& c) { return {up_to(c.dim()), up_to(3)}; }
  static constexpr std::array<std::size_t, 2> legal(auto&& pick) { return {pick(0, 1U << 30), pick(0, 1U << 30)}; }
  static constexpr std::array<Edge, 2> edges{{{"nothing read before", [](Values v) { return v[0] == 0; }},
                                              {"one value", [](Values v) { return v[1] == 0; }}}};
  using mutants = types<last_value_unread, reading_starts_over, reads_one_value>;
};

using reading_laws = types<arrays_len, read_len>;

}  // namespace lawful::laws
