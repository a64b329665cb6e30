#include "cli/sampling_options.hpp"

#include "cli/options.hpp"
#include "io/bad_input.hpp"
#include "io/printable.hpp"

#include <charconv>
#include <limits>

namespace lawful::cli {

double decimal_number(std::string_view option, const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    io::reject(option, "a decimal number", io::printable(text));
  return value;
}

void SamplingOptions::add_to(CLI::App& command) {
  const auto add = [&](const char* name, std::optional<std::string>& into, const char* value, const char* what) {
    command.add_option_function<std::string>(name, [&into](const std::string& text) { into = text; }, what)->type_name(value);
  };
  add("--temperature", temperature, "T", "divide the logits by T and draw; 0: take the largest");
  add("--top-k", top_k, "K", "draw from the K most probable ids only (0: all)");
  add("--top-p", top_p, "P", "draw from the most probable ids that together reach P, above 0 and at most 1");
  add("--min-p", min_p, "P", "draw from ids at least P times as probable as the most probable, 0 to 1");
  add("--repetition-penalty", repetition_penalty, "X", "make ids that the text has less likely, 0.01 to 100 (1: no less)");
  add("--seed", seed, "N", "of the draws (default 0); a seed gives the same text on every machine");
  command.add_option("--stop", stops, "end before this text; may be given several times")->allow_extra_args(false);
}

model::Sampling SamplingOptions::read(const model::Sampling& absent) const {
  model::Sampling s = absent;
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  if (temperature) s.temperature = decimal_number("--temperature", *temperature);
  if (top_k) s.top_k = whole_number("--top-k", *top_k, 0, most);
  if (top_p) s.top_p = decimal_number("--top-p", *top_p);
  if (min_p) s.min_p = decimal_number("--min-p", *min_p);
  if (repetition_penalty) s.repetition_penalty = decimal_number("--repetition-penalty", *repetition_penalty);
  if (seed) s.seed = whole_number("--seed", *seed, 0, most);
  require_sound(s, model::Named::as_options);
  const char* filter = top_k ? "--top-k" : top_p ? "--top-p" : min_p ? "--min-p" : seed ? "--seed" : nullptr;
  if (s.temperature == 0.0 && !temperature && filter != nullptr)
    io::reject(filter, "--temperature beside it, since nothing is drawn without", "none");
  return s;
}

}  // namespace lawful::cli
