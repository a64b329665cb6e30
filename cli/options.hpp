// What several commands share: the model and the machine, numbers, texts and ids from the command line.
#pragma once
#include "model/checkpoint/checkpoint.hpp"
#include "model/sequence.hpp"
#include "tokenizer/tokenizer.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::cli {

/// A whole number from `least` to `most`, or io::BadInput naming `option` and what was found.
std::uint64_t whole_number(std::string_view option, const std::string& text, std::uint64_t least, std::uint64_t most);

/// "1,2,3" as ids. io::BadInput names `option` and the part that is none.
std::vector<std::uint32_t> id_list(std::string_view option, std::string_view text);

/// Where the default model is looked for: $LAWFUL_MODEL, else the user's cache folder.
std::string default_model_path();

/// -m: where the weights and the tokenizer come from.
struct ModelOption {
  std::string path;
  bool copy = false;
  void add_to(CLI::App& command);
  /// The path given, else the default model's.
  model::Checkpoint open() const;
};

/// How the model runs: threads, instruction set, pieces of the prompt, context.
struct RunOptions {
  std::string threads, isa, chunk, context;
  void add_to(CLI::App& command);
  /// Sets threads and instruction set. io::BadInput for values that cannot be.
  void use_machine() const;
  /// The number given, at most what the model was trained for; or that.
  /// Positions of the cache. Where the context asked for does not fit in memory, io::BadInput; where none was asked for,
  /// as many as fit, and a warning.
  std::size_t context_of(const model::Model& model) const;
  std::size_t chunk_of(const model::Config& config) const;
};

/// A text given as an argument, or - for all of stdin.
struct TextOption {
  std::optional<std::string> text;
  void add_to(CLI::App& command, const std::string& name, const std::string& what);
  bool given() const { return text.has_value(); }
  /// The bytes. io::BadInput where nothing was given, or they are not UTF-8.
  std::string read(std::string_view name) const;
};

/// A prompt: a text, or --ids.
struct PromptOption {
  TextOption text;
  std::optional<std::string> ids;
  void add_to(CLI::App& command);
  std::vector<std::uint32_t> read(const tokenizer::Tokenizer& tokenizer) const;
};

/// All of stdin, verbatim.
std::string read_stdin();

/// A model, its tokenizer and one empty sequence, with what it took to get there.
struct Loaded {
  model::Checkpoint checkpoint;
  tokenizer::Tokenizer tokenizer;
  std::unique_ptr<model::Model> model;
  std::unique_ptr<model::Sequence> sequence;
  std::size_t chunk;
  double load_s;
};
Loaded load(const ModelOption& model, const RunOptions& run);

}  // namespace lawful::cli
