// The one order in which the products of a dot product are added (docs/arithmetic.md).
//
// Term k of a sum goes to lane k mod `lanes` of block k div `block`. A lane takes its terms in rising k by fused
// multiply-add in F32, from zero. The blocks' partial sums are added lane by lane in F32, in rising order; the lanes are
// then halved in double (l with l + 8, + 4, + 2, + 1). Where F32 is wanted the sum is rounded once, at the end.
//
// Nothing here takes a row, a token, a thread or a chunk: that is why a result does not depend on them.
#pragma once
#include <array>
#include <cstddef>

namespace lawful::kernels {

struct Order {
  static constexpr std::size_t lanes = 16;   ///< partial sums side by side
  static constexpr std::size_t block = 320;  ///< terms whose sums begin at zero
  static constexpr std::size_t steps = block / lanes;  ///< terms of one lane in a whole block

  /// Where term k goes, over any kind of number.
  template <class N>
  static constexpr N block_of(N k) { return k / N(block); }
  template <class N>
  static constexpr N lane_of(N k) { return k % N(lanes); }
  template <class N>
  static constexpr N step_of(N k) { return (k % N(block)) / N(lanes); }
  /// The term at a place: the inverse of the three.
  template <class N>
  static constexpr N term(N in_block, N step, N lane) { return in_block * N(block) + step * N(lanes) + lane; }
};

static_assert(Order::block % Order::lanes == 0);

/// Adds the 16 lanes in the canonical tree.
constexpr double lane_tree(std::array<double, Order::lanes> lane) {
  for (std::size_t width = Order::lanes / 2; width > 0; width /= 2)
    for (std::size_t l = 0; l < width; ++l) lane[l] = lane[l] + lane[l + width];
  return lane[0];
}

/// The dot product of `n` terms in the canonical order, in plain scalar code: what every kernel must equal bit for bit.
constexpr double dot(const float* a, const float* b, std::size_t n) {
  std::array<float, Order::lanes> sum{};
  for (std::size_t begin = 0; begin < n; begin += Order::block) {
    std::array<float, Order::lanes> lane{};
    const std::size_t end = begin + Order::block < n ? begin + Order::block : n;
    for (std::size_t k = begin; k < end; ++k) {
      float& acc = lane[Order::lane_of(k)];
      acc = __builtin_fmaf(a[k], b[k], acc);
    }
    for (std::size_t l = 0; l < Order::lanes; ++l) sum[l] = begin == 0 ? lane[l] : sum[l] + lane[l];
  }
  std::array<double, Order::lanes> wide{};
  for (std::size_t l = 0; l < Order::lanes; ++l) wide[l] = static_cast<double>(sum[l]);
  return lane_tree(wide);
}

}  // namespace lawful::kernels
