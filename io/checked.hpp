// Sizes computed from what a file says: 64-bit products and sums that cannot wrap.
#pragma once
#include <cstdint>
#include <optional>

namespace lawful::io {

/// Nothing where the true result does not fit 64 bits.
constexpr std::optional<std::uint64_t> checked_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

constexpr std::optional<std::uint64_t> checked_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

}  // namespace lawful::io
