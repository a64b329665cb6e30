#include "cli/log_probabilities_json.hpp"

#include "io/utf8.hpp"

#include <nlohmann/json.hpp>

namespace lawful::cli {

nlohmann::ordered_json as_json(const model::StepLogProbabilities& step, const tokenizer::Tokenizer& tokenizer) {
  const auto one = [&](const model::LogProbability& p) {
    return nlohmann::ordered_json{{"id", p.id},
                                  {"text", io::replace_invalid_utf8(tokenizer.token_bytes(p.id))},
                                  {"logprob", p.value}};
  };
  auto out = one(step.chosen);
  out["top"] = nlohmann::ordered_json::array();
  for (const auto& p : step.top) out["top"].push_back(one(p));
  return out;
}

}  // namespace lawful::cli
