// Sixteen F32 lanes on any vector width, and their canonical sum. Included once for each Highway target.
#if defined(LAWFUL_KERNELS_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LAWFUL_KERNELS_LANES_INL
#undef LAWFUL_KERNELS_LANES_INL
#else
#define LAWFUL_KERNELS_LANES_INL
#endif

#include "kernels/order.hpp"

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::CappedTag<float, Order::lanes>;
using F64 = hn::CappedTag<double, Order::lanes / 2>;
using F32Half = hn::Rebind<float, F64>;  // as many F32 as a vector of doubles holds
using VF = hn::Vec<F32>;
using VD = hn::Vec<F64>;
inline constexpr std::size_t vf_lanes = hn::MaxLanes(F32());
inline constexpr std::size_t vd_lanes = hn::MaxLanes(F64());
inline constexpr std::size_t vf_parts = Order::lanes / vf_lanes;
inline constexpr std::size_t vd_parts = Order::lanes / vd_lanes;

/// Fused multiply-add a·b + c, rounded once on every target.
template <class D, class V>
HWY_INLINE V fused([[maybe_unused]] D d, V a, V b, V c) {
#if HWY_NATIVE_FMA
  return hn::MulAdd(a, b, c);
#else
  using T = hn::TFromD<D>;
  constexpr std::size_t n = hn::MaxLanes(D());
  alignas(64) T x[n], y[n], z[n];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(c, d, z);
  for (std::size_t i = 0; i < n; ++i) z[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(d, z);
#endif
}

/// Lanes 0..15 of F32, in rising order over the parts.
struct Lanes {
  VF part[vf_parts];
};

/// The same in double.
struct Sums {
  VD part[vd_parts];
};

HWY_INLINE Lanes zero_lanes() {
  Lanes out;
  for (auto& part : out.part) part = hn::Zero(F32());
  return out;
}

HWY_INLINE Lanes load_lanes(const float* p) {
  Lanes out;
  for (std::size_t i = 0; i < vf_parts; ++i) out.part[i] = hn::LoadU(F32(), p + i * vf_lanes);
  return out;
}

HWY_INLINE void store_lanes(const Lanes& v, float* p) {
  for (std::size_t i = 0; i < vf_parts; ++i) hn::StoreU(v.part[i], F32(), p + i * vf_lanes);
}

HWY_INLINE Lanes broadcast_lanes(float x) {
  Lanes out;
  for (auto& part : out.part) part = hn::Set(F32(), x);
  return out;
}

HWY_INLINE Lanes fused_lanes(const Lanes& a, const Lanes& b, const Lanes& c) {
  Lanes out;
  for (std::size_t i = 0; i < vf_parts; ++i) out.part[i] = fused(F32(), a.part[i], b.part[i], c.part[i]);
  return out;
}

HWY_INLINE Lanes add_lanes(const Lanes& a, const Lanes& b) {
  Lanes out;
  for (std::size_t i = 0; i < vf_parts; ++i) out.part[i] = hn::Add(a.part[i], b.part[i]);
  return out;
}

/// Widens 16 F32 lanes in memory to double.
HWY_INLINE Sums load_sums(const float* p) {
  Sums out;
  for (std::size_t i = 0; i < vd_parts; ++i)
    out.part[i] = hn::PromoteTo(F64(), hn::LoadU(F32Half(), p + i * vd_lanes));
  return out;
}

HWY_INLINE Sums widen_lanes(const Lanes& v) {
  Sums out;
  for (std::size_t i = 0; i < vf_parts; ++i) {
#if HWY_TARGET == HWY_SCALAR
    out.part[i] = hn::PromoteTo(F64(), v.part[i]);
#else
    out.part[2 * i] = hn::PromoteTo(F64(), hn::LowerHalf(F32Half(), v.part[i]));
    out.part[2 * i + 1] = hn::PromoteTo(F64(), hn::UpperHalf(F32Half(), v.part[i]));
#endif
  }
  return out;
}

/// Rounds doubles to F32; beyond its range to infinity, where Highway's emulation would stop at the largest number.
HWY_INLINE hn::Vec<F32Half> narrow(VD v) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  alignas(64) double wide[vd_lanes];
  alignas(64) float out[vd_lanes];
  hn::Store(v, F64(), wide);
  for (std::size_t i = 0; i < vd_lanes; ++i) out[i] = static_cast<float>(wide[i]);
  return hn::Load(F32Half(), out);
#else
  return hn::DemoteTo(F32Half(), v);
#endif
}

HWY_INLINE Sums add_sums(const Sums& a, const Sums& b) {
  Sums out;
  for (std::size_t i = 0; i < vd_parts; ++i) out.part[i] = hn::Add(a.part[i], b.part[i]);
  return out;
}

/// The canonical tree over the 16 lanes: l with l + 8, then + 4, + 2, + 1.
HWY_INLINE double sum_lanes(Sums s) {
  for (std::size_t width = vd_parts / 2; width > 0; width /= 2)
    for (std::size_t i = 0; i < width; ++i) s.part[i] = hn::Add(s.part[i], s.part[i + width]);
  alignas(64) double lane[vd_lanes];
  hn::Store(s.part[0], F64(), lane);
  for (std::size_t width = vd_lanes / 2; width > 0; width /= 2)
    for (std::size_t i = 0; i < width; ++i) lane[i] = lane[i] + lane[i + width];
  return lane[0];
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

using F64x4 = hn::FixedTag<double, 4>;
using Four = hn::Vec<F64x4>;

/// The tree's first two levels: l with l + 8, then + 4.
HWY_INLINE Four sum_to_four(const Sums& s) {
#if HWY_TARGET == HWY_AVX3
  const VD eight = hn::Add(s.part[0], s.part[1]);
  return hn::Add(hn::LowerHalf(F64x4(), eight), hn::UpperHalf(F64x4(), eight));
#else
  return hn::Add(hn::Add(s.part[0], s.part[2]), hn::Add(s.part[1], s.part[3]));
#endif
}

/// sum_lanes of four sums at once, transposing as the lanes are added.
HWY_INLINE Four sum_four(const Sums& a, const Sums& b, const Sums& c, const Sums& d) {
  const F64x4 tag;
  const Four fa = sum_to_four(a), fb = sum_to_four(b), fc = sum_to_four(c), fd = sum_to_four(d);
  const Four ac = hn::Add(hn::ConcatLowerLower(tag, fc, fa), hn::ConcatUpperUpper(tag, fc, fa));
  const Four bd = hn::Add(hn::ConcatLowerLower(tag, fd, fb), hn::ConcatUpperUpper(tag, fd, fb));
  return hn::Add(hn::InterleaveLower(tag, ac, bd), hn::InterleaveUpper(tag, ac, bd));
}

HWY_INLINE void store_four(Four v, double* out) { hn::StoreU(v, F64x4(), out); }
HWY_INLINE void store_four(Four v, float* out) {
  const hn::Rebind<float, F64x4> tag;
  hn::StoreU(hn::DemoteTo(tag, v), tag, out);
}

/// sum_lanes of four sums, each rounded to Number once, to out[0..3].
template <class Number>
HWY_INLINE void store_sums(const Sums (&s)[4], Number* out) {
  store_four(sum_four(s[0], s[1], s[2], s[3]), out);
}

#else

template <class Number>
HWY_INLINE void store_sums(const Sums (&s)[4], Number* out) {
  for (std::size_t i = 0; i < 4; ++i) out[i] = static_cast<Number>(sum_lanes(s[i]));
}

#endif

/// The same of four times sixteen lanes of F32.
template <class Number>
HWY_INLINE void store_sums(const Lanes (&v)[4], Number* out) {
  store_sums({widen_lanes(v[0]), widen_lanes(v[1]), widen_lanes(v[2]), widen_lanes(v[3])}, out);
}

}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
