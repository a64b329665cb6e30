#include "cli/append_all.hpp"
#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "model/tensor_file.hpp"

#include <memory>

namespace lawful::cli {
namespace {

struct Options {
  ModelOption model;
  RunOptions run;
  PromptOption prompt;
  std::string out;
};

void run(const Options& o) {
  Loaded m = load(o.model, o.run);
  DistinctFiles files;
  files.reads(m.checkpoint);
  files.writes("-o", o.out);
  const auto ids = o.prompt.read(m.tokenizer);
  model::TensorFile file(o.out, {{"logits", ids.size(), m.model->config().vocab}});
  append_all(m, ids, true, {}, [&](const model::Logits& piece, auto) {
    for (std::size_t i = 0; i < piece.rows(); ++i) file.write(piece.row(i));
  });
  file.commit();
}

}  // namespace

void add_logits(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = *app.add_subcommand("logits", "Logits of every position: \"logits\", F32 [tokens, vocab]");
  o->prompt.add_to(command);
  command.add_option("-o,--output", o->out, "the safetensors file to write")->type_name("FILE")->required();
  o->model.add_to(command);
  o->run.add_to(command);
  command.footer("Examples: lawful logits \"The capital of France is\" -o logits.safetensors\n"
                 "          lawful logits --ids 504,3575,282 -o logits.safetensors");
  command.callback([o] { run(*o); });
}

}  // namespace lawful::cli
