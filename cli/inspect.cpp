#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "io/bad_input.hpp"
#include "io/printable.hpp"
#include "model/checkpoint/inspect.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace lawful::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string model;
  bool json = false;
};

struct FileReport {
  std::string path, sha256;
  std::size_t bytes;
};

struct TokenizerReport {
  std::size_t tokens, controls, merges;
};

struct Report {
  const model::Checkpoint& checkpoint;
  const model::Model& model;
  std::size_t values = 0, bytes = 0, head_values = 0;
  std::vector<model::TensorFigures> figures;  // one for each tensor
  std::vector<FileReport> files;
  std::optional<TokenizerReport> tokenizer;

  bool layout_holds() const { return values == model.layout_values() + head_values; }
};

void add_tensors(Report& r) {
  Progress progress("tensors");
  const auto& tensors = r.checkpoint.tensors();
  for (const auto& tensor : tensors) {
    r.values += tensor.value_count();
    r.bytes += tensor.byte_count;
    if (tensor.name == "lm_head.weight") r.head_values = tensor.value_count();
    r.figures.push_back(model::figures(tensor));
    check_interrupt();
    progress.show(r.figures.size(), tensors.size());
  }
}

void add_files(Report& r) {
  for (const auto& file : r.checkpoint.files()) {
    Progress progress("SHA-256");
    const auto step = [&](std::uint64_t done, std::uint64_t all) {
      check_interrupt();
      progress.show(done, all);
    };
    r.files.push_back({file.path(), model::sha256_of(file, step), file.bytes().size()});
  }
}

void add_tokenizer(Report& r) {
  if (!r.checkpoint.has_tokenizer()) return;
  const auto tokenizer = r.checkpoint.tokenizer();
  const auto& vocabulary = tokenizer.vocabulary();
  std::size_t controls = 0;
  for (tokenizer::Id id = 0; id < vocabulary.size(); ++id)
    controls += vocabulary.kind(id) == tokenizer::TokenKind::control ? 1 : 0;
  r.tokenizer = {vocabulary.size(), controls, vocabulary.merges().size()};
}

void print_text(const Report& r) {
  const auto& c = r.model.config();
  print(fmt::format("{}\n  format      {}\n"
                    "  config      {}: {} layers, width {}, {} heads of {} over {} KV heads, MLP {}\n"
                    "              vocabulary {}, context {}, theta {}, eps {}, {} output matrix\n",
                    io::printable(r.checkpoint.path(), 4096), r.checkpoint.format(), c.name, c.layers, c.dim(),
                    c.heads(), c.head(), c.kv_heads, c.ffn, c.vocab, c.context, c.theta, c.eps,
                    r.checkpoint.shape().tied ? "tied" : "untied"));
  print(fmt::format("  layout law  {} values in the types, {} in the file{}: {}\n", r.model.layout_values(), r.values,
                    r.head_values == 0 ? "" : " (with an output matrix of its own)",
                    r.layout_holds() ? "holds" : "BROKEN"));
  print(fmt::format("  weights     {} tensors, {} bytes\n", r.checkpoint.tensors().size(), r.bytes));
  print(r.tokenizer ? fmt::format("  tokenizer   {} tokens, {} of them control, {} merges\n", r.tokenizer->tokens,
                                  r.tokenizer->controls, r.tokenizer->merges)
                    : "  tokenizer   none\n");
  print(fmt::format("  ends at     ids {}\n  chat        {}\n", fmt::join(r.checkpoint.eos(), ", "),
                    r.checkpoint.chat_template() ? "has a template" : "no template"));
  for (const auto& file : r.files)
    print(fmt::format("  SHA-256     {}  {} ({} bytes)\n", file.sha256, io::printable(file.path, 4096), file.bytes));
  print(fmt::format("\n  {:<49} {:<24} {:<5} {:<13} {:>10} {:>11} {:>11} {:>11} {:>4} {:>4}\n", "tensor", "role",
                    "type", "shape", "bytes", "least", "largest", "mean", "NaN", "Inf"));
  for (std::size_t i = 0; i < r.figures.size(); ++i) {
    const auto& tensor = r.checkpoint.tensors()[i];
    const auto& f = r.figures[i];
    print(fmt::format("  {:<49} {:<24} {:<5} {:<13} {:>10} {:>11.4g} {:>11.4g} {:>11.4g} {:>4} {:>4}\n", tensor.name,
                      model::role(tensor.name), kernels::block_shape(tensor.storage).name,
                      fmt::format("[{}]", fmt::join(tensor.shape, ", ")), tensor.byte_count, f.least, f.largest, f.mean,
                      f.nan, f.infinite));
  }
}

Json tensors_json(const Report& r) {
  Json tensors = Json::array();
  for (std::size_t i = 0; i < r.figures.size(); ++i) {
    const auto& tensor = r.checkpoint.tensors()[i];
    const auto& f = r.figures[i];
    tensors.push_back({{"name", tensor.name},
                       {"role", model::role(tensor.name)},
                       {"storage", kernels::block_shape(tensor.storage).name},
                       {"shape", tensor.shape},
                       {"bytes", tensor.byte_count},
                       {"min", f.least},
                       {"max", f.largest},
                       {"mean", f.mean},
                       {"nan", f.nan},
                       {"inf", f.infinite}});
  }
  return tensors;
}

void print_json(const Report& r) {
  const auto& c = r.model.config();
  Json files = Json::array(), tokenizer = nullptr;
  for (const auto& file : r.files)
    files.push_back({{"path", io::printable(file.path, 4096)}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  if (r.tokenizer)
    tokenizer = {{"tokens", r.tokenizer->tokens}, {"control", r.tokenizer->controls}, {"merges", r.tokenizer->merges}};
  print(Json{{"path", io::printable(r.checkpoint.path(), 4096)},
             {"format", r.checkpoint.format()},
             {"config",
              {{"name", c.name}, {"layers", c.layers}, {"dim", c.dim()}, {"heads", c.heads()}, {"kv_heads", c.kv_heads},
               {"head", c.head()}, {"ffn", c.ffn}, {"vocab", c.vocab}, {"context", c.context}, {"theta", c.theta},
               {"eps", c.eps}, {"tied", r.checkpoint.shape().tied}}},
             {"layout", {{"types", r.model.layout_values()}, {"file", r.values}, {"holds", r.layout_holds()}}},
             {"tokenizer", tokenizer},
             {"eos", r.checkpoint.eos()},
             {"chat_template", r.checkpoint.chat_template().has_value()},
             {"files", files},
             {"tensors", tensors_json(r)}}
            .dump(2) +
        "\n");
}

void run(const Options& o) {
  auto checkpoint = model::Checkpoint::open(o.model);
  warn(checkpoint.warnings());
  const auto model = model::Model::load(checkpoint);
  Report report{checkpoint, *model, 0, 0, 0, {}, {}, {}};
  add_tokenizer(report);
  add_tensors(report);
  add_files(report);
  checkpoint.require_unchanged();
  o.json ? print_json(report) : print_text(report);
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command =
      *app.add_subcommand("inspect", "What a model file holds: config, layout law, tokenizer, tensors, digest");
  command.add_option("MODEL", o->model, "GGUF file, safetensors file or Hugging Face folder")->type_name("FILE")->required();
  command.add_flag("--json", o->json, "print one JSON object");
  command.footer("least, largest and mean are of the finite values.\nExample: lawful inspect model.gguf");
  command.callback([o] { run(*o); });
}

}  // namespace lawful::cli
