// Random numbers for the kernels' tests: from integers, of many magnitudes, the same on every machine.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lawful::props {

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}

  /// 64 random bits (splitmix64).
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }

  /// Any sign, 23 random bits of fraction, a magnitude of 2^low up to 2^(high + 1).
  float value(int low = -6, int high = 1) {
    const auto more = static_cast<std::uint32_t>(bits() % static_cast<std::uint64_t>(high - low + 1));
    const std::uint32_t exponent = static_cast<std::uint32_t>(127 + low) + more;
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits() & 0x807fffffU) | exponent << 23U);
  }

  std::vector<float> values(std::size_t count, int low = -6, int high = 1) {
    std::vector<float> out(count);
    for (auto& x : out) x = value(low, high);
    return out;
  }

 private:
  std::uint64_t state_;
};

}  // namespace lawful::props
