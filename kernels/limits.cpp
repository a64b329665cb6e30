#include "kernels/limits.hpp"

#include "kernels/targets.hpp"
#include "kernels/team.hpp"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/limits.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

/// Reads `count` floats; the result only keeps the reads from being left out.
float read_all(const float* p, std::size_t count) {
  Lanes acc[8];
  for (auto& a : acc) a = zero_lanes();
  for (std::size_t i = 0; i + 8 * Order::lanes <= count; i += 8 * Order::lanes)
    for (std::size_t j = 0; j < 8; ++j) {
      __builtin_prefetch(p + i + (64 + j) * Order::lanes);
      acc[j] = fused_lanes(load_lanes(p + i + j * Order::lanes), load_lanes(p + i + j * Order::lanes), acc[j]);
    }
  alignas(64) float lane[Order::lanes];
  float sum = 0.0f;
  for (const auto& a : acc) {
    store_lanes(a, lane);
    sum += lane[0];
  }
  return sum;
}

/// `rounds` times 16 independent fused multiply-adds of 16 lanes.
float multiply_add(std::size_t rounds) {
  constexpr std::size_t chains = vf_parts == 1 ? 16 : 6;
  Lanes acc[chains];
  for (auto& a : acc) a = zero_lanes();
  const Lanes x = broadcast_lanes(0.999f), y = broadcast_lanes(1e-3f);
  for (std::size_t i = 0; i < rounds; ++i)
    for (std::size_t repeat = 0; repeat < 96 / chains; ++repeat)
      for (auto& a : acc) a = fused_lanes(a, x, y);
  alignas(64) float lane[Order::lanes];
  float sum = 0.0f;
  for (const auto& a : acc) {
    store_lanes(a, lane);
    sum += lane[0];
  }
  return sum;
}

}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lawful::kernels {
HWY_EXPORT(read_all);
HWY_EXPORT(multiply_add);

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::atomic<float> sink;  // keeps measured work from being left out

}  // namespace

double measure_read_bandwidth(std::size_t bytes) {
  constexpr std::size_t piece = std::size_t{1} << 20;  // floats
  const std::size_t pieces = std::max<std::size_t>(1, bytes / sizeof(float) / piece);
  const auto memory = hwy::AllocateAligned<float>(pieces * piece);
  if (memory == nullptr) throw std::bad_alloc();
  const auto each = [&](auto&& body) { parallel(pieces, [&](std::size_t i) { body(memory.get() + i * piece); }); };
  each([](float* p) { std::fill_n(p, piece, 1.0f); });
  const double begun = now();
  each([](const float* p) { sink = HWY_DYNAMIC_DISPATCH(read_all)(p, piece); });
  return static_cast<double>(pieces * piece * sizeof(float)) / (now() - begun);
}

double measure_fma_rate(double seconds) {
  constexpr std::size_t rounds = 20000;
  constexpr double flops = static_cast<double>(rounds) * 96 * Order::lanes * 2;
  double done = 0.0, took = 0.0;
  const double begun = now();
  while ((took = now() - begun) < seconds || done == 0.0) {
    const auto tasks = static_cast<std::size_t>(threads());
    parallel(tasks, [](std::size_t) { sink = HWY_DYNAMIC_DISPATCH(multiply_add)(rounds); });
    done += flops * static_cast<double>(tasks);
  }
  return done / took;
}

}  // namespace lawful::kernels
#endif
