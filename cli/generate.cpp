#include "cli/chat_option.hpp"
#include "cli/clock.hpp"
#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "cli/interrupt.hpp"
#include "cli/log_probabilities_json.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/sampling_options.hpp"
#include "cli/waiting.hpp"
#include "io/atomic_file.hpp"
#include "io/bad_input.hpp"
#include "io/utf8.hpp"
#include "kernels/isa.hpp"
#include "kernels/team.hpp"
#include "model/generate.hpp"
#include "model/log_probabilities.hpp"
#include "model/receipt.hpp"
#include "model/sampling_json.hpp"
#include "model/text_stream.hpp"

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <functional>
#include <memory>
#include <optional>

namespace lawful::cli {
namespace {

struct Options {
  ModelOption model;
  RunOptions run;
  PromptOption prompt;
  ChatOption chat;
  SamplingOptions sampling;
  std::string tokens = "256", receipt;
  std::optional<std::string> log_probabilities;
  bool as_chat = false, ignore_eos = false, json = false, speculate = false, no_speculate = false;
};

std::size_t peak_rss_bytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

/// What a run made, and the seconds that it took.
struct Result {
  std::vector<std::uint32_t> prompt;
  model::Sampling sampling;
  model::Generated made;
  std::string text;
  std::optional<nlohmann::ordered_json> log_probabilities;
  double prefill_s, decode_s;
  bool interrupted = false;
};

nlohmann::ordered_json as_json(const Loaded& m, const Result& r) {
  const auto rate = [](double count, double time) { return time > 0.0 ? count / time : 0.0; };
  const std::size_t decoded = r.made.ids.empty() ? 0 : r.made.ids.size() - 1;  // the first came out of the prefill
  nlohmann::ordered_json out{{"model", m.model->config().name},
                             {"prompt_ids", r.prompt},
                             {"ids", r.made.ids},
                             {"text", io::replace_invalid_utf8(r.text)},
                             {"stop", r.interrupted ? "interrupted" : model::name(r.made.stop)},
                             {"sampling", model::to_json(r.sampling)}};
  if (r.log_probabilities) out["logprobs"] = *r.log_probabilities;
  out["stats"] = {{"load_s", m.load_s},
                  {"prefill_tokens_per_s", rate(static_cast<double>(r.prompt.size()), r.prefill_s)},
                  {"decode_ms_per_token", decoded == 0 ? 0.0 : 1e3 * r.decode_s / static_cast<double>(decoded)},
                  {"guesses", r.made.guessed},
                  {"guesses_right", r.made.accepted},
                  {"threads", kernels::threads()},
                  {"isa", kernels::instruction_set()},
                  {"peak_rss_bytes", peak_rss_bytes()}};
  return out;
}

/// A receipt that is written step by step as the text is made. The file appears when the text is whole.
class ReceiptFile {
 public:
  ReceiptFile(const std::string& path, const Loaded& m, const std::vector<std::uint32_t>& prompt,
              const model::Limits& limits, const std::vector<std::string>& stops)
      : file_(path) {
    receipt_.model = m.model->config().name;
    const Waiting waiting("SHA-256 of the model");
    receipt_.files = model::file_digests(m.checkpoint);
    receipt_.prompt = prompt;
    receipt_.eos = limits.eos;
    receipt_.tokens = limits.tokens;
    receipt_.context = m.sequence->capacity();
    receipt_.sampling = limits.sampling;
    receipt_.stop_texts = stops;
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

model::Logits prefill(Loaded& m, const std::vector<std::uint32_t>& prompt) {
  Progress progress("prompt");
  return model::prefill(*m.sequence, prompt, m.chunk, [&](std::size_t done) {
    check_interrupt();
    progress.show(done, prompt.size());
  });
}

/// The prefill and the text behind it, with their times. Ctrl-C ends either where it is, as a stop text would.
void make(Loaded& m, const model::Limits& limits, Result& result, const std::function<void(std::uint32_t)>& seen) {
  const double begun = seconds();
  std::optional<model::Logits> logits;
  try {
    logits = prefill(m, result.prompt);
  } catch (const Interrupted&) {
    result.made.stop = model::Stop::stop;
    return;
  }
  const double prefilled = seconds();
  result.prefill_s = prefilled - begun;
  result.made = model::generate(*m.sequence, result.prompt, *std::move(logits), limits, seen);
  result.decode_s = seconds() - prefilled;
}

/// How many of the most probable ids --logprobs asks for.
std::optional<std::size_t> top_ids(const Options& o) {
  if (!o.log_probabilities) return std::nullopt;
  if (!o.json) io::reject("--logprobs", "--json beside it, which shows them", "none");
  return whole_number("--logprobs", *o.log_probabilities, 0, 1000);
}

/// --chat: the prompt as the first message of a conversation, up to where the answer begins; ends with the template's
/// own end too.
std::vector<std::uint32_t> chat_prompt(const Options& o, const Loaded& m, std::vector<std::uint32_t>& eos) {
  const model::ChatTemplate form(m.checkpoint, m.tokenizer, o.chat.form);
  std::vector<model::Message> messages;
  if (o.chat.system) messages.push_back({model::Role::system, *o.chat.system});
  messages.push_back({model::Role::user, o.prompt.text.read("message")});
  if (messages.back().content.empty()) io::reject("message", "a text of at least one character", "an empty one");
  if (!o.ignore_eos) eos.push_back(form.end());
  return form.encode(messages, true);
}

void refuse_contradictions(const Options& o) {
  if (o.as_chat && o.prompt.ids) io::reject("--chat", "a message", "--ids");
  if (!o.as_chat && o.chat.system) io::reject("--system", "--chat beside it", "none");
  if (!o.as_chat && o.chat.form) io::reject("--template", "--chat beside it", "none");
}

void run(const Options& o) {
  refuse_contradictions(o);
  const auto limit = whole_number("-n", o.tokens, 0, std::numeric_limits<std::int32_t>::max());
  const auto top = top_ids(o);
  model::Limits limits{limit, {}, o.speculate      ? model::Guessing::always
                                  : o.no_speculate ? model::Guessing::never
                                                   : model::Guessing::where_it_pays};
  limits.sampling = o.sampling.read({});
  model::StopText stops(o.sampling.stops);  // refused before the model is loaded
  Loaded m = load(o.model, o.run);
  DistinctFiles files;
  files.reads(m.checkpoint);
  files.writes("--receipt", o.receipt);
  if (!o.ignore_eos) limits.eos = m.checkpoint.eos();
  Result result{o.as_chat ? chat_prompt(o, m, limits.eos) : o.prompt.read(m.tokenizer), limits.sampling, {}, {}, {}, 0.0, 0.0};
  model::TextStream text(m.tokenizer, o.sampling.stops);
  const auto show = [&](const std::string& piece) { o.json ? void(result.text += piece) : print(piece); };
  std::optional<ReceiptFile> receipt;
  if (!o.receipt.empty()) receipt.emplace(o.receipt, m, result.prompt, limits, o.sampling.stops);
  if (top) result.log_probabilities = nlohmann::ordered_json::array();
  if (receipt || top)
    limits.chosen_from = [&](std::span<const float> row, std::uint32_t id) {
      if (receipt) receipt->add(row);
      if (top) result.log_probabilities->push_back(cli::as_json(model::log_probabilities(row, id, *top), m.tokenizer));
    };
  limits.stopped = [&] { return text.stopped() || interrupt_came(); };
  make(m, limits, result, [&](std::uint32_t id) { show(text.push(id)); });
  result.interrupted = interrupt_came() && result.made.stop == model::Stop::stop && !text.stopped();
  if (!o.json && result.interrupted) check_interrupt();
  show(text.finish());
  if (receipt && !result.interrupted) receipt->commit(result.made);
  print(o.json ? as_json(m, result).dump() + "\n" : "\n");
  if (result.interrupted) check_interrupt();
}

}  // namespace

void add_generate(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = *app.add_subcommand("generate", "Continue a text; the completion streams to stdout");
  o->prompt.add_to(command);
  command.add_option("-n,--tokens", o->tokens, "at most N new tokens (default 256)")->type_name("N");
  command.add_flag("--chat", o->as_chat, "the text is a message to an instruct model, and its answer is printed");
  o->chat.add_to(command);
  o->sampling.add_to(command);
  command.add_flag("--ignore-eos", o->ignore_eos, "go on past the ids that end a text");
  auto* speculate = command.add_flag("--speculate", o->speculate,
                                     "verify guesses from the text so far, several at a time (default: where it pays)");
  command.add_flag("--no-speculate", o->no_speculate, "never guess; the ids are the same")->excludes(speculate);
  command.add_option("--receipt", o->receipt, "write what `lawful verify` checks to this file: a digest for each step")
      ->type_name("FILE");
  command.add_option_function<std::string>(
      "--logprobs", [o](const std::string& value) { o->log_probabilities = value; },
      "with --json: ln of the probability of each id and of the N most probable ones");
  command.add_flag("--json", o->json, "print one JSON object: ids, text, why it stopped, times");
  o->model.add_to(command);
  o->run.add_to(command);
  command.footer("Example: lawful generate -n 32 \"The capital of France is\"\n"
                 "         lawful generate --temperature 0.8 --top-p 0.95 --seed 7 --stop \".\" \"Once upon a time\"");
  command.callback([o] { run(*o); });
}

}  // namespace lawful::cli
