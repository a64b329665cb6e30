#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "io/bad_input.hpp"
#include "model/tensor_file.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace lawful::cli {
namespace {

struct Options {
  ModelOption model;
  RunOptions run;
  PromptOption prompt;
  std::string out, layers;
};

/// Appends the prompt in pieces; each(logits) sees every piece's logits.
template <class Each>
void append_all(Loaded& m, std::span<const std::uint32_t> ids, bool logits, const model::Watcher& watcher, Each each) {
  if (ids.size() > m.sequence->left())
    io::reject("prompt", fmt::format("at most {} tokens, the context's positions", m.sequence->left()),
               fmt::to_string(ids.size()));
  Progress progress("prompt");
  for (std::size_t done = 0; done < ids.size();) {
    const auto piece = ids.subspan(done, std::min(m.chunk, ids.size() - done));
    each(m.sequence->append(piece, logits ? piece.size() : 0, watcher));
    done += piece.size();
    check_interrupt();
    progress.show(done, ids.size());
  }
}

void logits(const Options& o) {
  Loaded m = load(o.model, o.run);
  const auto ids = o.prompt.read(m.tokenizer);
  model::TensorFile file(o.out, {{"logits", ids.size(), m.model->config().vocab}});
  append_all(m, ids, true, {}, [&](const model::Logits& piece) {
    for (std::size_t i = 0; i < piece.rows(); ++i) file.write(piece.row(i));
  });
  file.commit();
}

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

void trace(const Options& o) {
  Loaded m = load(o.model, o.run);
  const auto layers = layer_set(o.layers, m.model->config());
  const auto ids = o.prompt.read(m.tokenizer);
  struct Tensor {
    std::string name;
    std::size_t width;
    std::vector<float> values;
  };
  std::vector<Tensor> tensors;  // in the order in which they are made
  std::map<std::pair<std::size_t, std::string>, std::size_t> place;
  const model::Watcher watcher = [&](std::size_t layer, std::string_view name, std::size_t, std::size_t width,
                                     std::span<const float> values) {
    if (!layers.contains(layer)) return;
    const auto [at, fresh] = place.try_emplace({layer, std::string(name)}, tensors.size());
    if (fresh) tensors.push_back({fmt::format("layer.{}.{}", layer, name), width, {}});
    auto& all = tensors[at->second].values;
    all.insert(all.end(), values.begin(), values.end());
  };
  append_all(m, ids, false, watcher, [](const model::Logits&) {});
  std::vector<model::TensorPlan> plan;
  for (const auto& tensor : tensors) plan.push_back({tensor.name, ids.size(), tensor.width});
  model::TensorFile file(o.out, plan);
  for (const auto& tensor : tensors) file.write(tensor.values);
  file.commit();
}

CLI::App& add(CLI::App& app, const std::string& name, const std::string& what, const std::shared_ptr<Options>& o) {
  auto& command = *app.add_subcommand(name, what);
  o->prompt.add_to(command);
  command.add_option("-o,--output", o->out, "the safetensors file to write")->required();
  o->model.add_to(command);
  o->run.add_to(command);
  return command;
}

}  // namespace

void add_logits(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = add(app, "logits", "Logits of every position: \"logits\", F32 [tokens, vocab]", o);
  command.footer("Example: lawful logits --ids 504,3575,282 -o logits.safetensors");
  command.callback([o] { logits(*o); });
}

void add_trace(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = add(app, "trace", "Intermediate values: \"layer.L.NAME\", F32 [tokens, width]", o);
  command.add_option("--layers", o->layers, "layers, as 0,15 (default: all)");
  command.footer(
      "Names: n1 first norm; q, k, v projections; qr, kr after RoPE; attn attention before o_proj;\n"
      "a after the first residual; n2 second norm; m silu(gate)*up; y after the second residual.\n"
      "Example: lawful trace --layers 0,15 -o trace.safetensors \"Hello\"");
  command.callback([o] { trace(*o); });
}

}  // namespace lawful::cli
