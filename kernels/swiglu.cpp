#include "kernels/swiglu.hpp"

#include "kernels/targets.hpp"
#include "kernels/team.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/swiglu.cpp"
#include <hwy/foreach_target.h>

#include "kernels/exp-inl.hpp"
#include "kernels/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

HWY_INLINE void swiglu_piece(const float* gate, const float* up, std::size_t count, float* y) {
  const F64 d;
  for (std::size_t k = 0; k < count; k += vd_lanes) {
    const VD g = hn::PromoteTo(d, hn::LoadU(F32Half(), gate + k));
    const VD u = hn::PromoteTo(d, hn::LoadU(F32Half(), up + k));
    const VD below = hn::Add(hn::Set(d, 1.0), exp_lanes(hn::Neg(g)));
    hn::StoreU(narrow(hn::Div(hn::Mul(g, u), below)), F32Half(), y + k);
  }
}

void swiglu_values(const float* gate, const float* up, std::size_t count, float* y) {
  constexpr std::size_t piece = 4096;  // enough work for a thread to be worth its waking
  parallel((count + piece - 1) / piece, [=](std::size_t i) {
    const std::size_t at = i * piece;
    swiglu_piece(gate + at, up + at, std::min(piece, count - at), y + at);
  });
}

void exp_values(const float* x, std::size_t count, float* y) {
  for (std::size_t k = 0; k < count; k += vd_lanes) {
    const VD e = exp_lanes(hn::PromoteTo(F64(), hn::LoadU(F32Half(), x + k)));
    hn::StoreU(narrow(e), F32Half(), y + k);
  }
}

}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lawful::kernels {
HWY_EXPORT(swiglu_values);
HWY_EXPORT(exp_values);
void swiglu(const float* gate, const float* up, std::size_t count, float* y) {
  HWY_DYNAMIC_DISPATCH(swiglu_values)(gate, up, count, y);
}
void exp_f32(const float* x, std::size_t count, float* y) { HWY_DYNAMIC_DISPATCH(exp_values)(x, count, y); }
}  // namespace lawful::kernels
#endif
