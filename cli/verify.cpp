#include "cli/clock.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/waiting.hpp"
#include "io/bad_input.hpp"
#include "io/mapped_file.hpp"
#include "model/receipt.hpp"

#include <fmt/format.h>

#include <memory>

namespace lawful::cli {
namespace {

struct Options {
  ModelOption model;
  RunOptions run;
  std::string receipt;
};

void run(const Options& o) {
  const io::MappedFile file(o.receipt, io::Access::copied);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  const auto receipt = model::read_receipt(text, o.receipt);
  Loaded m = load(o.model, o.run);
  if (receipt.context > m.sequence->capacity())
    io::reject(o.receipt + ": context", fmt::format("at most {} positions", m.sequence->capacity()),
               fmt::to_string(receipt.context));
  model::require_stop_text(receipt, m.tokenizer);
  const auto digests = [&] {
    const Waiting waiting("SHA-256 of the model");
    return model::file_digests(m.checkpoint);
  }();
  Progress progress("receipt");
  const std::size_t total = receipt.prompt.size() + receipt.ids.size();
  model::verify(receipt, m.model->config(), digests, *m.sequence, m.chunk,
                [&](std::size_t done) {
                  check_interrupt();
                  progress.show(done, total);
                });
  print(fmt::format("{} steps, each with the same bits\n", receipt.steps.size()));
}

}  // namespace

void add_verify(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = *app.add_subcommand("verify", "Compute a receipt's text again and compare the bits of every step");
  command.add_option("RECEIPT", o->receipt, "the file that `lawful generate --receipt` wrote")->type_name("FILE")->required();
  o->model.add_to(command);
  o->run.add_to(command);
  command.footer("A step that differs is an error that names it.\n"
                 "Example: lawful generate --receipt r.json \"Hello\" && lawful verify --isa avx2 -t 1 r.json");
  command.callback([o] { run(*o); });
}

}  // namespace lawful::cli
