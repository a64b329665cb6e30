// SHA-256 (FIPS 180-4), for digests of models and of results.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace lawful::io {

using Digest = std::array<std::uint8_t, 32>;

/// "e3b0c442…": 64 lowercase hexadecimal digits.
std::string hex(const Digest& digest);

/// A digest of bytes that come in pieces.
class Sha256 {
 public:
  Sha256& update(std::span<const std::byte> bytes);
  /// The digest of all bytes so far. Nothing may follow.
  Digest finish();

 private:
  void compress(const std::byte* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_{};
  std::uint64_t size_ = 0;
};

Digest sha256(std::span<const std::byte> bytes);

}  // namespace lawful::io
