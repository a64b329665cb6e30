// A config from the numbers that a config.json states, for adding a model: what they cannot mean does not compile.
#pragma once
#include "model/config.hpp"

namespace lawful::model {

/// hidden_size, num_attention_heads and num_key_value_heads, which have to divide.
template <std::size_t hidden, std::size_t heads, std::size_t kv_heads>
struct PublishedHeads {
  static_assert(heads > 0 && kv_heads > 0, "a config has at least one head and one KV head");
  static_assert(heads % (kv_heads + (kv_heads == 0)) == 0, "the heads of a config are a multiple of its KV heads");
  static_assert(hidden % (heads + (heads == 0)) == 0, "the hidden size of a config is a multiple of its heads");
  static constexpr std::size_t head = hidden / (heads + (heads == 0));
  static_assert(head % 2 == 0, "a head has an even width, since RoPE turns pairs");
};

/// The config of a model published as these sizes. Refuses sizes that do not divide.
template <std::size_t hidden, std::size_t heads, std::size_t kv_heads>
constexpr Config from_published(std::string_view name, std::size_t ffn, std::size_t layers, std::size_t vocab,
                                std::size_t context, double theta, double eps) {
  constexpr std::size_t head = PublishedHeads<hidden, heads, kv_heads>::head;
  return {name, kv_heads, heads / kv_heads, head / 2, ffn, layers, vocab, context, theta, eps};
}

static_assert(from_published<576, 9, 3>("SmolLM2-135M", 1536, 30, 49152, 8192, 100000.0, 1e-5) == smollm2_135m::config);
static_assert(from_published<960, 15, 5>("SmolLM2-360M", 2560, 32, 49152, 8192, 100000.0, 1e-5) == smollm2_360m::config);
static_assert(from_published<2048, 32, 32>("SmolLM2-1.7B", 8192, 24, 49152, 8192, 130000.0, 1e-5) ==
              smollm2_1_7b::config);

}  // namespace lawful::model
