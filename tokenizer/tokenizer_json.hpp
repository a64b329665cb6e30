// The tokenizer of a Hugging Face tokenizer.json.
#pragma once
#include <string>
#include <string_view>

#include "tokenizer/tokenizer.hpp"

namespace lawful::tokenizer {

/// The tokenizer that `text`, the content of a tokenizer.json, describes; `name` is what errors shall call the file.
/// io::BadInput unless it is a byte-level BPE exactly as SmolLM2's: the same pre-tokenizer, decoder and options,
/// no normalizer, added tokens that are special and match as written. Merges may be ["a", "b"] or "a b".
Tokenizer read_tokenizer_json(std::string_view text, const std::string& name);

}  // namespace lawful::tokenizer
