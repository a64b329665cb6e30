// widen(): each storage against blocks that the `gguf` package dequantized, and every 16-bit pattern.
#include "kernels/storage.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using lawful::kernels::block_shape;
using lawful::kernels::Storage;
using lawful::kernels::widen;

std::vector<std::byte> from_hex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::vector<std::uint32_t> widened_bits(Storage storage, const std::byte* block, std::size_t count) {
  std::vector<float> values(count);
  widen(storage, block, count, values.data());
  std::vector<std::uint32_t> bits(count);
  std::memcpy(bits.data(), values.data(), count * sizeof(float));
  return bits;
}

std::uint32_t widened_bits(Storage storage, std::uint16_t pattern) {
  std::byte bytes[2];
  std::memcpy(bytes, &pattern, sizeof bytes);
  return widened_bits(storage, bytes, 1)[0];
}

/// The number that a pattern with `fraction_bits` stands for, from the definition of IEEE 754 and in double.
float by_definition(std::uint16_t pattern, int fraction_bits, int bias) {
  const int fraction = pattern & ((1 << fraction_bits) - 1);
  const int exponent = (pattern & 0x7FFF) >> fraction_bits;
  const int top = (1 << (15 - fraction_bits)) - 1;
  double value = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                               : std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  if (exponent == top) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  return static_cast<float>(pattern >= 0x8000 ? -value : value);
}

/// Patterns whose widening is not the number they stand for (NaN for NaN, of the same sign).
int wrong_patterns(Storage storage, int fraction_bits, int bias) {
  int wrong = 0;
  for (unsigned pattern = 0; pattern < 65536; ++pattern) {
    const auto half = static_cast<std::uint16_t>(pattern);
    const float expected = by_definition(half, fraction_bits, bias);
    const auto found = std::bit_cast<float>(widened_bits(storage, half));
    const bool same = std::isnan(expected)
                          ? std::isnan(found) && std::signbit(found) == (pattern >= 0x8000)
                          : std::bit_cast<std::uint32_t>(found) == std::bit_cast<std::uint32_t>(expected);
    wrong += same ? 0 : 1;
  }
  return wrong;
}

}  // namespace

TEST_CASE("every F16 and BF16 pattern widens to the number that it stands for") {
  CHECK(wrong_patterns(Storage::f16, 10, 15) == 0);
  CHECK(wrong_patterns(Storage::bf16, 7, 127) == 0);
  CHECK(wrong_patterns(Storage::bf16, 10, 15) > 60000);  // the comparison can fail: BF16 read as F16
  CHECK(std::bit_cast<float>(widened_bits(Storage::f16, 0x0001)) == 0x1p-24F);
}

TEST_CASE("F32 keeps its bits, NaN payloads too, at any address") {
  const std::vector<std::uint32_t> patterns{0x00000000, 0x80000000, 0x00000001, 0x7F800001, 0xFFC12345, 0x3F800000};
  std::vector<std::byte> bytes(1 + 4 * patterns.size());
  std::memcpy(bytes.data() + 1, patterns.data(), 4 * patterns.size());
  CHECK(widened_bits(Storage::f32, bytes.data() + 1, patterns.size()) == patterns);
}

TEST_CASE("blocks widen to the bits of the gguf package") {
  std::ifstream file("reference/values/golden_blocks.json");
  const auto golden = nlohmann::json::parse(file);
  std::size_t compared = 0;
  for (std::size_t s = static_cast<std::size_t>(Storage::q8_0); s < lawful::kernels::block_shapes.size(); ++s) {
    const auto storage = static_cast<Storage>(s);
    const auto& entry = golden.at(std::string(block_shape(storage).name));
    std::string all_blocks, all_values;
    for (const auto& block : entry.at("blocks")) all_blocks += block.get<std::string>();
    for (const auto& values : entry.at("values")) all_values += values.get<std::string>();
    const auto blocks = from_hex(all_blocks), expected_bytes = from_hex(all_values);
    std::vector<std::uint32_t> expected(expected_bytes.size() / 4);
    std::memcpy(expected.data(), expected_bytes.data(), expected_bytes.size());
    CAPTURE(block_shape(storage).name);
    REQUIRE(blocks.size() % block_shape(storage).bytes == 0);
    REQUIRE(blocks.size() / block_shape(storage).bytes * block_shape(storage).values == expected.size());
    CHECK(widened_bits(storage, blocks.data(), expected.size()) == expected);
    ++compared;
  }
  CHECK(compared == golden.size());
}
