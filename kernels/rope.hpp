// Rotary position embedding (Su et al. 2021, arXiv:2104.09864), half-split pairs as published for Llama.
#pragma once
#include <array>
#include <cstddef>
#include <span>

namespace lawful::kernels {

/// The n-th root of x > 1 by Newton's method, in the widest type there is.
constexpr long double nth_root(long double x, std::size_t n) {
  long double root = 1.0L + (x - 1.0L) / static_cast<long double>(n);
  for (int i = 0; i < 400; ++i) {
    long double power = 1.0L;
    for (std::size_t k = 1; k < n; ++k) power *= root;
    const long double next = root - (power * root - x) / (static_cast<long double>(n) * power);
    if (next == root) break;
    root = next;
  }
  return root;
}

/// Inverse frequencies as published: 1 / float(theta^(2i/head)), the power rounded once to F32, then the F32 reciprocal.
template <std::size_t half>
constexpr std::array<float, half> inverse_frequencies(double theta) {
  const long double root = nth_root(static_cast<long double>(theta), half);
  std::array<float, half> out{};
  long double power = 1.0L;
  for (std::size_t i = 0; i < half; ++i, power *= root) out[i] = 1.0f / static_cast<float>(power);
  return out;
}

/// Sine and cosine of an angle of at least 0, error below 1e-15 up to 2^20: no libm, the same bits everywhere.
struct SinCos {
  double sin, cos;
};
SinCos sincos(double angle);

/// Rotates `rows` rows of `heads` heads of 2·half values: pair (i, half + i) of a head by position · frequency[i], where
/// the position of row r is first + r and the product is rounded to F32 as published. Computed in double, rounded once.
void rope(const float* x, std::size_t rows, std::size_t heads, std::span<const float> frequency, std::size_t first,
          float* y);

}  // namespace lawful::kernels
