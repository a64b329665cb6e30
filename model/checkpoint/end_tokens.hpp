// The tokens that end a generation by their text alone.
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

namespace lawful::model {

/// llama.cpp's end-of-generation tokens (llama_vocab::impl::load), beside the ids that keys of the file name. Its
/// fill-in-the-middle tokens are left out: SmolLM2 has two of those texts, and does not end with them.
inline constexpr std::array<std::string_view, 11> end_tokens{
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>",
    "<|end_of_text|>", "<end_of_utterance>"};

/// The GGUF key of `convert` that lists all ids that end a generation, where the other keys and the texts would say more
/// than the original: an array of INT32. Other programs pass over it.
inline constexpr std::string_view end_ids_key = "lawful.end_of_generation_ids";

constexpr bool is_end_token(std::string_view text) {
  return std::find(end_tokens.begin(), end_tokens.end(), text) != end_tokens.end();
}

}  // namespace lawful::model
