// The JSON files of a folder that `convert` writes: what transformers needs to give the same function.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "model/checkpoint/checkpoint.hpp"

namespace lawful::model {

/// Names and contents: config.json and generation_config.json; if the checkpoint has a tokenizer, tokenizer.json (as it
/// was, or made from the vocabulary) and tokenizer_config.json.
std::vector<std::pair<std::string, std::string>> companion_files(const Checkpoint& from, kernels::Storage storage);

}  // namespace lawful::model
