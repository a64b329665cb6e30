// Laws of heads and of causality, on the production kernel.
#pragma once
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "kernels/attention.hpp"
#include "props/laws/running_code.hpp"

namespace lawful::props {

/// One query row at position t over a cache of random keys and values.
struct AttentionCase {
  kernels::AttentionShape shape;
  std::size_t t;
  std::vector<float> q, keys, values;

  static AttentionCase any(std::size_t kv_heads, std::size_t group) {
    const auto t = *rc::gen::weightedOneOf<std::size_t>({{4, rc::gen::inRange<std::size_t>(0, 41)},
                                                         {1, rc::gen::inRange<std::size_t>(41, 600)}});
    const kernels::AttentionShape shape{kv_heads, group, 16 * number(1, 4), t + 1 + number(0, 4)};
    const std::size_t cached = kv_heads * shape.capacity * shape.head;
    return {shape, t, floats(kv_heads * group * shape.head), floats(cached), floats(cached)};
  }
  static AttentionCase any() { return any(number(1, 4), number(1, 4)); }

  std::vector<float> run() const {
    std::vector<float> out(q.size());
    kernels::attention(shape, q.data(), 1, keys.data(), values.data(), t, out.data());
    return out;
  }
  /// First value of the row of position `at` in the plane of `kv`.
  std::size_t row(std::size_t kv, std::size_t at) const { return (kv * shape.capacity + at) * shape.head; }

  /// Numbers of about one, of both signs, all drawn from one random seed.
  static std::vector<float> floats(std::size_t count) {
    std::minstd_rand engine(static_cast<std::minstd_rand::result_type>(number(1, 1U << 30)));
    std::vector<float> values(count);
    for (auto& x : values) x = static_cast<float>(static_cast<int>(engine() % 2001U) - 1000) / 512.0F;
    return values;
  }
};

/// The KV head that the kernel reads for each query head: every KV head's values are a constant of its own.
inline std::vector<std::size_t> heads_read(AttentionCase c) {
  for (std::size_t kv = 0; kv < c.shape.kv_heads; ++kv)
    for (std::size_t i = c.row(kv, 0); i < c.row(kv + 1, 0); ++i) c.values[i] = static_cast<float>(kv);
  const auto out = c.run();
  std::vector<std::size_t> read;
  for (std::size_t i = 0; i < out.size(); i += c.shape.head) {
    for (std::size_t lane = 1; lane < c.shape.head; ++lane) RC_ASSERT(std::abs(out[i + lane] - out[i]) < 1e-3F);
    read.push_back(static_cast<std::size_t>(std::lround(out[i])));
  }
  return read;
}

template <>
struct RunningCode<laws::gqa_head> {
  static void check() {
    always("query head j*g + i reads the values of KV head j", [] {
      const auto kv = number(1, 6), g = number(1, 5);
      const auto read = heads_read(AttentionCase::any(kv, g));
      for (std::size_t j = 0; j < kv; ++j)
        for (std::size_t i = 0; i < g; ++i) RC_ASSERT(read[j * g + i] == j);
    }, 60);
  }
};

template <>
struct RunningCode<laws::groups_len> {
  static void check() {
    always("every KV head is read, by g query heads, and none beyond", [] {
      const auto kv = number(1, 6), g = number(1, 5);
      const auto read = heads_read(AttentionCase::any(kv, g));
      RC_ASSERT(std::set<std::size_t>(read.begin(), read.end()).size() == kv);
      RC_ASSERT(read.back() + 1 == kv);
    }, 60);
  }
};

template <>
struct RunningCode<laws::div_block> {
  static void check() {
    always("g query heads further on, the KV head is the next", [] {
      const auto kv = number(2, 6), g = number(1, 5);
      const auto read = heads_read(AttentionCase::any(kv, g));
      for (std::size_t h = 0; h + g < kv * g; ++h) RC_ASSERT(read[g + h] == 1 + read[h]);
    }, 60);
  }
};

template <>
struct RunningCode<laws::div_blocks> {
  static void check() {
    always("j*g query heads further on, the KV head is j further", [] {
      const auto kv = number(2, 6), g = number(1, 5), j = number(1, kv - 1);
      const auto read = heads_read(AttentionCase::any(kv, g));
      for (std::size_t h = 0; h + j * g < kv * g; ++h) RC_ASSERT(read[j * g + h] == j + read[h]);
    }, 60);
  }
};

template <>
struct RunningCode<laws::div_rest> {
  static void check() {
    always("the first g query heads read KV head 0", [] {
      const auto g = number(1, 5);
      const auto read = heads_read(AttentionCase::any(number(1, 6), g));
      for (std::size_t i = 0; i < g; ++i) RC_ASSERT(read[i] == 0);
    }, 60);
  }
};

template <>
struct RunningCode<laws::causal> {
  static void check() {
    always("NaN in every cached row after t changes nothing", [] {
      auto c = AttentionCase::any();
      const auto clean = c.run();
      for (std::size_t kv = 0; kv < c.shape.kv_heads; ++kv)
        for (std::size_t i = c.row(kv, c.t + 1); i < c.row(kv + 1, 0); ++i)
          c.keys[i] = c.values[i] = std::numeric_limits<float>::quiet_NaN();
      RC_ASSERT(c.run() == clean);
    }, 100);
    always("another value in any row up to t changes the result, whichever row it is", [] {
      auto c = AttentionCase::any();
      const auto clean = c.run();
      for (std::size_t at = 0; at <= c.t; ++at) {
        const float before = std::exchange(c.values[c.row(0, at)], 1e6F);
        RC_ASSERT(c.run() != clean);
        c.values[c.row(0, at)] = before;
      }
    }, 40);
  }
};

}  // namespace lawful::props
