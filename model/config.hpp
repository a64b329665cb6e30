// The shapes of the models, one constexpr value each. Everything else about a size is derived from it.
#pragma once
#include <cstddef>
#include <string_view>

namespace lawful::model {

/// The shape of a Llama: what its config.json says, in the terms that the types compute with.
struct Config {
  std::string_view name;
  std::size_t kv_heads;      ///< key/value heads
  std::size_t group;         ///< query heads that share one KV head
  std::size_t half;          ///< half the width of a head: RoPE rotates pairs (i, i + half)
  std::size_t ffn;           ///< width of the MLP (intermediate_size)
  std::size_t layers;        ///< num_hidden_layers
  std::size_t vocab;         ///< vocab_size
  std::size_t context;       ///< max_position_embeddings
  double theta;              ///< rope_theta
  double eps;                ///< rms_norm_eps

  constexpr std::size_t head() const { return 2 * half; }
  constexpr std::size_t heads() const { return kv_heads * group; }
  constexpr std::size_t dim() const { return heads() * head(); }    ///< hidden_size
  constexpr std::size_t kvw() const { return kv_heads * head(); }   ///< width of one position's keys
  friend constexpr bool operator==(const Config&, const Config&) = default;
};

/// Refuses a config that is no Llama, in a sentence. Every axis asks for it, so that no weight or activation of such a
/// model can be named. A group that is no whole number of heads and a head of odd width cannot be written down here at
/// all; model/published_config.hpp refuses them in the numbers of a config.json.
template <class M>
struct WellFormed {
  static_assert(M::config.kv_heads > 0, "a config has at least one KV head");
  static_assert(M::config.group > 0, "a config has at least one query head for each KV head");
  static_assert(M::config.half > 0, "a config has heads of at least one rotated pair");
  static_assert(M::config.ffn > 0, "a config has an MLP of at least one value");
  static_assert(M::config.layers > 0, "a config has at least one layer");
  static_assert(M::config.vocab > 0, "a config has at least one token");
  static_assert(M::config.context > 0, "a config has room for at least one position");
  static_assert(M::config.theta > 1 && M::config.eps > 0, "a config has theta above 1 and eps above 0");
};

// A model is a tag type with its config: weights of one model do not fit another's kernels.
struct smollm2_135m {
  static constexpr Config config{"SmolLM2-135M", 3, 3, 32, 1536, 30, 49152, 8192, 100000.0, 1e-5};
};
struct smollm2_360m {
  static constexpr Config config{"SmolLM2-360M", 5, 3, 32, 2560, 32, 49152, 8192, 100000.0, 1e-5};
};
struct smollm2_1_7b {
  static constexpr Config config{"SmolLM2-1.7B", 32, 1, 32, 8192, 24, 49152, 8192, 130000.0, 1e-5};
};
/// A model of two layers for tests: more than one KV head, a group that is no power of two, no two widths alike.
struct tiny {
  static constexpr Config config{"tiny", 2, 3, 16, 160, 2, 256, 64, 10000.0, 1e-5};
};

}  // namespace lawful::model
