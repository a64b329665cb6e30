#include "model/checkpoint/tensor_names.hpp"

#include <algorithm>
#include <array>

namespace lawful::model {
namespace {

struct Spelling {
  std::string_view gguf;
  std::string_view hugging_face;
};

constexpr std::array<Spelling, 3> outside{{{"token_embd.weight", "model.embed_tokens.weight"},
                                           {"output_norm.weight", "model.norm.weight"},
                                           {"output.weight", "lm_head.weight"}}};

constexpr std::array<Spelling, 9> in_layer{{{"attn_norm.weight", "input_layernorm.weight"},
                                            {"attn_q.weight", "self_attn.q_proj.weight"},
                                            {"attn_k.weight", "self_attn.k_proj.weight"},
                                            {"attn_v.weight", "self_attn.v_proj.weight"},
                                            {"attn_output.weight", "self_attn.o_proj.weight"},
                                            {"ffn_norm.weight", "post_attention_layernorm.weight"},
                                            {"ffn_gate.weight", "mlp.gate_proj.weight"},
                                            {"ffn_up.weight", "mlp.up_proj.weight"},
                                            {"ffn_down.weight", "mlp.down_proj.weight"}}};

constexpr Spelling layer_prefix{"blk.", "model.layers."};

using Member = std::string_view Spelling::*;

std::optional<std::string> translate(std::string_view name, Member from, Member to) {
  for (const auto& s : outside) {
    if (name == s.*from) return std::string(s.*to);
  }
  if (!name.starts_with(layer_prefix.*from)) return std::nullopt;
  name.remove_prefix((layer_prefix.*from).size());
  const auto dot = name.find('.');
  const auto number = name.substr(0, dot);
  const bool canonical = !number.empty() && number.size() < 6 && (number == "0" || number[0] != '0') &&
                         std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (dot == std::string_view::npos || !canonical) return std::nullopt;
  for (const auto& s : in_layer) {
    if (name.substr(dot + 1) != s.*from) continue;
    return std::string(layer_prefix.*to) + std::string(number) + "." + std::string(s.*to);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> hugging_face_name(std::string_view gguf_name) {
  return translate(gguf_name, &Spelling::gguf, &Spelling::hugging_face);
}

std::optional<std::string> gguf_name(std::string_view hugging_face_name) {
  return translate(hugging_face_name, &Spelling::hugging_face, &Spelling::gguf);
}

bool rows_are_rotated(std::string_view hugging_face_name) {
  return hugging_face_name.ends_with(".self_attn.q_proj.weight") ||
         hugging_face_name.ends_with(".self_attn.k_proj.weight");
}

}  // namespace lawful::model
