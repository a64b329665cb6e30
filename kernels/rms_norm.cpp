#include "kernels/rms_norm.hpp"

#include "kernels/targets.hpp"
#include "kernels/team.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rms_norm.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

HWY_INLINE double sum_of_squares(const double* x, std::size_t width) {
  Sums sums;
  for (auto& part : sums.part) part = hn::Zero(F64());
  for (std::size_t k = 0; k < width; k += Order::lanes)
    for (std::size_t i = 0; i < vd_parts; ++i) {
      const VD v = hn::LoadU(F64(), x + k + i * vd_lanes);
      sums.part[i] = fused(F64(), v, v, sums.part[i]);
    }
  return sum_lanes(sums);
}

void rms_norm_rows(const double* x, const float* gain, double eps, std::size_t rows, std::size_t width, float* y) {
  parallel(rows, [=](std::size_t row) {
    const double* from = x + row * width;
    float* to = y + row * width;
    const double mean = sum_of_squares(from, width) / static_cast<double>(width);
    const VD scale = hn::Set(F64(), 1.0 / std::sqrt(mean + eps));
    for (std::size_t k = 0; k < width; k += vd_lanes) {
      const VD g = hn::PromoteTo(F64(), hn::LoadU(F32Half(), gain + k));
      const VD v = hn::Mul(g, hn::Mul(hn::LoadU(F64(), from + k), scale));
      hn::StoreU(narrow(v), F32Half(), to + k);
    }
  });
}

}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lawful::kernels {
HWY_EXPORT(rms_norm_rows);
void rms_norm(const double* x, const float* gain, double eps, std::size_t rows, std::size_t width, float* y) {
  HWY_DYNAMIC_DISPATCH(rms_norm_rows)(x, gain, eps, rows, width, y);
}
}  // namespace lawful::kernels
#endif
