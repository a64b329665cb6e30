#include "cli/append_all.hpp"
#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "io/atomic_file.hpp"
#include "model/tensor_file.hpp"
#include "viewer/page.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace lawful::cli {
namespace {

struct Options {
  ModelOption model;
  RunOptions run;
  PromptOption prompt;
  std::string out, html, layers;
};

std::set<std::size_t> layer_set(const std::string& text, const model::Config& config) {
  std::set<std::size_t> out;
  if (text.empty())
    for (std::size_t l = 0; l < config.layers; ++l) out.insert(l);
  else
    for (const auto l : id_list("--layers", text)) {
      if (l >= config.layers)
        io::reject("--layers", fmt::format("layers from 0 to {}", config.layers - 1), fmt::to_string(l));
      out.insert(l);
    }
  return out;
}

/// The values of some layers, kept until all are there: a file has each tensor in one piece.
class Tensors {
 public:
  explicit Tensors(std::set<std::size_t> layers) : layers_(std::move(layers)) {}

  void watch(std::size_t layer, std::string_view name, std::size_t width, std::span<const float> values) {
    if (!layers_.contains(layer)) return;
    const auto [at, fresh] = place_.try_emplace({layer, std::string(name)}, all_.size());
    if (fresh) all_.push_back({fmt::format("layer.{}.{}", layer, name), width, {}});
    auto& kept = all_[at->second].values;
    kept.insert(kept.end(), values.begin(), values.end());
  }
  void write(const std::string& path, std::size_t tokens) const {
    std::vector<model::TensorPlan> plan;
    for (const auto& tensor : all_) plan.push_back({tensor.name, tokens, tensor.width});
    model::TensorFile file(path, plan);
    for (const auto& tensor : all_) file.write(tensor.values);
    file.commit();
  }

 private:
  struct Tensor {
    std::string name;
    std::size_t width;
    std::vector<float> values;
  };
  std::set<std::size_t> layers_;
  std::vector<Tensor> all_;  // in the order in which they are made
  std::map<std::pair<std::size_t, std::string>, std::size_t> place_;
};

/// The page of a recorded text, in a file that is opened before anything is computed.
class Page {
 public:
  Page(const std::string& path, const Loaded& m, std::size_t tokens) : file_(path), model_(m), recorder(*m.model) {
    if (tokens > viewer::most_tokens)
      io::reject("--html", fmt::format("a prompt of at most {} tokens", viewer::most_tokens), fmt::to_string(tokens));
  }
  void commit() {
    Progress progress("layers");
    const auto trace = recorder.finish([&](std::size_t done, std::size_t all) {
      check_interrupt();
      progress.show(done, all);
    });
    file_.write(viewer::page(trace, model_.model->config(), model_.tokenizer));
    file_.commit();
  }

 private:
  io::AtomicFile file_;
  const Loaded& model_;

 public:
  viewer::Recorder recorder;
};

void run(const Options& o) {
  if (o.out.empty() && o.html.empty()) io::reject("trace", "-o FILE, --html FILE, or both", "neither");
  if (o.out.empty() && !o.layers.empty()) io::reject("--layers", "-o FILE too (a page shows all layers)", "--html alone");
  DistinctFiles files;
  files.writes("-o", o.out);
  files.writes("--html", o.html);
  Loaded m = load(o.model, o.run);
  files.reads(m.checkpoint);
  Tensors tensors(o.out.empty() ? std::set<std::size_t>() : layer_set(o.layers, m.model->config()));
  const auto ids = o.prompt.read(m.tokenizer);
  std::optional<Page> page;
  if (!o.html.empty()) page.emplace(o.html, m, ids.size());
  const model::Watcher watcher = [&](std::size_t layer, std::string_view name, std::size_t, std::size_t width,
                                     std::span<const float> values) {
    tensors.watch(layer, name, width, values);
    if (page) page->recorder.watch(layer, name, values);
  };
  append_all(m, ids, page.has_value(), watcher, [&](const model::Logits& piece, std::span<const std::uint32_t> of) {
    if (page) page->recorder.add(piece, of);
  });
  if (!o.out.empty()) tensors.write(o.out, ids.size());
  if (page) page->commit();
}

}  // namespace

void add_trace(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = *app.add_subcommand("trace", "Intermediate values, as tensors (-o) or as a page to look at (--html)");
  o->prompt.add_to(command);
  command.add_option("-o,--output", o->out, "the safetensors file to write: \"layer.L.NAME\", F32 [tokens, width]")
      ->type_name("FILE");
  command.add_option("--html", o->html,
                     fmt::format("the page to write, for at most {} tokens: next tokens, logit lens, attention, norms",
                                 viewer::most_tokens))
      ->type_name("FILE");
  command.add_option("--layers", o->layers, "the layers of -o, as 0,15 (default: all)")->type_name("L,L,…");
  o->model.add_to(command);
  o->run.add_to(command);
  command.footer(
      "Names: n1 first norm; q, k, v projections; qr, kr after RoPE; attn attention before o_proj;\n"
      "a after the first residual; n2 second norm; m silu(gate)*up; y after the second residual.\n"
      "Examples: lawful trace --html trace.html \"The capital of France is\"\n"
      "          lawful trace --layers 0,15 -o trace.safetensors \"Hello\"");
  command.callback([o] { run(*o); });
}

}  // namespace lawful::cli
