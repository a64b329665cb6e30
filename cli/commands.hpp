// The commands of the program. Each adds its options to the parser; `run` is called once they are parsed.
#pragma once
#include <CLI/CLI.hpp>

namespace lawful::cli {

void add_generate(CLI::App& app);
void add_chat(CLI::App& app);
void add_tokenize(CLI::App& app);
void add_detokenize(CLI::App& app);
void add_logits(CLI::App& app);
void add_trace(CLI::App& app);
void add_inspect(CLI::App& app);
void add_convert(CLI::App& app);
void add_verify(CLI::App& app);
void add_batch(CLI::App& app);
void add_laws(CLI::App& app);
void add_bench(CLI::App& app);
void add_completion(CLI::App& app);

}  // namespace lawful::cli
