// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011): random numbers
// that are a function of a key and a counter, so that a draw depends on nothing that was drawn before.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace lawful::model {

/// The block of four 32-bit numbers for a counter and a key.
constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) {
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32U) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32U) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

/// The number in [0, 1), a multiple of 2^-53, that the id at `position` of a text is drawn with: the first 53 bits of
/// the block of counter (position, 0) and key (seed), low words first.
constexpr double uniform(std::uint64_t seed, std::uint64_t position) {
  const auto low = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
  const auto block = philox4x32({low(position), low(position >> 32U), 0, 0}, {low(seed), low(seed >> 32U)});
  const std::uint64_t bits = std::uint64_t{block[0]} << 32U | block[1];
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

}  // namespace lawful::model
