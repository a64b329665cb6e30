// How ids are chosen, and the texts that end a generation, from the command line.
#pragma once
#include "model/sampling.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace lawful::cli {

/// A decimal number, or io::BadInput naming `option`.
double decimal_number(std::string_view option, const std::string& text);

struct SamplingOptions {
  std::optional<std::string> temperature, top_k, top_p, min_p, repetition_penalty, seed;
  std::vector<std::string> stops;
  void add_to(CLI::App& command);
  /// The settings given, the others as in `absent`. io::BadInput for values that cannot be, and for filters of a draw
  /// where nothing is drawn and no temperature was given.
  model::Sampling read(const model::Sampling& absent) const;
};

}  // namespace lawful::cli
