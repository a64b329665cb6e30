// The index maps that the kernels compute with, over any kind of number: std::size_t in a kernel, a solver's
// expression in a proof. A law governs each of them; nothing else in the project writes these formulas again.
#pragma once

namespace lawful::kernels {

struct Index {
  /// The KV head that a query head reads (grouped-query attention; Ainslie et al. 2023, arXiv:2305.13245).
  template <class N>
  static constexpr N kv_head(N query_head, N group) { return query_head / group; }

  /// How many keys attention scores at position t: its own and all before it.
  template <class N>
  static constexpr N keys_read(N t) { return t + 1; }

  /// The position that follows after `n` more tokens.
  template <class N>
  static constexpr N advance(N t, N n) { return t + n; }

  /// Values read once `more` have been read after `read`.
  template <class N>
  static constexpr N after_reading(N read, N more) { return read + more; }

  /// Whether `count` positions fit where `left` are free.
  template <class N>
  static constexpr auto fits(N count, N left) { return count <= left; }

  /// Steps left after one is taken.
  template <class N>
  static constexpr N step_left(N left) { return left - 1; }

  /// Values that `rows` rows of `width` values take up.
  template <class N>
  static constexpr N extent(N rows, N width) { return rows * width; }

  /// First value of row `row` in rows of `width` values.
  template <class N>
  static constexpr N row_begin(N row, N width) { return row * width; }

  /// RoPE pairs lane i of a head's first half with lane i of its second half (half-split pairs).
  template <class N>
  static constexpr N first_half(N i, N) { return i; }
  template <class N>
  static constexpr N second_half(N i, N half) { return half + i; }

  /// The row of a matrix stored for interleaved RoPE pairs (GGUF) that holds row `row` of the half-split layout:
  /// head h, part p (0 or 1), lane i: h·2·half + p·half + i  ->  h·2·half + 2·i + p.
  template <class N>
  static constexpr N interleaved_row(N row, N half) {
    const N head = row / (half + half), in_head = row - head * (half + half);
    const N part = in_head / half, lane = in_head - part * half;
    return head * (half + half) + lane + lane + part;
  }
};

}  // namespace lawful::kernels
