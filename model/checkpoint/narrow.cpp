#include "model/checkpoint/narrow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "io/bad_input.hpp"

namespace lawful::model {
namespace {

using kernels::Storage;

template <class T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

/// Drops the lowest `bits` bits, rounding to nearest, ties to even. A carry into the exponent is right as it is.
std::uint32_t rounded(std::uint32_t pattern, unsigned bits) {
  const std::uint32_t odd = (pattern >> bits) & 1U;
  return (pattern + ((1U << (bits - 1U)) - 1U) + odd) >> bits;
}

std::uint16_t to_bf16(float value) {
  const auto pattern = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((pattern >> 16U) | 0x40U);  // quiet: no payload becomes Inf
  return static_cast<std::uint16_t>(rounded(pattern, 16));
}

std::uint16_t to_f16(float value) {
  const auto pattern = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (pattern >> 16U) & 0x8000U, magnitude = pattern & 0x7FFFFFFFU;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00U | ((magnitude >> 13U) & 0x3FFU));
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | 0x7C00U);
  constexpr std::uint32_t least_normal = (127U - 14U) << 23U;  // 2^-14
  if (magnitude >= least_normal) {
    constexpr std::uint32_t rebias = (127U - 15U) << 23U;
    return static_cast<std::uint16_t>(sign | std::min(rounded(magnitude - rebias, 13), 0x7C00U));
  }
  // Adding 2^-1 leaves steps of 2^-24 below it, F16's subnormal steps: the addition rounds, ties to even.
  const auto shifted = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F);
  return static_cast<std::uint16_t>(sign | (shifted - std::bit_cast<std::uint32_t>(0.5F)));
}

[[noreturn]] void refuse(std::string_view what, std::string_view expected, float found) {
  io::reject(what, expected, fmt::to_string(found));
}

void narrow_f16(std::span<const float> values, std::byte* out, std::string_view what) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t half = to_f16(values[i]);
    const bool infinite = (half & 0x7FFFU) == 0x7C00U;
    if (infinite && std::isfinite(values[i])) refuse(what, "values within 65504, F16's largest", values[i]);
    store(out + 2 * i, half);
  }
}

void narrow_bf16(std::span<const float> values, std::byte* out, std::string_view what) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t brief = to_bf16(values[i]);
    if ((brief & 0x7FFFU) == 0x7F80U && std::isfinite(values[i])) refuse(what, "values that fit BF16", values[i]);
    store(out + 2 * i, brief);
  }
}

/// As quants.Q8_0.quantize_blocks of the `gguf` package: d is the largest magnitude / 127, the integers come of the
/// F32 reciprocal of d before it is rounded to F16, and round half away from zero.
void narrow_q8_0(const float* values, std::byte* out, std::string_view what) {
  float largest = 0.0F;
  for (std::size_t i = 0; i < 32; ++i) {
    if (!std::isfinite(values[i])) refuse(what, "finite values for Q8_0", values[i]);
    largest = std::max(largest, std::fabs(values[i]));
  }
  const float d = largest / 127.0F;
  const std::uint16_t stored = to_f16(d);
  if (stored == 0x7C00U) refuse(what, "values within 127 · 65504 for Q8_0", largest);
  const float reciprocal = 1.0F / d;
  const float inverse = std::isfinite(reciprocal) ? reciprocal : 0.0F;  // all zero, or so small that d is
  store(out, stored);
  for (std::size_t i = 0; i < 32; ++i) {
    const float scaled = values[i] * inverse, magnitude = std::fabs(scaled), whole = std::floor(magnitude);
    const float away = whole + std::floor(2.0F * (magnitude - whole));
    store(out + 2 + i, static_cast<std::int8_t>(std::copysign(away, scaled)));
  }
}

}  // namespace

void narrow(Storage storage, std::span<const float> values, std::byte* out, std::string_view what) {
  switch (storage) {
    case Storage::f32:
      if (!values.empty()) std::memcpy(out, values.data(), values.size_bytes());
      return;
    case Storage::f16: return narrow_f16(values, out, what);
    case Storage::bf16: return narrow_bf16(values, out, what);
    case Storage::q8_0:
      for (std::size_t i = 0; i < values.size(); i += 32) narrow_q8_0(values.data() + i, out + i / 32 * 34, what);
      return;
    default: throw std::logic_error("narrow: not a storage that is written");
  }
}

}  // namespace lawful::model
