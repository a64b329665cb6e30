// The JSON files beside the weights: config.json, generation_config.json, tokenizer_config.json.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/checkpoint/contents.hpp"

namespace lawful::model {

/// What a config.json says. `shape.tied` is its tie_word_embeddings.
struct ConfigJson {
  Shape shape;
  std::vector<std::uint32_t> eos;     ///< eos_token_id, a number or a list; rising
  SpecialIds special;                 ///< eos: the least of eos_token_id
  std::vector<std::string> warnings;  ///< keys that are not known, defaults that were taken
};

/// `name` is what errors shall call the file. io::BadInput naming key, expected and found where the file describes
/// anything but a plain Llama. Keys that are not known are a warning each: fine-tunes carry notes of their own.
ConfigJson read_config_json(std::string_view text, const std::string& name);

/// The end-of-generation ids of a generation_config.json, rising; nothing if it names none.
std::optional<std::vector<std::uint32_t>> read_generation_eos(std::string_view text, const std::string& name,
                                                              std::uint64_t vocab);

/// What transformers samples with where generation settings name nothing.
Sampling transformers_sampling();

/// How a generation_config.json samples; nothing unless it has do_sample. What it leaves out is as in transformers:
/// temperature 1, top_k 50, no other filter. io::BadInput for values that cannot be.
std::optional<Sampling> read_generation_sampling(std::string_view text, const std::string& name);

/// A line, naming key, expected and found, for each setting of a generation_config.json that changes what is generated
/// and that this program does not have.
std::vector<std::string> generation_warnings(std::string_view text, const std::string& name);

/// The chat template of a tokenizer_config.json, if it has one: a string, or the one called "default" in a list.
/// io::BadInput if the file asks for a text to be changed before or after it is tokenized.
std::optional<std::string> read_tokenizer_config(std::string_view text, const std::string& name);

}  // namespace lawful::model
