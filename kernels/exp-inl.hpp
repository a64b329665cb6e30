// exp in double: the project's own, since those of libm differ between machines.
#if defined(LAWFUL_KERNELS_EXP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LAWFUL_KERNELS_EXP_INL
#undef LAWFUL_KERNELS_EXP_INL
#else
#define LAWFUL_KERNELS_EXP_INL
#endif

#include "kernels/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

/// e^x, with a relative error below 1e-11 for |x| <= 700 (beyond: as at ±700). NaN stays NaN.
/// x = n·ln 2 + r with |r| <= ln 2 / 2; e^r by its series to r⁹, 2ⁿ put into the exponent.
HWY_INLINE VD exp_lanes(VD x) {
  const F64 d;
  const hn::RebindToSigned<F64> bits;
  const VD clamped = hn::Min(hn::Max(x, hn::Set(d, -700.0)), hn::Set(d, 700.0));
  // Adding 1.5·2⁵² rounds to the nearest integer and leaves it in the low bits of the sum.
  const VD shift = hn::Set(d, 0x1.8p52);
  const VD shifted = hn::Add(hn::Mul(clamped, hn::Set(d, 0x1.71547652b82fep0)), shift);
  const VD n = hn::Sub(shifted, shift);
  VD r = fused(d, n, hn::Set(d, -0x1.62e42fefa38p-1), clamped);       // ln 2, its first 42 bits: n times it is exact
  r = fused(d, n, hn::Set(d, -0x1.ef35793c7673p-45), r);              // and the rest
  constexpr double series[] = {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0};
  VD e = hn::Set(d, 1.0 / 362880);
  for (const double c : series) e = fused(d, e, r, hn::Set(d, c));
  const auto scaled = hn::Add(hn::BitCast(bits, e), hn::ShiftLeft<52>(hn::BitCast(bits, shifted)));
  return hn::IfThenElse(hn::IsNaN(x), x, hn::BitCast(d, scaled));
}

}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
