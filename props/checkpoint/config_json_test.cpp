// config.json: every key that changes the function, with its right, absent, null and wrong values.
#include "model/checkpoint/config_json.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "model/config.hpp"
#include "props/checkpoint/build_files.hpp"
#include "props/rejection.hpp"

namespace {

using namespace lawful::props;
using lawful::model::ConfigJson;
using Json = nlohmann::json;

Json plain() { return config_json({lawful::model::tiny::config, true, {}}); }

ConfigJson read(const Json& config) { return lawful::model::read_config_json(config.dump(), "config.json"); }

ConfigJson read_with(const char* key, const Json& value) {
  Json config = plain();
  config[key] = value;
  return read(config);
}

std::string refused(const Json& config) {
  return rejection([&] { read(config); });
}

std::string refused_with(const char* key, const Json& value) {
  Json config = plain();
  config[key] = value;
  return refused(config);
}

ConfigJson read_without(const char* key) {
  Json config = plain();
  config.erase(key);
  return read(config);
}

}  // namespace

TEST_CASE("a plain config is read, without a warning") {
  const ConfigJson config = read(plain());
  CHECK(config.shape == lawful::model::Shape{2, 192, 6, 2, 32, 160, 256, 64, 10000.0, 1e-5F, true});
  CHECK(config.eos == std::vector<std::uint32_t>{2});
  CHECK(config.warnings.empty());
}

TEST_CASE("the config.json of SmolLM2-135M-Instruct as transformers 4 and 5 write it") {
  const Json four = Json::parse(R"({"architectures":["LlamaForCausalLM"],"attention_bias":false,
    "attention_dropout":0.0,"bos_token_id":1,"eos_token_id":2,"hidden_act":"silu","hidden_size":576,
    "initializer_range":0.041666666666666664,"intermediate_size":1536,"is_llama_config":true,
    "max_position_embeddings":8192,"mlp_bias":false,"model_type":"llama","num_attention_heads":9,
    "num_hidden_layers":30,"num_key_value_heads":3,"pad_token_id":2,"pretraining_tp":1,"rms_norm_eps":1e-05,
    "rope_interleaved":false,"rope_scaling":null,"rope_theta":100000,"tie_word_embeddings":true,
    "torch_dtype":"bfloat16","transformers.js_config":{"kv_cache_dtype":{"q4f16":"float16"}},
    "transformers_version":"4.42.3","use_cache":true,"vocab_size":49152})");
  Json five = four;
  five.erase("rope_theta");
  five.erase("rope_scaling");
  five.erase("torch_dtype");
  five["dtype"] = "bfloat16";
  five["head_dim"] = 64;
  five["rope_parameters"] = {{"rope_theta", 100000.0}, {"rope_type", "default"}};
  const lawful::model::Shape expected{30, 576, 9, 3, 64, 1536, 49152, 8192, 100000.0, 1e-5F, true};
  for (const auto& json : {four, five}) {
    CHECK(read(json).shape == expected);
    CHECK(read(json).warnings.empty());
  }
}

TEST_CASE("what is not a plain Llama is refused with key, expected and found") {
  const std::vector<std::pair<const char*, Json>> wrong{
      {"model_type", "mistral"},
      {"architectures", {"LlamaForSequenceClassification"}},
      {"architectures", {"LlamaForCausalLM", "X"}},
      {"hidden_act", "gelu"},
      {"attention_bias", true},
      {"mlp_bias", true},
      {"rope_interleaved", true},
      {"partial_rotary_factor", 0.5},
      {"pretraining_tp", 2},
      {"sliding_window", 4096},
      {"use_sliding_window", true},
      {"quantization_config", {{"bits", 4}}},
      {"is_encoder_decoder", true},
      {"add_cross_attention", true},
      {"layer_types", {"full_attention", "sliding_attention"}},
      {"layer_types", "full_attention"},
  };
  for (const auto& [key, value] : wrong) {
    const std::string message = refused_with(key, value);
    CAPTURE(message);
    CHECK(contains(message, std::string("config.json: ") + key + ": expected "));
    CHECK(contains(message, ", found " + value.dump().substr(0, 50)));
  }
  CHECK(contains(refused_with("model_type", nullptr), "model_type: expected \"llama\", found none"));
}

TEST_CASE("values that say plainly what is the default are accepted") {
  const std::vector<std::pair<const char*, Json>> plain_values{
      {"sliding_window", nullptr}, {"partial_rotary_factor", 1.0},
      {"layer_types", {"full_attention", "full_attention"}},
      {"quantization_config", nullptr}, {"use_sliding_window", false}, {"pretraining_tp", 1}, {"mlp_bias", nullptr},
      {"rope_scaling", {{"rope_type", "default"}}}, {"rope_scaling", {{"type", "default"}}},
      {"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 10000.0}}}};
  for (const auto& [key, value] : plain_values) {
    CHECK(read_with(key, value).shape == read(plain()).shape);
    CHECK(read_with(key, value).warnings.empty());
  }
}

TEST_CASE("scaled rotations are refused in either place") {
  for (const auto* place : {"rope_scaling", "rope_parameters"}) {
    CHECK(contains(refused_with(place, {{"rope_type", "llama3"}, {"factor", 8.0}}), "rope_type: expected \"default\""));
    CHECK(contains(refused_with(place, {{"type", "linear"}, {"factor", 2.0}}), "type: expected \"default\""));
    CHECK(contains(refused_with(place, {{"rope_type", "default"}, {"factor", 2.0}}), "found 'factor'"));
    CHECK(contains(refused_with(place, {{"rope_theta", 5.0}}), "rope_theta: expected 10000 as in rope_theta, found 5"));
    CHECK(contains(refused_with(place, 2.0), "expected a JSON object, found number"));
  }
}

TEST_CASE("heads: absent or null KV heads and head width take their defaults; explicit ones win") {
  CHECK(read_without("num_key_value_heads").shape.kv_heads == 6);
  CHECK(read_with("num_key_value_heads", nullptr).shape.kv_heads == 6);
  CHECK(read_with("num_key_value_heads", 3).shape.kv_heads == 3);
  CHECK(read_with("head_dim", nullptr).shape.head == 32);
  CHECK(read_with("head_dim", 32).shape.head == 32);
  CHECK(read_with("head_dim", 48).shape.head == 48);
  CHECK(contains(refused_with("num_attention_heads", 7), "hidden_size: expected a multiple of num_attention_heads, 7"));
}

TEST_CASE("theta is the default's with a warning where there is none; the head is untied where nothing is said") {
  const auto config = read_without("rope_theta");
  CHECK(config.shape.theta == 10000.0);
  REQUIRE(config.warnings.size() == 1);
  CHECK(contains(config.warnings[0], "rope_theta: none; 10000 is used"));
  CHECK_FALSE(read_without("tie_word_embeddings").shape.tied);
  CHECK(contains(refused_with("tie_word_embeddings", 1), "tie_word_embeddings: expected true or false, found 1"));
}

TEST_CASE("sizes and numbers of a wrong kind are refused by key") {
  for (const auto* key : {"hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "vocab_size",
                          "max_position_embeddings", "num_key_value_heads", "head_dim"}) {
    CAPTURE(key);
    for (const Json& wrong : {Json(0), Json(-1), Json(1.0), Json("576"), Json(true), Json::array(), Json(4294967296)}) {
      CHECK(contains(refused_with(key, wrong), std::string("config.json: ") + key + ": expected an integer from 1"));
    }
  }
  CHECK(contains(rejection([] { read_without("hidden_size"); }), "hidden_size: expected an integer from 1"));
  for (const auto* key : {"rms_norm_eps", "rope_theta"}) {
    for (const Json& wrong : {Json(0), Json(-1e-5), Json("1e-5"), Json(false)}) {
      CHECK(contains(refused_with(key, wrong), std::string(key) + ": expected a positive number"));
    }
  }
  CHECK(contains(rejection([] { read_without("rms_norm_eps"); }),
                 "rms_norm_eps: expected a number between 0 and 1, found none"));
  CHECK(contains(refused_with("rms_norm_eps", 1e300), "rms_norm_eps: expected a number between 0 and 1, found 1e+300"));
}

TEST_CASE("a key that is not known is a warning") {
  const auto config = read_with("unsloth_version", "2024.9");
  REQUIRE(config.warnings.size() == 1);
  CHECK(contains(config.warnings[0], "config.json: 'unsloth_version': not a key of a plain Llama; ignored"));
}

TEST_CASE("what is not an object is refused") {
  for (const auto* text : {"[]", "3", "null", "\"model_type\""}) {
    CHECK(contains(rejection([&] { lawful::model::read_config_json(text, "config.json"); }), "expected a JSON object"));
  }
}
