// Exact widening of 32 stored weights to F32 lanes, for the storages that have a vector form.
#if defined(LAWFUL_KERNELS_WIDEN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LAWFUL_KERNELS_WIDEN_INL
#undef LAWFUL_KERNELS_WIDEN_INL
#else
#define LAWFUL_KERNELS_WIDEN_INL
#endif

#include "kernels/lanes-inl.hpp"
#include "kernels/storage.hpp"

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

/// Weights 0..15 and 16..31 of a piece of 32: two steps of the canonical order.
struct Pair {
  Lanes first, second;
};

inline constexpr std::size_t pair_values = 2 * Order::lanes;

/// Bytes that 32 values of storage S take.
template <Storage S>
constexpr std::size_t pair_bytes() {
  return pair_values / block_shape(S).values * block_shape(S).bytes;
}

#if HWY_TARGET == HWY_SCALAR

template <Storage S>
HWY_INLINE Pair widen_pair(const std::byte* p) {
  float wide[pair_values];
  widen(S, p, pair_values, wide);
  return {load_lanes(wide), load_lanes(wide + Order::lanes)};
}

#else

namespace widening {

// Bytes of a file may lie anywhere, so they are loaded as bytes and only then taken for what they are.
template <class D>
HWY_INLINE hn::Vec<D> load_as(D d, const std::byte* p) {
  const hn::Repartition<std::uint8_t, D> bytes;
  return hn::BitCast(d, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(p)));
}

using I32 = hn::RebindToSigned<F32>;
using U32 = hn::RebindToUnsigned<F32>;

/// The first halves of a block, each broadcast. They go through memory: a broadcast from there is a load, one from a
/// register would take the shuffle units, which the weights keep busy.
class Scales {
 public:
  HWY_INLINE explicit Scales(const std::byte* p) {
    const hn::FixedTag<float, 4> d;
    const hn::Rebind<std::uint16_t, decltype(d)> bits;
    const hn::Rebind<hwy::float16_t, decltype(d)> half;
    hn::Store(hn::PromoteTo(d, hn::BitCast(half, load_as(bits, p))), d, value_);  // four: never past the block's end
    asm volatile("" : "+m"(value_));
  }
  HWY_INLINE VF operator[](std::size_t i) const { return hn::Set(F32(), value_[i]); }

 private:
  alignas(16) float value_[4];
};

HWY_INLINE Lanes f32(const std::byte* p) {
  Lanes out;
  for (std::size_t i = 0; i < vf_parts; ++i) out.part[i] = load_as(F32(), p + i * vf_lanes * 4);
  return out;
}

HWY_INLINE Lanes bf16(const std::byte* p) {
  Lanes out;
  const hn::Rebind<std::uint16_t, F32> d;
  for (std::size_t i = 0; i < vf_parts; ++i) {
    const auto raw = hn::PromoteTo(U32(), load_as(d, p + i * vf_lanes * 2));
    out.part[i] = hn::BitCast(F32(), hn::ShiftLeft<16>(raw));
  }
  return out;
}

HWY_INLINE Lanes f16(const std::byte* p) {
  Lanes out;
  const hn::Rebind<std::uint16_t, F32> bits;
  const hn::Rebind<hwy::float16_t, F32> d;
  for (std::size_t i = 0; i < vf_parts; ++i)
    out.part[i] = hn::PromoteTo(F32(), hn::BitCast(d, load_as(bits, p + i * vf_lanes * 2)));
  return out;
}

/// 16 int8 at p, times scale.
HWY_INLINE Lanes int8_times(const std::byte* p, VF scale) {
  Lanes out;
  const hn::Rebind<std::int8_t, F32> d;
  for (std::size_t i = 0; i < vf_parts; ++i) {
    const auto q = hn::ConvertTo(F32(), hn::PromoteTo(I32(), load_as(d, p + i * vf_lanes)));
    out.part[i] = hn::Mul(q, scale);
  }
  return out;
}

/// Low and high nibbles of 16 bytes at p as q·d + m, one rounding. 0 <= q < 16.
HWY_INLINE Pair nibbles(const std::byte* p, VF scale, VF shift) {
  Pair out;
  const hn::Rebind<std::uint8_t, F32> bytes;
#if HWY_TARGET == HWY_AVX3
  // Sixteen possible weights: a table of them, and a permute by the low four bits of each 32-bit index.
  const VF table = hn::MulAdd(hn::Iota(F32(), 0.0f), scale, shift);
  const auto q = hn::PromoteTo(I32(), load_as(bytes, p));
  out.first.part[0] = VF{_mm512_permutexvar_ps(q.raw, table.raw)};
  out.second.part[0] = VF{_mm512_permutexvar_ps(hn::ShiftRight<4>(q).raw, table.raw)};
#else
  for (std::size_t i = 0; i < vf_parts; ++i) {
    const auto q = hn::PromoteTo(I32(), load_as(bytes, p + i * vf_lanes));
    const auto low = hn::ConvertTo(F32(), hn::And(q, hn::Set(I32(), 15)));
    const auto high = hn::ConvertTo(F32(), hn::ShiftRight<4>(q));
    out.first.part[i] = fused(F32(), low, scale, shift);
    out.second.part[i] = fused(F32(), high, scale, shift);
  }
#endif
  return out;
}

}  // namespace widening

/// 32 weights of storage S at `p`, which starts at a block (or at any 32 values of F32, F16, BF16).
template <Storage S>
HWY_INLINE Pair widen_pair(const std::byte* p) {
  using namespace widening;
  if constexpr (S == Storage::f32) return {f32(p), f32(p + 64)};
  if constexpr (S == Storage::bf16) return {bf16(p), bf16(p + 32)};
  if constexpr (S == Storage::f16) return {f16(p), f16(p + 32)};
  if constexpr (S == Storage::q8_0) {
    const Scales scales(p);
    return {int8_times(p + 2, scales[0]), int8_times(p + 18, scales[0])};
  }
  if constexpr (S == Storage::q4_0) {
    const VF d = Scales(p)[0];
    return nibbles(p + 2, d, hn::Mul(d, hn::Set(F32(), -8.0f)));  // q·d − 8·d is (q − 8)·d: exact, within 24 bits
  }
  if constexpr (S == Storage::q4_1) {
    const Scales scales(p);
    return nibbles(p + 4, scales[0], scales[1]);
  }
}

#endif

}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
