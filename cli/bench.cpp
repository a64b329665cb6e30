#include "cli/clock.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "io/bad_input.hpp"
#include "kernels/isa.hpp"
#include "kernels/limits.hpp"
#include "kernels/team.hpp"
#include "model/generate.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace lawful::cli {
namespace {

struct Options {
  ModelOption model;
  RunOptions run;
  std::string prompt = "256", tokens = "64";
  bool json = false;
};

struct Figures {
  double prefill_s = 0.0, decode_s = 0.0;       // of one prompt, of one token
  double bandwidth = 0.0, flops = 0.0;          // the machine's limits
  std::size_t prompt = 0;
  double token_bytes = 0.0, token_flops = 0.0;  // read and computed for one token
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Bytes of weights that one token reads, and multiply-adds of its matrices times two.
void count_work(const Loaded& m, Figures& f) {
  const std::string embedding = "model.embed_tokens.weight";
  const bool own_head = m.checkpoint.find("lm_head.weight") != nullptr;
  for (const auto& tensor : m.checkpoint.tensors()) {
    if (own_head && tensor.name == embedding) continue;
    f.token_bytes += static_cast<double>(tensor.byte_count);
    if (tensor.shape.size() == 2 && tensor.name != embedding && tensor.name != "lm_head.weight")
      f.token_flops += 2.0 * static_cast<double>(tensor.value_count());
  }
}

Figures measure(Loaded& m, std::size_t prompt, std::size_t tokens) {
  Figures f;
  f.prompt = prompt;
  count_work(m, f);
  std::vector<std::uint32_t> ids(prompt);
  for (std::size_t i = 0; i < prompt; ++i) ids[i] = static_cast<std::uint32_t>(100 + 37 * i % 40000 % m.model->config().vocab);
  std::vector<double> prefill, decode, bandwidth, flops;
  Progress progress("measuring");
  for (std::size_t round = 0; round < 5; ++round) {
    m.sequence->truncate(0);
    double begun = seconds();
    auto logits = model::prefill(*m.sequence, ids, m.chunk, [](std::size_t) { check_interrupt(); });
    prefill.push_back(seconds() - begun);
    for (std::size_t i = 0; i < tokens; ++i) {
      begun = seconds();
      const std::uint32_t id = model::argmax(logits.row(0));
      logits = m.sequence->append(std::span(&id, 1), 1);
      decode.push_back(seconds() - begun);
      check_interrupt();
    }
    bandwidth.push_back(kernels::measure_read_bandwidth(std::size_t{256} << 20));
    flops.push_back(kernels::measure_fma_rate(0.2));
    progress.show(round + 1, 5);
  }
  f.prefill_s = median(prefill);
  f.decode_s = median(decode);
  f.bandwidth = *std::ranges::max_element(bandwidth);
  f.flops = *std::ranges::max_element(flops);
  return f;
}

void run(const Options& o) {
  const auto prompt = whole_number("--prompt", o.prompt, 1, 4096), tokens = whole_number("-n", o.tokens, 1, 2048);
  Loaded m = load(o.model, o.run);
  if (prompt + tokens > m.sequence->capacity())
    io::reject("--prompt and -n", fmt::format("at most {} in all, the context's positions", m.sequence->capacity()),
               fmt::to_string(prompt + tokens));
  const Figures f = measure(m, prompt, tokens);
  const double decode = 1.0 / f.decode_s, prefill = static_cast<double>(f.prompt) / f.prefill_s;
  const double read = f.token_bytes * decode, computed = f.token_flops * prefill;
  if (o.json) {
    print(nlohmann::ordered_json{{"model", m.model->config().name},
                                 {"threads", kernels::threads()},
                                 {"isa", kernels::instruction_set()},
                                 {"decode_tokens_per_s", decode},
                                 {"decode_bytes_per_s", read},
                                 {"read_bandwidth", f.bandwidth},
                                 {"prefill_tokens", f.prompt},
                                 {"prefill_tokens_per_s", prefill},
                                 {"prefill_flops", computed},
                                 {"fma_flops", f.flops}}
              .dump() +
          "\n");
    return;
  }
  print(fmt::format("{}, {} threads, {}\n", m.model->config().name, kernels::threads(), kernels::instruction_set()));
  print(fmt::format("decode   {:8.1f} tokens/s   {:6.1f} GB/s of weights: {:3.0f} % of the {:.1f} GB/s that memory gives\n",
                    decode, read / 1e9, 100.0 * read / f.bandwidth, f.bandwidth / 1e9));
  print(fmt::format("prefill  {:8.1f} tokens/s   {:6.1f} GFLOP/s in matrices: {:3.0f} % of the {:.1f} GFLOP/s of the FMA units "
                    "({} tokens)\n",
                    prefill, computed / 1e9, 100.0 * computed / f.flops, f.flops / 1e9, f.prompt));
}

}  // namespace

void add_bench(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = *app.add_subcommand("bench", "Decode and prefill on this machine, beside the machine's limits");
  command.add_option("--prompt", o->prompt, "tokens of the prompt (default 256)")->type_name("N");
  command.add_option("-n,--tokens", o->tokens, "tokens decoded a round, of five (default 64)")->type_name("N");
  command.add_flag("--json", o->json, "print one JSON object");
  o->model.add_to(command);
  o->run.add_to(command);
  command.footer("Examples: lawful bench\n"
                 "          lawful bench --threads 1 --json");
  command.callback([o] { run(*o); });
}

}  // namespace lawful::cli
