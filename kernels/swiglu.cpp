#include "kernels/swiglu.hpp"

#include "kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/swiglu.cpp"
#include <hwy/foreach_target.h>

#include "kernels/exp-inl.hpp"
#include "kernels/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

void swiglu_values(const float* gate, const float* up, std::size_t count, float* y) {
  const F64 d;
  constexpr std::size_t piece = 512;  // enough work for a thread to be worth its start
#pragma omp parallel for schedule(static) if (count > 8 * piece)
  for (std::size_t begin = 0; begin < count; begin += piece)
    for (std::size_t k = begin; k < begin + piece && k < count; k += vd_lanes) {
      const VD g = hn::PromoteTo(d, hn::LoadU(F32Half(), gate + k));
      const VD u = hn::PromoteTo(d, hn::LoadU(F32Half(), up + k));
      const VD below = hn::Add(hn::Set(d, 1.0), exp_lanes(hn::Neg(g)));
      hn::StoreU(hn::DemoteTo(F32Half(), hn::Div(hn::Mul(g, u), below)), F32Half(), y + k);
    }
}

void exp_values(const float* x, std::size_t count, float* y) {
  for (std::size_t k = 0; k < count; k += vd_lanes) {
    const VD e = exp_lanes(hn::PromoteTo(F64(), hn::LoadU(F32Half(), x + k)));
    hn::StoreU(hn::DemoteTo(F32Half(), e), F32Half(), y + k);
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
