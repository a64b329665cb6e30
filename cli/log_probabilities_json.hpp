// What `--logprobs` adds to a JSON result for each id.
#pragma once
#include "model/log_probabilities.hpp"
#include "tokenizer/tokenizer.hpp"

#include <nlohmann/json_fwd.hpp>

namespace lawful::cli {

/// {"id", "text", "logprob", "top": [{"id", "text", "logprob"}, …]}
nlohmann::ordered_json as_json(const model::StepLogProbabilities& step, const tokenizer::Tokenizer& tokenizer);

}  // namespace lawful::cli
