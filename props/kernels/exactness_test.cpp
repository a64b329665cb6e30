// The error bounds that docs/arithmetic.md states: exp and silu (sampled here, all of F32 in exp_all_test.cpp), sine
// and cosine, and the inverse frequencies of RoPE, which are those of transformers bit for bit.
#include "kernels/rope.hpp"
#include "props/kernels/exp_error.hpp"
#include "props/kernels/numbers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace {

namespace kernels = lawful::kernels;

// inv_freq of transformers 5.24 (LlamaRotaryEmbedding on torch 2.15, head 64) for the two published thetas.
constexpr std::array<std::uint32_t, 32> theta_100000{
    0x3f800000, 0x3f32a506, 0x3ef953cf, 0x3eadfcff, 0x3e72d423, 0x3e297409, 0x3dec7fd6, 0x3da50956,
    0x3d6655c2, 0x3d20bc1d, 0x3ce054d2, 0x3c9c8b97, 0x3c5a7bf2, 0x3c187705, 0x3bd4ca15, 0x3b947dae,
    0x3b4f3e38, 0x3b109edb, 0x3ac9d75c, 0x3a8cd9db, 0x3a44948c, 0x3a092e02, 0x39bf74d7, 0x39859aa9,
    0x393a7753, 0x39021f2b, 0x38b59b1b, 0x387d75d4, 0x3830df52, 0x37f6da96, 0x37ac431d, 0x37706b6d};
constexpr std::array<std::uint32_t, 32> theta_130000{
    0x3f800000, 0x3f312f9a, 0x3ef545b6, 0x3ea9c2cd, 0x3e6afe80, 0x3e22a5a8, 0x3de1258e, 0x3d9bd4d3,
    0x3d57b640, 0x3d154d1d, 0x3cceac27, 0x3c8f0b75, 0x3c460309, 0x3c090cea, 0x3bbdb6d2, 0x3b834ead,
    0x3b35c3a0, 0x3afb9c1a, 0x3aae25b6, 0x3a7110e9, 0x3a26d984, 0x39e6f6d3, 0x399fdb9a, 0x395d491c,
    0x391928b1, 0x38d4033a, 0x3892bda6, 0x384b20d1, 0x380c9775, 0x37c29db8, 0x3786b33c, 0x373a75ef};

std::array<std::uint32_t, 32> bits(const std::array<float, 32>& values) {
  std::array<std::uint32_t, 32> out{};
  std::transform(values.begin(), values.end(), out.begin(), [](float x) { return std::bit_cast<std::uint32_t>(x); });
  return out;
}

}  // namespace

TEST_CASE("the inverse frequencies of RoPE are those of transformers, bit for bit") {
  CHECK(bits(kernels::inverse_frequencies<32>(100000.0)) == theta_100000);
  CHECK(bits(kernels::inverse_frequencies<32>(130000.0)) == theta_130000);
  static constexpr auto when_compiled = kernels::inverse_frequencies<32>(100000.0);
  CHECK(bits(when_compiled) == theta_100000);
}

TEST_CASE("sine and cosine are within 2e-16 of the truth up to an angle of 2^20") {
  lawful::props::Numbers numbers(81);
  const auto error = [](double angle) {
    const auto [sin, cos] = kernels::sincos(angle);
    const long double wide = static_cast<long double>(angle);
    return static_cast<double>(std::max(std::fabs(static_cast<long double>(sin) - std::sin(wide)),
                                        std::fabs(static_cast<long double>(cos) - std::cos(wide))));
  };
  double near = 0.0, far = 0.0;
  for (const auto pattern : theta_100000)
    for (int position = 0; position < 8192; position += 3)
      near = std::max(near, error(static_cast<double>(static_cast<float>(position) * std::bit_cast<float>(pattern))));
  for (int i = 0; i < 200000; ++i) far = std::max(far, error(std::fabs(static_cast<double>(numbers.value(-20, 19)))));
  for (int quarter = 1; quarter < 5000; ++quarter) {  // about the multiples of π/4, where the reduction is hardest
    const double angle = static_cast<double>(quarter) * 0x1.921fb54442d18p-1;
    for (const double next : {std::nextafter(angle, 0.0), angle, std::nextafter(angle, 1e9)})
      near = std::max(near, error(next));
  }
  MESSAGE("largest error of sine and cosine: ", near, " to 8,192; ", far, " to 2^20");
  CHECK(near <= 2e-16);
  CHECK(far <= 2e-16);
}

TEST_CASE("e^x and silu(x) are within 0.5002 units of the last place, on every instruction set") {
  constexpr std::uint32_t stride = 8209;  // a prime: all exponents, many fractions
  const auto found = lawful::props::exp_errors(0, (1ULL << 32U) / stride, stride);
  MESSAGE("e^x: at most ", found.exp_ulp, " ulp, ", found.not_nearest, " results not the nearest F32; silu: at most ",
          found.silu_ulp, " ulp");
  CHECK(found.wrong == 0);
  CHECK(found.falling == 0);
  CHECK(found.differing == 0);
  CHECK(found.exp_ulp <= 0.5002);
  CHECK(found.silu_ulp <= 0.5002);
}
