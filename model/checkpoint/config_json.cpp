#include "model/checkpoint/config_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/bad_input.hpp"
#include "io/json.hpp"
#include "io/printable.hpp"

namespace lawful::model {
namespace {

using Json = nlohmann::json;

/// Keys that do not change the function that a checkpoint computes at inference.
constexpr std::array<std::string_view, 20> notes{
    "_attn_implementation_autoset", "_attn_implementation", "_commit_hash", "_name_or_path", "attention_dropout",
    "dtype", "finetuning_task", "id2label", "initializer_range", "is_llama_config", "label2id",
    "output_attentions", "output_hidden_states", "problem_type", "return_dict", "torch_dtype",
    "torchscript", "transformers.js_config", "transformers_version", "use_cache"};

/// An object whose members are asked for by key. Whatever nobody asked for can be listed at the end.
class Fields {
 public:
  Fields(const Json& object, std::string name) : object_(object), name_(std::move(name)) {
    if (!object.is_object()) io::reject(name_, "a JSON object", object.type_name());
  }

  /// Null if absent or null: transformers writes null for "not set".
  const Json* find(std::string_view key) {
    asked_.emplace_back(key);
    const auto at = object_.find(std::string(key));
    return at == object_.end() || at->is_null() ? nullptr : &*at;
  }

  [[noreturn]] void wrong(std::string_view key, std::string_view expected, const Json* found) const {
    io::reject(name_ + ": " + std::string(key), expected, found == nullptr ? "none" : io::printable(found->dump(), 60));
  }

  std::uint64_t size(std::string_view key) { return size_in(key, find(key)); }
  std::uint64_t size_or(std::string_view key, std::uint64_t absent) {
    const Json* found = find(key);
    return found == nullptr ? absent : size_in(key, found);
  }

  /// A positive finite number, written with or without a point.
  std::optional<double> positive(std::string_view key) {
    const Json* found = find(key);
    if (found == nullptr) return std::nullopt;
    const bool good = found->is_number() && std::isfinite(found->get<double>()) && found->get<double>() > 0;
    if (!good) wrong(key, "a positive number", found);
    return found->get<double>();
  }

  void expect(std::string_view key, const Json& expected) {
    const Json* found = find(key);
    if (found == nullptr || *found != expected) wrong(key, expected.dump(), found);
  }
  void expect_if_set(std::string_view key, const Json& expected) {
    if (const Json* found = find(key); found != nullptr && *found != expected) wrong(key, expected.dump(), found);
  }
  void expect_unset(std::string_view key) {
    if (const Json* found = find(key)) wrong(key, "null or absent", found);
  }

  bool boolean_or(std::string_view key, bool absent) {
    const Json* found = find(key);
    if (found == nullptr) return absent;
    if (!found->is_boolean()) wrong(key, "true or false", found);
    return found->get<bool>();
  }

  /// A number, a list of numbers, or nothing: ids below `vocab`, rising.
  std::optional<std::vector<std::uint32_t>> ids(std::string_view key, std::uint64_t vocab) {
    const Json* found = find(key);
    if (found == nullptr) return std::nullopt;
    std::vector<std::uint32_t> ids;
    for (const Json& id : found->is_array() ? *found : Json::array({*found})) {
      if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= vocab) {
        wrong(key, fmt::format("ids below {}", vocab), found);
      }
      ids.push_back(id.get<std::uint32_t>());
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
  }

  std::optional<std::uint32_t> id(std::string_view key, std::uint64_t vocab) {
    const auto found = ids(key, vocab);
    return found && !found->empty() ? std::optional(found->front()) : std::nullopt;
  }

  std::vector<std::string> not_asked() const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object_.items()) {
      if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) keys.push_back(key);
    }
    return keys;
  }

  const std::string& name() const { return name_; }

 private:
  std::uint64_t size_in(std::string_view key, const Json* found) const {
    constexpr std::uint64_t most = 0xFFFFFFFFU;
    const bool good = found != nullptr && found->is_number_unsigned() && found->get<std::uint64_t>() > 0 &&
                      found->get<std::uint64_t>() <= most;
    if (!good) wrong(key, fmt::format("an integer from 1 to {}", most), found);
    return found->get<std::uint64_t>();
  }

  const Json& object_;
  std::string name_;
  std::vector<std::string> asked_;
};

/// rope_theta where transformers 4 wrote it or inside rope_parameters (transformers 5); only the plain rotation.
double read_theta(Fields& config, std::vector<std::string>& warnings) {
  std::optional<double> theta = config.positive("rope_theta");
  for (const auto* key : {"rope_scaling", "rope_parameters"}) {
    const Json* found = config.find(key);
    if (found == nullptr) continue;
    Fields rope(*found, config.name() + ": " + key);
    rope.expect_if_set("rope_type", "default");
    rope.expect_if_set("type", "default");
    const auto inner = rope.positive("rope_theta");
    if (theta && inner && *theta != *inner) {
      io::reject(rope.name() + ": rope_theta", fmt::format("{} as in rope_theta", *theta), fmt::to_string(*inner));
    }
    if (inner) theta = inner;
    rope.expect_if_set("partial_rotary_factor", 1.0);
    for (const auto& unknown : rope.not_asked()) io::reject(rope.name(), "the plain rotation", io::quoted(unknown));
  }
  constexpr double default_theta = 10000.0;
  if (!theta) warnings.push_back(config.name() + ": rope_theta: none; 10000 is used, as transformers does");
  return theta.value_or(default_theta);
}

void refuse_other_kinds(Fields& config) {
  config.expect("model_type", "llama");
  config.expect_if_set("architectures", Json::array({"LlamaForCausalLM"}));
  config.expect_if_set("hidden_act", "silu");
  config.expect_if_set("attention_bias", false);
  config.expect_if_set("mlp_bias", false);
  config.expect_if_set("rope_interleaved", false);
  config.expect_if_set("partial_rotary_factor", 1.0);
  config.expect_if_set("pretraining_tp", 1);
  config.expect_unset("sliding_window");
  config.expect_if_set("use_sliding_window", false);
  config.expect_unset("quantization_config");
  config.expect_if_set("is_encoder_decoder", false);
  config.expect_if_set("add_cross_attention", false);
  if (const Json* types = config.find("layer_types")) {
    const bool plain = types->is_array() && std::all_of(types->begin(), types->end(),
                                                        [](const Json& t) { return t == "full_attention"; });
    if (!plain) config.wrong("layer_types", R"("full_attention" for each layer)", types);
  }
}

std::uint64_t default_head(Fields& config, const Shape& shape) {
  if (shape.dim % shape.heads != 0) {
    io::reject(config.name() + ": hidden_size", fmt::format("a multiple of num_attention_heads, {}", shape.heads),
               fmt::to_string(shape.dim));
  }
  return shape.dim / shape.heads;
}

}  // namespace

ConfigJson read_config_json(std::string_view text, const std::string& name) {
  const Json json = io::parse_json(text, name);
  Fields config(json, name);
  ConfigJson read;
  refuse_other_kinds(config);
  Shape& s = read.shape;
  s.layers = config.size("num_hidden_layers");
  s.dim = config.size("hidden_size");
  s.heads = config.size("num_attention_heads");
  s.kv_heads = config.size_or("num_key_value_heads", s.heads);
  const auto head = config.size_or("head_dim", 0);
  s.head = head != 0 ? head : default_head(config, s);
  s.ffn = config.size("intermediate_size");
  s.vocab = config.size("vocab_size");
  s.context = config.size("max_position_embeddings");
  const auto eps = config.positive("rms_norm_eps");
  if (!eps || *eps >= 1) config.wrong("rms_norm_eps", "a number between 0 and 1", config.find("rms_norm_eps"));
  s.eps = static_cast<float>(*eps);
  s.theta = read_theta(config, read.warnings);
  s.tied = config.boolean_or("tie_word_embeddings", false);  // LlamaConfig's default
  read.eos = config.ids("eos_token_id", s.vocab).value_or(std::vector<std::uint32_t>{});
  read.special = {config.id("bos_token_id", s.vocab), config.id("eos_token_id", s.vocab),
                  config.id("pad_token_id", s.vocab), std::nullopt};
  for (const auto& key : config.not_asked()) {
    if (std::find(notes.begin(), notes.end(), key) == notes.end()) {
      read.warnings.push_back(name + ": " + io::quoted(key) + ": not a key of a plain Llama; ignored");
    }
  }
  return read;
}

std::optional<std::vector<std::uint32_t>> read_generation_eos(std::string_view text, const std::string& name,
                                                              std::uint64_t vocab) {
  const Json json = io::parse_json(text, name);
  return Fields(json, name).ids("eos_token_id", vocab);
}

Sampling transformers_sampling() { return {.temperature = 1.0, .top_k = 50}; }

std::optional<Sampling> read_generation_sampling(std::string_view text, const std::string& name) {
  const Json json = io::parse_json(text, name);
  Fields config(json, name);
  if (config.find("do_sample") == nullptr) return std::nullopt;
  const auto real = [&](const char* key, double absent, double least, double most) {
    const Json* found = config.find(key);
    if (found == nullptr) return absent;
    const bool good = found->is_number() && found->get<double>() >= least && found->get<double>() <= most;
    if (!good) config.wrong(key, fmt::format("a number from {} to {}", least, most), found);
    return found->get<double>();
  };
  const Sampling unset = transformers_sampling();
  Sampling s;
  s.repetition_penalty = real("repetition_penalty", unset.repetition_penalty, 0.01, 100.0);
  if (!config.boolean_or("do_sample", false)) return s;
  constexpr double least = std::numeric_limits<double>::min();
  s.temperature = real("temperature", unset.temperature, least, std::numeric_limits<double>::max());
  const Json* top_k = config.find("top_k");
  if (top_k != nullptr && !top_k->is_number_unsigned()) config.wrong("top_k", "a whole number from 0 on", top_k);
  s.top_k = top_k == nullptr ? unset.top_k : top_k->get<std::uint64_t>();
  s.top_p = real("top_p", unset.top_p, least, 1.0);
  s.min_p = real("min_p", unset.min_p, 0.0, 1.0);
  return s;
}

std::vector<std::string> generation_warnings(std::string_view text, const std::string& name) {
  struct Setting {
    const char* key;
    const char* without_effect;  // a JSON array of values, beside null
  };
  constexpr Setting settings[] = {
      {"num_beams", "[1]"}, {"num_beam_groups", "[1]"}, {"penalty_alpha", "[0]"}, {"dola_layers", "[]"},
      {"no_repeat_ngram_size", "[0]"}, {"encoder_no_repeat_ngram_size", "[0]"}, {"encoder_repetition_penalty", "[1]"},
      {"suppress_tokens", "[[]]"}, {"begin_suppress_tokens", "[[]]"}, {"bad_words_ids", "[[]]"},
      {"force_words_ids", "[[]]"}, {"constraints", "[[]]"}, {"forced_bos_token_id", "[]"},
      {"forced_eos_token_id", "[]"}, {"forced_decoder_ids", "[[]]"}, {"sequence_bias", "[[], {}]"},
      {"exponential_decay_length_penalty", "[]"}, {"guidance_scale", "[1]"}, {"typical_p", "[1]"}, {"top_h", "[1]"},
      {"epsilon_cutoff", "[0]"}, {"eta_cutoff", "[0]"}, {"min_length", "[0]"}, {"min_new_tokens", "[0]"},
      {"stop_strings", "[[]]"}, {"token_healing", "[false]"}, {"watermarking_config", "[]"}};
  const Json json = io::parse_json(text, name);
  Fields config(json, name);
  std::vector<std::string> warnings;
  for (const auto& [key, without_effect] : settings) {
    const Json* found = config.find(key);
    const Json accepted = Json::parse(without_effect);
    if (found == nullptr || std::find(accepted.begin(), accepted.end(), *found) != accepted.end()) continue;
    const std::string expected = accepted.empty() ? "none" : "none or " + accepted.front().dump();
    warnings.push_back(fmt::format("{}: {}: expected {}, found {}; ignored", name, key, expected,
                                   io::printable(found->dump(), 60)));
  }
  return warnings;
}

std::optional<std::string> read_tokenizer_config(std::string_view text, const std::string& name) {
  const Json json = io::parse_json(text, name);
  Fields config(json, name);
  config.expect_if_set("add_bos_token", false);
  config.expect_if_set("add_eos_token", false);
  config.expect_if_set("add_prefix_space", false);
  const Json* found = config.find("chat_template");
  if (found == nullptr) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  if (!found->is_array()) config.wrong("chat_template", "a string or a list", found);
  for (const Json& one : *found) {
    Fields named(one, name + ": chat_template");
    const Json* title = named.find("name");
    const Json* body = named.find("template");
    if (title == nullptr || *title != "default") continue;
    if (body == nullptr || !body->is_string()) named.wrong("template", "a string", body);
    return body->get<std::string>();
  }
  return std::nullopt;
}

}  // namespace lawful::model
