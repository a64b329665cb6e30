#include "cli/clock.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "io/atomic_file.hpp"
#include "io/utf8.hpp"
#include "kernels/isa.hpp"
#include "kernels/team.hpp"
#include "model/generate.hpp"
#include "model/receipt.hpp"
#include "tokenizer/detokenizer.hpp"

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <memory>
#include <optional>

namespace lawful::cli {
namespace {

struct Options {
  ModelOption model;
  RunOptions run;
  PromptOption prompt;
  std::string tokens = "256", receipt;
  bool ignore_eos = false, json = false, speculate = false, no_speculate = false;
};

std::size_t peak_rss_bytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

nlohmann::ordered_json as_json(const Loaded& m, const std::vector<std::uint32_t>& prompt,
                               const model::Generated& made, double prefill_s, double decode_s) {
  const auto rate = [](double count, double time) { return time > 0.0 ? count / time : 0.0; };
  const std::size_t decoded = made.ids.empty() ? 0 : made.ids.size() - 1;  // the first one came out of the prefill
  return {{"model", m.model->config().name},
          {"prompt_ids", prompt},
          {"ids", made.ids},
          {"text", io::replace_invalid_utf8(m.tokenizer.decode(made.ids))},
          {"stop", model::name(made.stop)},
          {"stats",
           {{"load_s", m.load_s},
            {"prefill_tokens_per_s", rate(static_cast<double>(prompt.size()), prefill_s)},
            {"decode_ms_per_token", decoded == 0 ? 0.0 : 1e3 * decode_s / static_cast<double>(decoded)},
            {"guesses", made.guessed},
            {"guesses_right", made.accepted},
            {"threads", kernels::threads()},
            {"isa", kernels::instruction_set()},
            {"peak_rss_bytes", peak_rss_bytes()}}}};
}

/// A receipt that is written step by step as the text is made. The file appears when the text is whole.
class ReceiptFile {
 public:
  ReceiptFile(const std::string& path, const Loaded& m, const std::vector<std::uint32_t>& prompt,
              const model::Limits& limits)
      : file_(path) {
    receipt_.model = m.model->config().name;
    receipt_.files = model::file_digests(m.checkpoint);
    receipt_.prompt = prompt;
    receipt_.eos = limits.eos;
    receipt_.tokens = limits.tokens;
    receipt_.context = m.sequence->capacity();
    chain_.emplace(receipt_);
  }
  void add(std::span<const float> logits) { receipt_.steps.push_back(chain_->add(logits)); }
  void commit(const model::Generated& made) {
    receipt_.ids = made.ids;
    receipt_.stop = model::name(made.stop);
    file_.write(model::to_json(receipt_));
    file_.commit();
  }

 private:
  io::AtomicFile file_;
  model::Receipt receipt_;
  std::optional<model::ReceiptChain> chain_;
};

void run(const Options& o) {
  const auto limit = whole_number("-n", o.tokens, 0, std::numeric_limits<std::int32_t>::max());
  Loaded m = load(o.model, o.run);
  const auto prompt = o.prompt.read(m.tokenizer);
  const double begun = seconds();
  model::Logits logits = [&] {
    Progress progress("prompt");
    return model::prefill(*m.sequence, prompt, m.chunk, [&](std::size_t done) {
      check_interrupt();
      progress.show(done, prompt.size());
    });
  }();
  const double prefilled = seconds();
  tokenizer::Detokenizer text(m.tokenizer);
  model::Limits limits{limit, o.ignore_eos ? std::vector<std::uint32_t>() : m.checkpoint.eos(),
                             o.speculate      ? model::Guessing::always
                             : o.no_speculate ? model::Guessing::never
                                              : model::Guessing::where_it_pays};
  std::optional<ReceiptFile> receipt;
  if (!o.receipt.empty()) {
    receipt.emplace(o.receipt, m, prompt, limits);
    limits.chosen_from = [&](std::span<const float> row) { receipt->add(row); };
  }
  const auto made = model::generate(*m.sequence, prompt, std::move(logits), limits, [&](std::uint32_t id) {
    if (!o.json) print(text.push(id));
    check_interrupt();
  });
  const double decoded = seconds();
  if (receipt) receipt->commit(made);
  if (o.json)
    print(as_json(m, prompt, made, prefilled - begun, decoded - prefilled).dump() + "\n");
  else
    print(std::string(text.finish()) + "\n");
}

}  // namespace

void add_generate(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = *app.add_subcommand("generate", "Continue a text; the completion streams to stdout");
  o->prompt.add_to(command);
  command.add_option("-n,--tokens", o->tokens, "at most N new tokens (default 256)");
  command.add_flag("--ignore-eos", o->ignore_eos, "go on past the ids that end a text");
  auto* speculate = command.add_flag("--speculate", o->speculate,
                                     "verify guesses from the text so far, several at a time (default: where it pays)");
  command.add_flag("--no-speculate", o->no_speculate, "never guess; the ids are the same")->excludes(speculate);
  command.add_option("--receipt", o->receipt, "write what `lawful verify` checks to this file: a digest for each step");
  command.add_flag("--json", o->json, "print one JSON object: ids, text, why it stopped, times");
  o->model.add_to(command);
  o->run.add_to(command);
  command.footer("Example: lawful generate -n 32 \"The capital of France is\"");
  command.callback([o] { run(*o); });
}

}  // namespace lawful::cli
