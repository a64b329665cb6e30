#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "io/bad_input.hpp"
#include "io/printable.hpp"
#include "model/checkpoint/convert.hpp"
#include "model/sequence.hpp"

#include <array>
#include <memory>

namespace lawful::cli {
namespace {

struct Options {
  std::string in, out, to;
};

constexpr std::array<std::pair<std::string_view, kernels::Storage>, 4> storages{
    {{"f32", kernels::Storage::f32},
     {"bf16", kernels::Storage::bf16},
     {"f16", kernels::Storage::f16},
     {"q8_0", kernels::Storage::q8_0}}};

kernels::Storage storage_named(const std::string& name) {
  for (const auto& [known, storage] : storages)
    if (name == known) return storage;
  io::reject("--to", "f32, bf16, f16 or q8_0", io::quoted(name));
}

void run(const Options& o) {
  const auto storage = storage_named(o.to);
  auto checkpoint = model::Checkpoint::open(o.in);
  DistinctFiles files;
  files.reads(checkpoint);
  files.writes("OUT", o.out);
  warn(checkpoint.warnings());
  model::Model::load(checkpoint);  // refuses what is not one of the models before anything is written
  Progress progress("writing");
  model::convert(checkpoint, o.out, storage, [&](std::uint64_t done, std::uint64_t all) {
    check_interrupt();
    progress.show(done, all);
  });
}

}  // namespace

void add_convert(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = *app.add_subcommand("convert", "Write a model in another format or storage");
  command.add_option("IN", o->in, "GGUF file, safetensors file or Hugging Face folder")->type_name("FILE")->required();
  command.add_option("OUT", o->out, "NAME.gguf, or a new folder for config.json, tokenizer.json, model.safetensors")
      ->type_name("FILE")->required();
  command.add_option("--to", o->to, "storage of the matrices: f32, bf16, f16, or q8_0 (GGUF only)")
      ->type_name("f32|bf16|f16|q8_0")->required();
  command.footer("Weights that are stored so already keep their bits; others are rounded once.\n"
                 "Example: lawful convert model.gguf smollm2-folder --to bf16");
  command.callback([o] { run(*o); });
}

}  // namespace lawful::cli
