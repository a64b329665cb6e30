#include "props/checkpoint/test_model.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace lawful::props {
namespace {

using kernels::Storage;

/// SplitMix64 (Steele, Lea and Flood 2014): the same sequence on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  unsigned below(unsigned bound) { return static_cast<unsigned>((next() >> 32U) * bound >> 32U); }

 private:
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  std::uint64_t state_;
};

std::uint64_t seed_of(std::string_view name, std::uint64_t seed) {
  std::uint64_t hash = 0xCBF29CE484222325U ^ seed;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

TestTensor matrix(const std::string& name, std::uint64_t rows, std::uint64_t cols, std::uint64_t seed) {
  TestTensor t{name, {rows, cols}, 0, {}, {}};
  // q · s has a standard deviation of about 12; a gain of one needs 1/√cols.
  t.exponent = static_cast<int>(std::lround(std::log2(1.0 / (12.0 * std::sqrt(static_cast<double>(cols))))));
  Random random(seed_of(name, seed));
  for (std::uint64_t i = 0; i < rows * cols; ++i) {
    if (i % 32 == 0) t.s.push_back(static_cast<std::uint8_t>(1U << random.below(3)));
    t.q.push_back(static_cast<std::int8_t>(static_cast<int>(random.below(16)) - 8));
  }
  return t;
}

/// Weights of a norm: 1/2 to 3/2 in eighths.
TestTensor norm(const std::string& name, std::uint64_t length, std::uint64_t seed) {
  TestTensor t{name, {length}, -3, {}, {}};
  Random random(seed_of(name, seed));
  for (std::uint64_t i = 0; i < length; ++i) {
    if (i % 32 == 0) t.s.push_back(static_cast<std::uint8_t>(1U << random.below(2)));
    t.q.push_back(static_cast<std::int8_t>(4 + random.below(4)));
  }
  return t;
}

template <class T>
void append(std::string& out, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

/// 2^exponent as F16, for exponents of normal and subnormal numbers.
std::uint16_t f16_power(int exponent) {
  if (exponent < -24 || exponent > 15) throw std::out_of_range("no F16 has that exponent");
  return static_cast<std::uint16_t>(exponent >= -14 ? (exponent + 15) * 1024 : 1 << (exponent + 24));
}

std::uint16_t f16_of(float value) {
  if (value == 0.0F) return 0;
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(value), &exponent);  // in [1/2, 1)
  const auto eleven_bits = static_cast<unsigned>(fraction * 2048.0F);
  const int biased = exponent + 14;
  if (biased < 1 || biased > 30) throw std::out_of_range("not a normal F16");
  return static_cast<std::uint16_t>((value < 0 ? 0x8000U : 0U) | (static_cast<unsigned>(biased) << 10U) |
                                    (eleven_bits & 0x3FFU));
}

unsigned nibble(int q) { return static_cast<unsigned>(q + 8); }

void append_nibbles(std::string& out, const std::int8_t* q) {
  for (int i = 0; i < 16; ++i) out += static_cast<char>(nibble(q[i]) | (nibble(q[i + 16]) << 4U));
}

/// A block of 32 with the scale 2^exponent; `q` from −8 to 7.
void append_block(std::string& out, Storage storage, const std::int8_t* q, int exponent) {
  append(out, f16_power(exponent));
  const auto minus_eight = static_cast<std::uint16_t>(0x8000U | f16_power(exponent + 3));
  switch (storage) {
    case Storage::q8_0:
      for (int i = 0; i < 32; ++i) append(out, q[i]);
      return;
    case Storage::q4_0: return append_nibbles(out, q);
    case Storage::q4_1:
      append(out, minus_eight);
      return append_nibbles(out, q);
    case Storage::q5_0: {  // q + 16 from 8 to 23: the fifth bit is set from q = 0 on
      std::uint32_t high = 0;
      std::int8_t low[32];
      for (unsigned i = 0; i < 32; ++i) {
        const unsigned five = static_cast<unsigned>(q[i] + 16);
        high |= (five >> 4U) << i;
        low[i] = static_cast<std::int8_t>(static_cast<int>(five & 15U) - 8);
      }
      append(out, high);
      return append_nibbles(out, low);
    }
    case Storage::q5_1:
      append(out, minus_eight);
      append(out, std::uint32_t{0});
      return append_nibbles(out, q);
    default: throw std::logic_error("not a block of 32");
  }
}

/// A block of 256 of Q4_K: scale and minimum of each 32 are s and 8·s, six bits each.
void append_q4_k(std::string& out, const std::int8_t* q, const std::uint8_t* s, int exponent) {
  append(out, f16_power(exponent));
  append(out, f16_power(exponent));
  unsigned packed[12] = {};
  for (unsigned j = 0; j < 4; ++j) {
    const unsigned scale = s[j], minimum = 8U * s[j], scale4 = s[j + 4], minimum4 = 8U * s[j + 4];
    packed[j] = scale | ((scale4 >> 4U) << 6U);
    packed[j + 4] = minimum | ((minimum4 >> 4U) << 6U);
    packed[j + 8] = (scale4 & 15U) | ((minimum4 & 15U) << 4U);
  }
  for (const unsigned p : packed) out += static_cast<char>(p);
  for (int pair = 0; pair < 4; ++pair) {
    for (int i = 0; i < 32; ++i) {
      out += static_cast<char>(nibble(q[64 * pair + i]) | (nibble(q[64 * pair + 32 + i]) << 4U));
    }
  }
}

/// A block of 256 of Q6_K: q + 32 in six bits, a signed scale for each 16.
void append_q6_k(std::string& out, const std::int8_t* q, const std::uint8_t* s, int exponent) {
  const auto six = [&](int i) { return static_cast<unsigned>(q[i] + 32); };
  for (int half = 0; half < 256; half += 128) {
    for (int i = 0; i < 64; ++i) {
      out += static_cast<char>((six(half + i) & 15U) | ((six(half + 64 + i) & 15U) << 4U));
    }
  }
  for (int half = 0; half < 256; half += 128) {
    for (int i = half; i < half + 32; ++i) {
      out += static_cast<char>((six(i) >> 4U) | (six(i + 32) >> 4U << 2U) | (six(i + 64) >> 4U << 4U) |
                               (six(i + 96) >> 4U << 6U));
    }
  }
  for (int i = 0; i < 16; ++i) out += static_cast<char>(s[i / 2]);
  append(out, f16_power(exponent));
}

}  // namespace

std::vector<float> TestTensor::values() const {
  std::vector<float> all;
  for (std::size_t i = 0; i < q.size(); ++i) {
    all.push_back(std::ldexp(static_cast<float>(q[i] * s[i / 32]), exponent));
  }
  return all;
}

std::string TestTensor::encoded(Storage storage) const {
  if (!fits(storage, shape.back())) throw std::invalid_argument(name + ": rows are not whole blocks");
  std::string out;
  if (kernels::block_shape(storage).values == 1) {
    for (const float value : values()) {
      if (storage == Storage::f32) append(out, value);
      if (storage == Storage::f16) append(out, f16_of(value));
      if (storage == Storage::bf16) append(out, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U));
    }
    return out;
  }
  for (std::size_t i = 0; i < q.size(); i += kernels::block_shape(storage).values) {
    const std::uint8_t* scales = s.data() + i / 32;
    if (storage == Storage::q4_k) append_q4_k(out, q.data() + i, scales, exponent);
    else if (storage == Storage::q6_k) append_q6_k(out, q.data() + i, scales, exponent);
    else append_block(out, storage, q.data() + i, exponent + std::countr_zero(*scales));
  }
  return out;
}

TestModel make_test_model(const model::Config& config, std::uint64_t seed, bool tied) {
  TestModel m{config, tied, {}};
  m.tensors.push_back(matrix("model.embed_tokens.weight", config.vocab, config.dim(), seed));
  for (std::size_t layer = 0; layer < config.layers; ++layer) {
    const std::string p = "model.layers." + std::to_string(layer) + ".";
    m.tensors.push_back(norm(p + "input_layernorm.weight", config.dim(), seed));
    m.tensors.push_back(matrix(p + "self_attn.q_proj.weight", config.dim(), config.dim(), seed));
    m.tensors.push_back(matrix(p + "self_attn.k_proj.weight", config.kvw(), config.dim(), seed));
    m.tensors.push_back(matrix(p + "self_attn.v_proj.weight", config.kvw(), config.dim(), seed));
    m.tensors.push_back(matrix(p + "self_attn.o_proj.weight", config.dim(), config.dim(), seed));
    m.tensors.push_back(norm(p + "post_attention_layernorm.weight", config.dim(), seed));
    m.tensors.push_back(matrix(p + "mlp.gate_proj.weight", config.ffn, config.dim(), seed));
    m.tensors.push_back(matrix(p + "mlp.up_proj.weight", config.ffn, config.dim(), seed));
    m.tensors.push_back(matrix(p + "mlp.down_proj.weight", config.dim(), config.ffn, seed));
  }
  m.tensors.push_back(norm("model.norm.weight", config.dim(), seed));
  if (!tied) m.tensors.push_back(matrix("lm_head.weight", config.vocab, config.dim(), seed));
  return m;
}

}  // namespace lawful::props
