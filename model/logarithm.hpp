// exp and ln in double for probabilities: plain additions and multiplications in one order, no libm, so that the same
// logits give the same draw on every machine. Error: a few units in the last place.
#pragma once
#include <bit>
#include <cstdint>

namespace lawful::model {

/// e^x for x <= 0; exactly 0 below -700.
inline double exp_of_negative(double x) {
  if (!(x >= -700.0)) return 0.0;
  // x = n ln 2 + r, |r| <= ln 2 / 2. The first part of ln 2 has 32 bits, so n times it is exact.
  constexpr double ln2_first = 0x1.62e42feep-1, ln2_rest = 0x1.a39ef35793c76p-33, inverse = 0x1.71547652b82fep+0;
  constexpr double shift = 0x1.8p+52;  // adding it rounds to the nearest whole number
  const double n = (x * inverse + shift) - shift;
  const double r = (x - n * ln2_first) - n * ln2_rest;
  constexpr double inverse_factorial[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                                          1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                                          1.0 / 120,        1.0 / 24,        1.0 / 6,        0.5};
  double term = inverse_factorial[0];
  for (int i = 1; i < 12; ++i) term = term * r + inverse_factorial[i];
  const double sum = 1.0 + (r + r * r * term);
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(n) + 1023) << 52U;
  return sum * std::bit_cast<double>(exponent);
}

/// ln x for a normal x > 0.
inline double ln_of_positive(double x) {
  // x = 2^n m with m in [1/sqrt 2, sqrt 2); ln m = 2 artanh((m - 1) / (m + 1)).
  constexpr std::uint64_t fraction = (std::uint64_t{1} << 52U) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto n = static_cast<double>(static_cast<std::int64_t>(bits >> 52U) - 1023);
  double m = std::bit_cast<double>((bits & fraction) | std::uint64_t{1023} << 52U);
  if (m >= 0x1.6a09e667f3bcdp+0) {
    m *= 0.5;
    n += 1.0;
  }
  const double s = (m - 1.0) / (m + 1.0), square = s * s;
  double series = 1.0 / 25;
  for (int k = 23; k >= 3; k -= 2) series = series * square + 1.0 / k;
  constexpr double ln2_first = 0x1.62e42feep-1, ln2_rest = 0x1.a39ef35793c76p-33;
  return n * ln2_first + (2.0 * s + (2.0 * s * square * series + n * ln2_rest));
}

}  // namespace lawful::model
