#include "kernels/rope.hpp"

#include "kernels/index.hpp"

#include <cstdint>
#include <vector>

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

void rope(const float* x, std::size_t rows, std::size_t heads, std::span<const float> frequency, std::size_t first,
          float* y) {
  const std::size_t half = frequency.size(), head = 2 * half;
#pragma omp parallel for schedule(static) if (rows > 8)
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<SinCos> turn(half);
    const float position = static_cast<float>(Index::advance(first, row));
    for (std::size_t i = 0; i < half; ++i) turn[i] = sincos(static_cast<double>(position * frequency[i]));
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t at = Index::row_begin(Index::row_begin(row, heads) + h, head);
      for (std::size_t i = 0; i < half; ++i) {
        const std::size_t one = at + Index::first_half(i, half), two = at + Index::second_half(i, half);
        const double a = static_cast<double>(x[one]), b = static_cast<double>(x[two]);
        y[one] = static_cast<float>(a * turn[i].cos - b * turn[i].sin);
        y[two] = static_cast<float>(b * turn[i].cos + a * turn[i].sin);
      }
    }
  }
}

}  // namespace lawful::kernels
