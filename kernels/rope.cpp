#include "kernels/rope.hpp"

#include "kernels/index.hpp"
#include "kernels/scratch.hpp"
#include "kernels/targets.hpp"
#include "kernels/team.hpp"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rope.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes-inl.hpp"

#ifndef LAWFUL_KERNELS_ROPE_ONCE
#define LAWFUL_KERNELS_ROPE_ONCE
namespace lawful::kernels {

// angle = quarter · π/2 + r, |r| <= π/4; π/2 in three parts, the first two of 33 bits, so that quarter times each of
// them is exact.
inline constexpr double quarters_per_radian = 0x1.45f306dc9c883p-1;
inline constexpr double quarter_parts[] = {0x1.921fb544p0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};

// sin r = r + r·z·(s₀ + z·(s₁ + …)) and cos r = 1 + z·(c₀ + z·(c₁ + …)) with z = r², the series to r¹⁵ and r¹⁶, last
// coefficient first.
inline constexpr double sine_series[] = {-1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0, 1.0 / 362880.0,
                                         -1.0 / 5040.0,          1.0 / 120.0,        -1.0 / 6.0};
inline constexpr double cosine_series[] = {1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0,
                                           -1.0 / 3628800.0,       1.0 / 40320.0,        -1.0 / 720.0,
                                           1.0 / 24.0,             -0.5};

}  // namespace lawful::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

template <std::size_t terms>
HWY_INLINE VD series(const double (&c)[terms], VD z) {
  VD sum = hn::Set(F64(), c[0]);
  for (std::size_t i = 1; i < terms; ++i) sum = hn::Add(hn::Mul(sum, z), hn::Set(F64(), c[i]));
  return sum;
}

/// sincos() of a vector of angles; operation by operation the same.
HWY_INLINE void sincos_lanes(VD angle, VD& sin, VD& cos) {
  const F64 d;
  const hn::RebindToUnsigned<F64> bits;
  const VD quarter = hn::Floor(hn::Add(hn::Mul(angle, hn::Set(d, quarters_per_radian)), hn::Set(d, 0.5)));
  VD r = angle;
  for (const double part : quarter_parts) r = hn::Sub(r, hn::Mul(quarter, hn::Set(d, part)));
  const VD z = hn::Mul(r, r);
  const VD sine = hn::Add(r, hn::Mul(hn::Mul(r, z), series(sine_series, z)));
  const VD cosine = hn::Add(hn::Set(d, 1.0), hn::Mul(z, series(cosine_series, z)));
  // 2⁵² + quarter has the quarter in its low bits: odd ones exchange the two, the second and third turn a sign.
  const auto low = hn::BitCast(bits, hn::Add(quarter, hn::Set(d, 0x1p52)));
  const auto odd = hn::MaskFromVec(hn::BitCast(d, hn::Sub(hn::Zero(bits), hn::And(low, hn::Set(bits, 1)))));
  const auto sign = [&](auto which) { return hn::BitCast(d, hn::ShiftLeft<62>(hn::And(which, hn::Set(bits, 2)))); };
  sin = hn::Xor(hn::IfThenElse(odd, cosine, sine), sign(low));
  cos = hn::Xor(hn::IfThenElse(odd, sine, cosine), sign(hn::Add(low, hn::Set(bits, 1))));
}

/// One row of heads at one position.
HWY_INLINE void rope_row(const float* x, std::size_t heads, std::span<const float> frequency, std::size_t at,
                         float* y) {
  const F64 d;
  const std::size_t half = frequency.size(), head = 2 * half;
  const float position = static_cast<float>(at);
  const std::size_t whole = half - half % vd_lanes;
  for (std::size_t i = 0; i < whole; i += vd_lanes) {
    const auto angle = hn::Mul(hn::LoadU(F32Half(), frequency.data() + i), hn::Set(F32Half(), position));
    VD sin, cos;
    sincos_lanes(hn::PromoteTo(d, angle), sin, cos);
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t begin = Index::row_begin(h, head);
      const std::size_t one = begin + Index::first_half(i, half), two = begin + Index::second_half(i, half);
      const VD a = hn::PromoteTo(d, hn::LoadU(F32Half(), x + one)), b = hn::PromoteTo(d, hn::LoadU(F32Half(), x + two));
      hn::StoreU(narrow(hn::Sub(hn::Mul(a, cos), hn::Mul(b, sin))), F32Half(), y + one);
      hn::StoreU(narrow(hn::Add(hn::Mul(b, cos), hn::Mul(a, sin))), F32Half(), y + two);
    }
  }
  for (std::size_t i = whole; i < half; ++i) {
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

void rope_rows(const float* x, std::size_t rows, std::size_t heads, std::span<const float> frequency,
               std::size_t first, float* y) {
  const std::size_t width = 2 * frequency.size() * heads;
  parallel(rows, [=](std::size_t row) {
    const std::size_t begin = Index::row_begin(row, width);
    rope_row(x + begin, heads, frequency, Index::advance(first, row), y + begin);
  });
}

}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lawful::kernels {

HWY_EXPORT(rope_rows);

SinCos sincos(double angle) {
  const auto quarter = static_cast<std::int64_t>(angle * quarters_per_radian + 0.5);
  double r = angle;
  for (const double part : quarter_parts) r = r - static_cast<double>(quarter) * part;
  const double z = r * r;
  const auto series = [z](const auto& coefficients) {
    double sum = coefficients[0];
    for (std::size_t i = 1; i < std::size(coefficients); ++i) sum = sum * z + coefficients[i];
    return sum;
  };
  const double sine = r + r * z * series(sine_series);
  const double cosine = 1.0 + z * series(cosine_series);
  switch (quarter & 3) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
  }
}

void rope(const float* x, std::size_t rows, std::size_t heads, std::span<const float> frequency, std::size_t first,
          float* y) {
  HWY_DYNAMIC_DISPATCH(rope_rows)(x, rows, heads, frequency, first, y);
}

}  // namespace lawful::kernels
#endif
