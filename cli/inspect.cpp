#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "io/bad_input.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace lawful::cli {
namespace {

struct Options {
  std::string model;
  bool json = false;
};

struct Report {
  const model::Checkpoint& checkpoint;
  const model::Model& model;
  std::size_t values, bytes, tied_values;

  bool layout_holds() const { return values == model.layout_values() + tied_values; }
};

Report report_on(const model::Checkpoint& checkpoint, const model::Model& model) {
  std::size_t values = 0, bytes = 0, head = 0;
  for (const auto& tensor : checkpoint.tensors()) {
    values += tensor.value_count();
    bytes += tensor.byte_count;
    if (tensor.name == "lm_head.weight") head = tensor.value_count();
  }
  return {checkpoint, model, values, bytes, head};
}

void print_text(const Report& r) {
  const auto& c = r.model.config();
  print(fmt::format("{}\n  format      {}\n  config      {}: {} layers, width {}, {} heads of {} over {} KV heads, MLP {}\n"
                    "              vocabulary {}, context {}, theta {}, eps {}\n",
                    r.checkpoint.path(), r.checkpoint.format(), c.name, c.layers, c.dim(), c.heads(), c.head(),
                    c.kv_heads, c.ffn, c.vocab, c.context, c.theta, c.eps));
  print(fmt::format("  layout law  {} values in the types, {} in the file{}: {}\n", r.model.layout_values(), r.values,
                    r.tied_values == 0 ? "" : " (with an output matrix of its own)",
                    r.layout_holds() ? "holds" : "BROKEN"));
  print(fmt::format("  weights     {} tensors, {} bytes\n  ends at     ids {}\n\n", r.checkpoint.tensors().size(), r.bytes,
                    fmt::join(r.checkpoint.eos(), ", ")));
  for (const auto& tensor : r.checkpoint.tensors())
    print(fmt::format("  {:<50} {:<6} [{}]\n", tensor.name, kernels::block_shape(tensor.storage).name,
                      fmt::join(tensor.shape, ", ")));
}

void print_json(const Report& r) {
  const auto& c = r.model.config();
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const auto& tensor : r.checkpoint.tensors())
    tensors.push_back({{"name", tensor.name},
                       {"storage", kernels::block_shape(tensor.storage).name},
                       {"shape", tensor.shape},
                       {"bytes", tensor.byte_count}});
  print(nlohmann::ordered_json{
            {"path", r.checkpoint.path()},
            {"format", r.checkpoint.format()},
            {"config",
             {{"name", c.name}, {"layers", c.layers}, {"dim", c.dim()}, {"heads", c.heads()}, {"kv_heads", c.kv_heads},
              {"head", c.head()}, {"ffn", c.ffn}, {"vocab", c.vocab}, {"context", c.context}, {"theta", c.theta},
              {"eps", c.eps}}},
            {"layout", {{"types", r.model.layout_values()}, {"file", r.values}, {"holds", r.layout_holds()}}},
            {"eos", r.checkpoint.eos()},
            {"tensors", tensors}}
            .dump(2) +
        "\n");
}

void run(const Options& o) {
  auto checkpoint = model::Checkpoint::open(o.model);
  const auto model = model::Model::load(checkpoint);
  const Report report = report_on(checkpoint, *model);
  o.json ? print_json(report) : print_text(report);
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = *app.add_subcommand("inspect", "What a model file holds: config, layout law, tensors");
  command.add_option("MODEL", o->model, "GGUF file, safetensors file or Hugging Face folder")->required();
  command.add_flag("--json", o->json, "print one JSON object");
  command.footer("Example: lawful inspect model.gguf");
  command.callback([o] { run(*o); });
}

}  // namespace lawful::cli
