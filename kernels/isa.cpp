#include "kernels/isa.hpp"

#include "kernels/targets.hpp"

#include <hwy/highway.h>

#include <cstdint>
#include <utility>

namespace lawful::kernels {
namespace {

constexpr std::pair<std::int64_t, std::string_view> names[] = {
#if HWY_ARCH_X86
    {HWY_AVX3, "avx512"},
    {HWY_AVX2, "avx2"},
#elif HWY_ARCH_ARM
    {HWY_NEON, "neon"},
#endif
    {HWY_SCALAR, "scalar"},
    {HWY_EMU128, "scalar"},
};

std::int64_t chosen = 0;  // 0: the best

bool is_built(std::int64_t target) { return (HWY_TARGETS & target) != 0; }

std::int64_t machine_targets() {
  static const std::int64_t all = hwy::SupportedTargets() | HWY_STATIC_TARGET;  // what all was compiled for
  return all;
}

}  // namespace

std::vector<std::string_view> instruction_sets() {
  std::vector<std::string_view> out;
  for (const auto& [target, name] : names)
    if (is_built(target) && (machine_targets() & target) != 0) out.push_back(name);
  return out;
}

std::string_view instruction_set() {
  for (const auto& [target, name] : names)
    if (target == chosen) return name;
  return instruction_sets().front();
}

bool use_instruction_set(std::string_view wanted) {
  for (const auto& [target, name] : names)
    if (name == wanted && is_built(target) && (machine_targets() & target) != 0) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().DeInit();
      chosen = target;
      return true;
    }
  return false;
}

}  // namespace lawful::kernels
