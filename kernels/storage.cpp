#include "kernels/storage.hpp"

#include <bit>
#include <cstring>

// Why one rounding at most, and so no choice of order: an f16 has 11 significant bits. Times a 4- or 5-bit q that is
// 16 bits; times a 6-bit scale and a 4-bit q (Q4_K) 21; times an 8-bit scale and a 6-bit q (Q6_K) 11 + 7 + 5 = 23,
// since −128 and −32 are powers of two. All fit F32's 24 bits, and the exponents (2^-24 … 2^16, times less than 2^13)
// are far inside its range. Only the addition of m rounds, so `d·q + m` and fma(d, q, m) are the same number.
namespace lawful::kernels {
namespace {

template <class T>
T load(const std::byte* at) {  // a block may begin at any address
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

unsigned octet(const std::byte* at, std::size_t i) { return std::to_integer<unsigned>(at[i]); }

float widen_f16(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000U) << 16U;
  const std::uint32_t exponent = (h >> 10U) & 0x1FU;
  const std::uint32_t fraction = h & 0x3FFU;
  if (exponent == 0) {  // zero or subnormal: fraction · 2^-24, exact
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  const std::uint32_t widened = exponent == 0x1FU ? 0xFFU : exponent + (127U - 15U);
  return std::bit_cast<float>(sign | (widened << 23U) | (fraction << 13U));
}

float f16_at(const std::byte* at) { return widen_f16(load<std::uint16_t>(at)); }

/// One block of 32: low nibbles are the values 0…15, high nibbles 16…31.
template <class Value>
void widen_nibbles(const std::byte* nibbles, float* out, Value value) {
  for (std::size_t i = 0; i < 16; ++i) {
    const unsigned pair = octet(nibbles, i);
    out[i] = value(pair & 15U, i);
    out[i + 16] = value(pair >> 4U, i + 16);
  }
}

struct F32 {
  static void widen(const std::byte* block, float* out) { *out = load<float>(block); }
};

struct F16 {
  static void widen(const std::byte* block, float* out) { *out = f16_at(block); }
};

struct BF16 {
  static void widen(const std::byte* block, float* out) {
    *out = std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(block)) << 16U);
  }
};

struct Q8_0 {
  static void widen(const std::byte* block, float* out) {
    const float d = f16_at(block);
    for (std::size_t i = 0; i < 32; ++i) out[i] = static_cast<float>(load<std::int8_t>(block + 2 + i)) * d;
  }
};

struct Q4_0 {
  static void widen(const std::byte* block, float* out) {
    const float d = f16_at(block);
    widen_nibbles(block + 2, out,
                  [d](unsigned q, std::size_t) { return d * static_cast<float>(static_cast<int>(q) - 8); });
  }
};

struct Q4_1 {
  static void widen(const std::byte* block, float* out) {
    const float d = f16_at(block), m = f16_at(block + 2);
    widen_nibbles(block + 4, out, [d, m](unsigned q, std::size_t) { return d * static_cast<float>(q) + m; });
  }
};

unsigned fifth_bit(std::uint32_t bits, std::size_t i) { return ((bits >> i) & 1U) << 4U; }

struct Q5_0 {
  static void widen(const std::byte* block, float* out) {
    const float d = f16_at(block);
    const auto high = load<std::uint32_t>(block + 2);
    widen_nibbles(block + 6, out, [d, high](unsigned q, std::size_t i) {
      return d * static_cast<float>(static_cast<int>(q | fifth_bit(high, i)) - 16);
    });
  }
};

struct Q5_1 {
  static void widen(const std::byte* block, float* out) {
    const float d = f16_at(block), m = f16_at(block + 2);
    const auto high = load<std::uint32_t>(block + 4);
    widen_nibbles(block + 8, out, [d, m, high](unsigned q, std::size_t i) {
      return d * static_cast<float>(q | fifth_bit(high, i)) + m;
    });
  }
};

struct Q4_K {
  /// The 6-bit scale and minimum of sub-block j (0…7), packed into 12 bytes: the first four in bytes j and j+4, the
  /// others as 4 bits in byte j+4 and their top 2 bits in those of bytes j−4 and j.
  static unsigned scale(const std::byte* packed, std::size_t j) {
    return j < 4 ? octet(packed, j) & 63U : (octet(packed, j + 4) & 15U) | ((octet(packed, j - 4) >> 6U) << 4U);
  }
  static unsigned minimum(const std::byte* packed, std::size_t j) {
    return j < 4 ? octet(packed, j + 4) & 63U : (octet(packed, j + 4) >> 4U) | ((octet(packed, j) >> 6U) << 4U);
  }
  static void widen(const std::byte* block, float* out) {
    const float d = f16_at(block), m = f16_at(block + 2);
    for (std::size_t j = 0; j < 8; ++j) {
      const float dj = d * static_cast<float>(scale(block + 4, j));
      const float mj = m * static_cast<float>(minimum(block + 4, j));
      for (std::size_t i = 0; i < 32; ++i) {
        const unsigned pair = octet(block, 16 + j / 2 * 32 + i);
        out[32 * j + i] = dj * static_cast<float>(j % 2 == 0 ? pair & 15U : pair >> 4U) - mj;
      }
    }
  }
};

struct Q6_K {
  static void widen(const std::byte* block, float* out) {
    const std::byte* low = block;          // 128 bytes of 4 low bits
    const std::byte* high = block + 128;   // 64 bytes of 2 high bits
    const std::byte* scales = block + 192; // 16 int8, one for each 16 values
    const float d = f16_at(block + 208);
    for (std::size_t i = 0; i < 256; ++i) {
      const std::size_t half = i / 128, quarter = i / 32 % 4, lane = i % 32;
      const unsigned nibble = octet(low, half * 64 + quarter % 2 * 32 + lane) >> (quarter / 2 * 4);
      const unsigned top = octet(high, half * 32 + lane) >> (quarter * 2);
      const int q = static_cast<int>((nibble & 15U) | ((top & 3U) << 4U)) - 32;
      out[i] = d * static_cast<float>(load<std::int8_t>(scales + i / 16)) * static_cast<float>(q);
    }
  }
};

template <class Block>
void widen_blocks(const BlockShape& shape, const std::byte* block, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; i += shape.values, block += shape.bytes) Block::widen(block, out + i);
}

}  // namespace

void widen(Storage storage, const std::byte* block, std::size_t count, float* out) {
  const BlockShape& shape = block_shape(storage);
  switch (storage) {
    case Storage::f32: return widen_blocks<F32>(shape, block, count, out);
    case Storage::f16: return widen_blocks<F16>(shape, block, count, out);
    case Storage::bf16: return widen_blocks<BF16>(shape, block, count, out);
    case Storage::q8_0: return widen_blocks<Q8_0>(shape, block, count, out);
    case Storage::q4_0: return widen_blocks<Q4_0>(shape, block, count, out);
    case Storage::q4_1: return widen_blocks<Q4_1>(shape, block, count, out);
    case Storage::q5_0: return widen_blocks<Q5_0>(shape, block, count, out);
    case Storage::q5_1: return widen_blocks<Q5_1>(shape, block, count, out);
    case Storage::q4_k: return widen_blocks<Q4_K>(shape, block, count, out);
    case Storage::q6_k: return widen_blocks<Q6_K>(shape, block, count, out);
  }
}

}  // namespace lawful::kernels
