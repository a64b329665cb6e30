#include "kernels/rope.hpp"

#include "kernels/index.hpp"
#include "kernels/team.hpp"

#include <cstdint>

namespace lawful::kernels {

SinCos sincos(double angle) {
  // angle = quarter · π/2 + r, |r| <= π/4; π/2 in three parts of 33 bits, so that quarter times each is exact.
  const double quarter = static_cast<double>(static_cast<std::int64_t>(angle * 0x1.45f306dc9c883p-1 + 0.5));
  double r = angle - quarter * 0x1.921fb544p0;
  r -= quarter * 0x1.0b4611a6p-34;
  r -= quarter * 0x1.3198a2e037073p-69;
  const double z = r * r;
  double s = -1.0 / 1307674368000.0;  // the series to r¹⁵ and r¹⁶
  for (const double c : {1.0 / 6227020800.0, -1.0 / 39916800.0, 1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0})
    s = s * z + c;
  const double sine = r + r * z * s;
  double c = 1.0 / 20922789888000.0;
  for (const double k : {-1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0, 1.0 / 40320.0, -1.0 / 720.0,
                         1.0 / 24.0, -0.5})
    c = c * z + k;
  const double cosine = 1.0 + z * c;
  switch (static_cast<std::int64_t>(quarter) & 3) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
  }
}

namespace {

/// One row of heads at one position.
void rope_row(const float* x, std::size_t heads, std::span<const float> frequency, std::size_t at, float* y) {
  const std::size_t half = frequency.size(), head = 2 * half;
  const float position = static_cast<float>(at);
  for (std::size_t i = 0; i < half; ++i) {
    const SinCos turn = sincos(static_cast<double>(position * frequency[i]));
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t begin = Index::row_begin(h, head);
      const std::size_t one = begin + Index::first_half(i, half), two = begin + Index::second_half(i, half);
      const double a = static_cast<double>(x[one]), b = static_cast<double>(x[two]);
      y[one] = static_cast<float>(a * turn.cos - b * turn.sin);
      y[two] = static_cast<float>(b * turn.cos + a * turn.sin);
    }
  }
}

}  // namespace

void rope(const float* x, std::size_t rows, std::size_t heads, std::span<const float> frequency, std::size_t first,
          float* y) {
  const std::size_t width = 2 * frequency.size() * heads;
  parallel(rows, [=](std::size_t row) {
    const std::size_t begin = Index::row_begin(row, width);
    rope_row(x + begin, heads, frequency, Index::advance(first, row), y + begin);
  });
}

}  // namespace lawful::kernels
