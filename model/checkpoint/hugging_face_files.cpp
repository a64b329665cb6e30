#include "model/checkpoint/hugging_face_files.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/checkpoint/spelled_vocabulary.hpp"

namespace lawful::model {
namespace {

using Json = nlohmann::ordered_json;
using kernels::Storage;

const char* torch_dtype(Storage storage) {
  switch (storage) {
    case Storage::f16: return "float16";
    case Storage::bf16: return "bfloat16";
    default: return "float32";
  }
}

void add_bos_and_pad(Json& json, const SpecialIds& special) {
  if (special.bos) json["bos_token_id"] = *special.bos;
  if (special.pad) json["pad_token_id"] = *special.pad;
}

Json id_or_list(const std::vector<std::uint32_t>& ids) { return ids.size() == 1 ? Json(ids.front()) : Json(ids); }

/// The shortest decimal number that is this F32: 1e-05, not 9.999999747378752e-06.
double shortest(float value) { return std::stod(fmt::format("{}", value)); }

std::string config_json(const Checkpoint& from, Storage storage) {
  const Shape& s = from.shape();
  Json json{{"architectures", {"LlamaForCausalLM"}},
            {"model_type", "llama"},
            {"hidden_act", "silu"},
            {"hidden_size", s.dim},
            {"intermediate_size", s.ffn},
            {"num_hidden_layers", s.layers},
            {"num_attention_heads", s.heads},
            {"num_key_value_heads", s.kv_heads},
            {"head_dim", s.head},
            {"vocab_size", s.vocab},
            {"max_position_embeddings", s.context},
            {"rms_norm_eps", shortest(s.eps)},
            {"rope_theta", s.theta},
            {"rope_scaling", nullptr},
            {"attention_bias", false},
            {"mlp_bias", false},
            {"tie_word_embeddings", s.tied},
            {"torch_dtype", torch_dtype(storage)}};
  add_bos_and_pad(json, from.special());
  // The main one; generation_config.json, which readers put first, has them all.
  if (from.special().eos) json["eos_token_id"] = *from.special().eos;
  return json.dump(2) + "\n";
}

void add_sampling(Json& json, const Sampling& s) {
  json["do_sample"] = s.temperature > 0.0;
  json["repetition_penalty"] = s.repetition_penalty;
  if (s.temperature == 0.0) return;
  json["temperature"] = s.temperature;
  json["top_k"] = s.top_k;
  json["top_p"] = s.top_p;
  json["min_p"] = s.min_p;
}

std::string generation_config_json(const Checkpoint& from) {
  Json json = Json::object();
  add_bos_and_pad(json, from.special());
  if (!from.eos().empty()) json["eos_token_id"] = id_or_list(from.eos());
  if (from.sampling()) add_sampling(json, *from.sampling());
  return json.dump(2) + "\n";
}

/// The one form that SmolLM2's tokenizer has: isolated digits, then GPT-2's split into byte-level pieces.
std::string tokenizer_json(const SpelledVocabulary& vocabulary) {
  Json added = Json::array(), tokens = Json::object(), merges = Json::array();
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    tokens[vocabulary.tokens[id]] = id;
    if (vocabulary.kinds[id] != tokenizer::TokenKind::control) continue;
    added.push_back({{"id", id},
                     {"content", vocabulary.tokens[id]},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  }
  for (const auto& [left, right] : vocabulary.merges) merges.push_back({left, right});
  const Json digits{{"type", "Digits"}, {"individual_digits", true}};
  const auto byte_level = [](bool prefix_space) {
    return Json{{"type", "ByteLevel"}, {"add_prefix_space", prefix_space}, {"trim_offsets", true}, {"use_regex", true}};
  };
  const Json json{{"version", "1.0"},
                  {"truncation", nullptr},
                  {"padding", nullptr},
                  {"added_tokens", added},
                  {"normalizer", nullptr},
                  {"pre_tokenizer",
                   {{"type", "Sequence"}, {"pretokenizers", Json::array({digits, byte_level(false)})}}},
                  {"post_processor", nullptr},
                  {"decoder", byte_level(true)},
                  {"model",
                   {{"type", "BPE"},
                    {"dropout", nullptr},
                    {"unk_token", nullptr},
                    {"continuing_subword_prefix", nullptr},
                    {"end_of_word_suffix", nullptr},
                    {"fuse_unk", false},
                    {"byte_fallback", false},
                    {"ignore_merges", false},
                    {"vocab", tokens},
                    {"merges", merges}}}};
  return json.dump() + "\n";
}

std::string tokenizer_config_json(const Checkpoint& from, const SpelledVocabulary& vocabulary) {
  Json json{{"tokenizer_class", "PreTrainedTokenizerFast"},
            {"add_prefix_space", false},
            {"clean_up_tokenization_spaces", false},
            {"model_max_length", from.shape().context}};
  const SpecialIds& special = from.special();
  if (special.bos) json["bos_token"] = vocabulary.tokens[*special.bos];
  if (special.eos) json["eos_token"] = vocabulary.tokens[*special.eos];
  if (special.pad) json["pad_token"] = vocabulary.tokens[*special.pad];
  if (special.unknown) json["unk_token"] = vocabulary.tokens[*special.unknown];
  if (from.chat_template()) json["chat_template"] = *from.chat_template();
  return json.dump(2) + "\n";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> companion_files(const Checkpoint& from, Storage storage) {
  std::vector<std::pair<std::string, std::string>> files{{"config.json", config_json(from, storage)},
                                                         {"generation_config.json", generation_config_json(from)}};
  if (!from.has_tokenizer()) return files;
  const auto tokenizer = from.tokenizer();
  const SpelledVocabulary vocabulary = spell(tokenizer.vocabulary());
  const auto original = from.tokenizer_json();
  files.emplace_back("tokenizer.json", original ? std::string(*original) : tokenizer_json(vocabulary));
  files.emplace_back("tokenizer_config.json", tokenizer_config_json(from, vocabulary));
  return files;
}

}  // namespace lawful::model
