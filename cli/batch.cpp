#include "cli/batch_lines.hpp"
#include "cli/batch_output.hpp"
#include "cli/batch_progress.hpp"
#include "cli/batch_request.hpp"
#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/log_probabilities_json.hpp"
#include "cli/sampling_options.hpp"
#include "io/available_memory.hpp"
#include "io/bad_input.hpp"
#include "io/mapped_file.hpp"
#include "io/sha256.hpp"
#include "io/utf8.hpp"
#include "model/batch.hpp"
#include "model/log_probabilities.hpp"
#include "model/receipt.hpp"
#include "model/sampling_json.hpp"
#include "model/text_stream.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>

namespace lawful::cli {
namespace {

struct Options {
  ModelOption model;
  RunOptions run;
  SamplingOptions sampling;
  std::optional<std::string> form;
  std::string input, output, parallel, tokens = "256", shard = "1/1";
  bool ignore_eos = false;

  BatchDefaults defaults() const {
    const model::StopText sound(sampling.stops);
    return {whole_number("--tokens", tokens, 0, std::numeric_limits<std::int32_t>::max()), ignore_eos, sampling.read({}),
            sampling.stops};
  }
};

std::string_view text_of(const io::MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

/// What the output depends on; how it is computed (threads, parallel, instruction set, pieces) is no part of that.
std::string made_of(const Options& o, const io::MappedFile& input, const Loaded& m, std::size_t context) {
  const BatchDefaults defaults = o.defaults();
  const nlohmann::ordered_json out{
      {"format", "lawful batch 1"},
      {"input", {{"sha256", io::hex(io::sha256(input.bytes()))}, {"bytes", input.bytes().size()}}},
      {"shard", o.shard},
      {"model", {{"name", m.model->config().name}, {"sha256", model::file_digests(m.checkpoint)}}},
      {"context", context},
      {"template", o.form ? nlohmann::ordered_json(*o.form) : nlohmann::ordered_json()},
      {"options",
       {{"tokens", defaults.tokens},
        {"ignore_eos", defaults.ignore_eos},
        {"sampling", model::to_json(defaults.sampling)},
        {"stop", defaults.stops}}}};
  return out.dump();
}

/// A line under way: its request, and what is made of it beside its ids.
struct UnderWay {
  UnderWay(BatchRequest line, const tokenizer::Tokenizer& tokenizer)
      : request(std::move(line)), stream(tokenizer, request.stops) {}
  BatchRequest request;
  model::TextStream stream;
  std::string text;
  nlohmann::ordered_json log_probabilities = nlohmann::ordered_json::array();
};

/// A batch on its way from lines to records.
class Run {
 public:
  Run(const Loaded& m, const Options& o, std::string_view input, model::Batch::Settings settings, BatchOutput& output)
      : m_(m), input_(input), shard_(shard_of(o.shard)), form_(form_of(m, o)), reader_(m.tokenizer, form_, o.defaults()),
        batch_(*m.model, settings), output_(output) {
    for (BatchLines lines(input_, shard_); lines.next();) ++total_;
  }

  std::size_t total() const { return total_; }

  void all() {
    BatchProgress progress(output_.records(), total_);
    BatchLines lines(input_, shard_);
    for (bool more = true; more || !batch_.empty();) {
      while (more && batch_.has_room()) {
        check_interrupt();
        const auto line = lines.next();
        more = line.has_value();
        if (more && !output_.has(line->number)) begin(*line);
      }
      for (const auto& result : batch_.step()) end(result);
      check_interrupt();
      progress.show(output_.records(), batch_.chosen());
    }
  }

 private:
  /// The template is asked for at once where it was chosen, else only by the lines that need one.
  static BatchForm form_of(const Loaded& m, const Options& o) {
    try {
      return {model::ChatTemplate(m.checkpoint, m.tokenizer, o.form), {}};
    } catch (const io::BadInput& error) {
      if (o.form) throw;
      return {{}, error.what()};
    }
  }

  void begin(const BatchLines::Line& line) {
    auto one = std::make_unique<UnderWay>(reader_.read(line.text, line.number), m_.tokenizer);
    if (one->request.error.empty()) {
      try {
        batch_.add(line.number, text_of(*one));
        under_way_.emplace(line.number, std::move(one));
        return;
      } catch (const io::BadInput& error) {
        one->request.error = fmt::format("line {}: {}", line.number, error.what());
      }
    }
    output_.add(line.number, refusal(one->request.id, one->request.error));
  }

  model::BatchText text_of(UnderWay& one) const {
    const BatchRequest& request = one.request;
    model::BatchText out{request.prompt, {request.tokens, {}}};
    if (!request.ignore_eos) out.limits.eos = m_.checkpoint.eos();
    if (!request.ignore_eos && request.is_conversation) out.limits.eos.push_back(form_.form->end());
    out.limits.sampling = request.sampling;
    out.limits.stopped = [&one] { return one.stream.stopped(); };
    if (request.log_probabilities)
      out.limits.chosen_from = [&one, this](std::span<const float> row, std::uint32_t id) {
        const auto step = model::log_probabilities(row, id, *one.request.log_probabilities);
        one.log_probabilities.push_back(as_json(step, m_.tokenizer));
      };
    out.seen = [&one](std::uint32_t id) { one.text += one.stream.push(id); };
    return out;
  }

  void end(const model::BatchResult& result) {
    const auto one = std::move(under_way_.extract(result.number).mapped());
    if (!result.failure.empty())
      return output_.add(result.number,
                         refusal(one->request.id, fmt::format("line {}: {}", result.number, result.failure)));
    one->text += one->stream.finish();
    nlohmann::ordered_json fields{{"ids", result.made.ids},
                                  {"text", io::replace_invalid_utf8(one->text)},
                                  {"stop", model::name(result.made.stop)}};
    if (one->request.sampling.temperature > 0.0) fields["seed"] = one->request.sampling.seed;
    if (one->request.log_probabilities) fields["logprobs"] = one->log_probabilities;
    output_.add(result.number, own(one->request.id) + inside(fields));
  }

  static std::string refusal(const std::string& id, const std::string& error) {
    return own(id) + inside({{"error", error}});
  }
  static std::string own(const std::string& id) { return id.empty() ? "" : fmt::format("\"id\":{},", id); }
  /// An object without its braces.
  static std::string inside(const nlohmann::ordered_json& object) {
    const std::string text = object.dump();
    return text.substr(1, text.size() - 2);
  }

  const Loaded& m_;
  std::string_view input_;
  Shard shard_;
  BatchForm form_;
  BatchReader reader_;
  std::map<std::size_t, std::unique_ptr<UnderWay>> under_way_;  // by line
  model::Batch batch_;
  BatchOutput& output_;
  std::size_t total_ = 0;
};

model::Batch::Settings settings_of(const Options& o, const Loaded& m, std::size_t context) {
  const std::size_t parallel = o.parallel.empty()
                                   ? model::default_parallel(*m.model, context, io::available_memory())
                                   : whole_number("--parallel", o.parallel, 1, 65536);
  return {parallel, context, m.chunk};
}

void run(const Options& o) {
  shard_of(o.shard), o.defaults();  // what is wrong with them is said before the model is read
  DistinctFiles files;
  files.reads("IN", o.input);
  for (const char* ending : {"", ".run", ".journal"}) files.writes("-o", o.output + ending);
  const io::MappedFile input(o.input);
  const Loaded m = load(o.model, o.run);
  files.reads(m.checkpoint);
  const std::size_t context = m.sequence->capacity();
  const auto settings = settings_of(o, m, context);
  BatchOutput output(o.output, made_of(o, input, m, context));
  if (output.is_whole()) return print(fmt::format("{} is whole already\n", o.output));
  Run batch(m, o, text_of(input), settings, output);
  try {
    batch.all();
  } catch (const Interrupted&) {
    tell_formatted("lawful: {} of {} requests are done; the same command goes on from there\n", output.records(),
                   batch.total());
    throw;
  }
  if (!input.unchanged()) throw io::Failure(o.input + ": was changed meanwhile; remove the output and begin anew");
  output.finish();
  print(fmt::format("{} requests in {}\n", output.records(), o.output));
}

}  // namespace

void add_batch(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = *app.add_subcommand("batch", "Continue many texts side by side: a JSON object a line in, one a line out");
  command.add_option("IN", o->input, "a JSON object a line: \"prompt\" or \"messages\", and options of its own (docs/batch.md)")
      ->type_name("FILE")->required();
  command.add_option("-o,--output", o->output, "the records, in the order of the lines; appears when all are there")
      ->type_name("FILE")->required();
  command.add_option("-n,--tokens", o->tokens, "at most N new tokens, where a line does not say (default 256)")
      ->type_name("N");
  o->sampling.add_to(command);
  command.add_flag("--ignore-eos", o->ignore_eos, "go on past the ids that end a text, where a line does not say");
  command
      .add_option_function<std::string>("--template", [o](const std::string& value) { o->form = value; },
                                        "the form of messages (default: the model file's own)")
      ->type_name("smollm2|chatml");
  command.add_option("--parallel", o->parallel, "texts side by side (default: up to 24, as memory allows)")->type_name("N");
  command.add_option("--shard", o->shard, "I/N: do lines I, I + N, I + 2 N, … only (I from 1 to N)")->type_name("I/N");
  o->model.add_to(command);
  o->run.add_to(command);
  command.footer("The same command again goes on where an interrupted one stopped.\n"
                 "Example: lawful batch prompts.jsonl -o texts.jsonl");
  command.callback([o] { run(*o); });
}

}  // namespace lawful::cli
