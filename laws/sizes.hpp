// The derived widths are the published ones: config.json of the three models, in its own terms.
#pragma once
#include "laws/code.hpp"
#include "laws/law.hpp"

namespace lawful::laws {

// Wrong configs: what a default or a slip makes of them.
struct default_theta : Product {
  static constexpr Fault fault{"default_theta", "rope_theta is Llama's default, 10000"};
  template <class Model>
  static constexpr model::Config config = [] {
    model::Config c = Model::config;
    c.theta = 10000.0;
    return c;
  }();
};
struct half_is_head : Product {
  static constexpr Fault fault{"half_is_head", "half is given the width of a whole head"};
  template <class Model>
  static constexpr model::Config config = [] {
    model::Config c = Model::config;
    c.half = 64;
    return c;
  }();
};
struct group_left_out : Product {
  static constexpr Fault fault{"group_left_out", "a group is taken to be two query heads"};
  template <class Model>
  static constexpr model::Config config = [] {
    model::Config c = Model::config;
    c.group = 2;
    return c;
  }();
};

/// Numbers of a model's config.json, and the width of a position's keys, which follows from them.
struct Published {
  std::size_t hidden_size, intermediate_size, num_attention_heads, num_key_value_heads, head_dim, key_width,
      num_hidden_layers, vocab_size, max_position_embeddings, rope_theta, inverse_rms_norm_eps;
};

template <Published p>
struct sizes_are {
  static constexpr std::array<const char*, 0> variables{};

  template <class Code, class Model, class N>
  static constexpr auto holds() {
    constexpr auto c = Code::template config<Model>;
    return all(equal(N{c.dim()}, N{p.hidden_size}, "hidden_size"),
               equal(N{c.ffn}, N{p.intermediate_size}, "intermediate_size"),
               equal(N{c.heads()}, N{p.num_attention_heads}, "num_attention_heads"),
               equal(N{c.kv_heads}, N{p.num_key_value_heads}, "num_key_value_heads"),
               equal(N{c.head()}, N{p.head_dim}, "head_dim"),
               equal(N{c.kvw()}, N{p.key_width}, "width of a position's keys"),
               equal(N{c.layers}, N{p.num_hidden_layers}, "num_hidden_layers"),
               equal(N{c.vocab}, N{p.vocab_size}, "vocab_size"),
               equal(N{c.context}, N{p.max_position_embeddings}, "max_position_embeddings"),
               equal(N{static_cast<std::size_t>(c.theta)}, N{p.rope_theta}, "rope_theta"),
               equal(N{static_cast<std::size_t>(1 / c.eps + 0.5)}, N{p.inverse_rms_norm_eps}, "1 / rms_norm_eps"));
  }

  static constexpr std::array<Range, 0> domain(const model::Config&) { return {}; }
  static constexpr std::array<std::size_t, 0> legal(auto&&) { return {}; }
  static constexpr std::array<Edge, 0> edges{};
  using mutants = types<default_theta, half_is_head, group_left_out>;
};

struct smollm2_135m_sizes
    : sizes_are<Published{.hidden_size = 576, .intermediate_size = 1536, .num_attention_heads = 9,
                          .num_key_value_heads = 3, .head_dim = 64, .key_width = 192, .num_hidden_layers = 30,
                          .vocab_size = 49152, .max_position_embeddings = 8192, .rope_theta = 100000,
                          .inverse_rms_norm_eps = 100000}> {
  static constexpr About about{
      .name = "smollm2_135m_sizes",
      .statement = "the widths that follow from SmolLM2-135M's config are the published ones",
      .why = "Every extent in the program is derived from these; theta and eps change the text without any error.",
      .symbol = "smollm2_135m",
      .file = "model/config.hpp",
      .picture = "3 KV heads x 3 a group = 9 heads, x 64 = 576 wide; keys 3 x 64 = 192"};
  using models = types<model::smollm2_135m>;
};

struct smollm2_360m_sizes
    : sizes_are<Published{.hidden_size = 960, .intermediate_size = 2560, .num_attention_heads = 15,
                          .num_key_value_heads = 5, .head_dim = 64, .key_width = 320, .num_hidden_layers = 32,
                          .vocab_size = 49152, .max_position_embeddings = 8192, .rope_theta = 100000,
                          .inverse_rms_norm_eps = 100000}> {
  static constexpr About about{
      .name = "smollm2_360m_sizes",
      .statement = "the widths that follow from SmolLM2-360M's config are the published ones",
      .why = "Every extent in the program is derived from these; theta and eps change the text without any error.",
      .symbol = "smollm2_360m",
      .file = "model/config.hpp",
      .picture = "5 KV heads x 3 a group = 15 heads, x 64 = 960 wide; keys 5 x 64 = 320"};
  using models = types<model::smollm2_360m>;
};

struct smollm2_1_7b_sizes
    : sizes_are<Published{.hidden_size = 2048, .intermediate_size = 8192, .num_attention_heads = 32,
                          .num_key_value_heads = 32, .head_dim = 64, .key_width = 2048, .num_hidden_layers = 24,
                          .vocab_size = 49152, .max_position_embeddings = 8192, .rope_theta = 130000,
                          .inverse_rms_norm_eps = 100000}> {
  static constexpr About about{
      .name = "smollm2_1_7b_sizes",
      .statement = "the widths that follow from SmolLM2-1.7B's config are the published ones",
      .why = "Every extent in the program is derived from these; theta and eps change the text without any error.",
      .symbol = "smollm2_1_7b",
      .file = "model/config.hpp",
      .picture = "32 KV heads x 1 a group = 32 heads, x 64 = 2048 wide; keys 32 x 64 = 2048"};
  using models = types<model::smollm2_1_7b>;
};

using size_laws = types<smollm2_135m_sizes, smollm2_360m_sizes, smollm2_1_7b_sizes>;

}  // namespace lawful::laws
