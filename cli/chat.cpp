#include "cli/chat_option.hpp"
#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "cli/interrupt.hpp"
#include "cli/line_reader.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/rescue.hpp"
#include "cli/sampling_options.hpp"
#include "io/atomic_file.hpp"
#include "io/bad_input.hpp"
#include "io/json.hpp"
#include "io/mapped_file.hpp"
#include "io/printable.hpp"
#include "model/conversation.hpp"
#include "model/message_json.hpp"
#include "model/stop_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <memory>

namespace lawful::cli {
namespace {

struct Options {
  ModelOption model;
  RunOptions run;
  ChatOption chat;
  SamplingOptions sampling;
  std::string tokens = "1024";
};

/// Where a model brings no settings: those that the cards of SmolLM2's instruct models use.
constexpr model::Sampling published{0.2, 0, 0.9, 0.0, 1.0, 0};

constexpr std::string_view help =
    "/system TEXT  the system message from now on\n"
    "/reset        forget the conversation, but not the system message\n"
    "/retry        answer the last message again, with the next seed\n"
    "/save FILE    write the conversation to a file, as JSON\n"
    "/load FILE    go on with the conversation of such a file\n"
    "/help         this\n"
    "A line that begins with // is a message that begins with /.\n"
    "Ctrl-C stops an answer, or forgets what is typed; on an empty line it leaves. So does Ctrl-D.\n"
    "If the terminal goes away, the conversation is kept in ~/.local/state/lawful.\n";

/// One line for the person who types; stdout is for answers.
void tell_line(std::string_view text) { tell_formatted("{}\n", text); }

class Chat {
 public:
  Chat(const Options& o, Loaded& m)
      : checkpoint_(m.checkpoint), form_(m.checkpoint, m.tokenizer, o.chat.form), talk_(*m.sequence, m.tokenizer, form_, m.chunk),
        stops_(o.sampling.stops), limits_{whole_number("-n", o.tokens, 1, std::numeric_limits<std::int32_t>::max()),
                                          m.checkpoint.eos(), model::Guessing::where_it_pays} {
    limits_.sampling = o.sampling.read(m.checkpoint.sampling().value_or(published));
    if (o.chat.system) talk_.set_system(*o.chat.system);
  }

  /// A conversation with a person outlives its terminal, and any other end that the person did not choose.
  void run() {
    try {
      converse();
    } catch (const Interrupted& end) {
      if (end.signal != SIGINT) rescue();
      throw;
    } catch (...) {
      rescue();
      throw;
    }
  }

 private:
  void converse() {
    if (lines_.interactive()) tell_line("/help explains the commands, Ctrl-D leaves.");
    while (const auto line = lines_.next("> ")) {
      try {
        take(*line);
      } catch (const io::BadInput& error) {
        asked_.clear();
        // A person corrects what is wrong; a program is told by the exit status.
        if (!lines_.interactive()) throw;
        tell_line(io::printable(error.what()));
      } catch (const io::Failure& error) {
        if (!lines_.interactive()) throw;
        tell_line(io::printable(error.what()));
      }
    }
    if (lines_.interactive()) tell_line("");
  }

  void take(const std::string& line) {
    if (line.starts_with("//")) return say(line.substr(1));
    if (line.starts_with('/')) return command(line);
    if (line.empty()) return tell_line("message: expected a text of at least one character, found an empty line");
    say(line);
  }

  void command(const std::string& line) {
    const std::size_t space = line.find(' '), begin = line.find_first_not_of(' ', space);
    const std::string name = line.substr(0, space);
    const std::string rest = begin == std::string::npos ? "" : line.substr(begin);  // blanks at the end name nothing
    const auto given = [&](std::string_view what) -> const std::string& {
      if (rest.empty()) io::reject(name, what, "nothing");
      return rest;
    };
    if (name == "/system") return talk_.set_system(given("a text"));
    if (name == "/save") return save(given("a file's name"));
    if (name == "/load") return load(given("a file's name"));
    if (!rest.empty()) io::reject(name, "nothing after it", io::quoted(rest));
    if (name == "/help") return tell_line(help.substr(0, help.size() - 1));
    if (name == "/reset") return talk_.reset();
    if (name == "/retry") return retry();
    io::reject("command", "/system, /reset, /retry, /save, /load or /help (// begins a message with /)", io::quoted(name));
  }

  void say(const std::string& text) {
    asked_ = text;
    answered([&](const model::AnswerWatcher& watcher) { return talk_.say(text, limits_, stops_, watcher); });
  }

  void retry() {
    auto limits = limits_;
    ++limits.sampling.seed;
    if (limits_.sampling.temperature == 0.0) tell_line("the temperature is 0: the answer is the same");
    answered([&](const model::AnswerWatcher& watcher) { return talk_.retry(limits, stops_, watcher); });
    limits_ = limits;
  }

  template <class Ask>
  void answered(Ask ask) {
    // What there is of the answer stays, whatever ends it; then the end itself is seen to.
    std::exception_ptr end;
    const auto stop_if_asked = [&] {
      if (take_interrupt()) throw model::AnswerStopped{};
      try {
        check_interrupt();
      } catch (const Interrupted&) {
        end = std::current_exception();
        throw model::AnswerStopped{};
      }
    };
    std::optional<Progress> progress(std::in_place, "conversation");
    model::AnswerWatcher watcher;
    watcher.reading = [&](std::size_t held, std::size_t of) {
      stop_if_asked();
      held == of ? progress.reset() : progress->show(held, of);
    };
    watcher.text = [&](std::string_view piece) {
      try {
        print(piece);
      } catch (...) {
        end = std::current_exception();
        throw model::AnswerStopped{};
      }
      stop_if_asked();
    };
    const auto answer = ask(watcher);
    progress.reset();
    if (answer.stop || answer.tokens != 0) asked_.clear();  // the conversation has it
    if (end) std::rethrow_exception(end);
    asked_.clear();
    take_interrupt();  // one that came too late to stop anything
    if (answer.stop || answer.tokens != 0) print("\n");
    tell_why(answer);
  }

  void tell_why(const model::Answer& answer) {
    if (!answer.stop && answer.tokens == 0)
      tell_line("stopped before the answer began; the message is not part of the conversation");
    if (answer.stop == model::Stop::length)
      tell_line(fmt::format("the answer was cut after {} tokens; -n allows more", answer.tokens));
    if (answer.stop == model::Stop::context)
      tell_line("the context is full and the answer cut: /save FILE keeps the conversation, /reset begins another");
  }

  void rescue() noexcept try {
    auto messages = talk_.messages();
    if (!asked_.empty()) messages.push_back({model::Role::user, asked_, {}});
    const auto is_system = [](const model::Message& m) { return m.role == model::Role::system; };
    if (!lines_.at_terminal() || messages == saved_ || std::ranges::all_of(messages, is_system)) return;
    const std::string path = write_rescue_file(model::to_json(messages));
    tell_formatted("\nlawful: the conversation is in {}; /load goes on with it\n", path);
  } catch (const std::exception& error) {
    tell_formatted("lawful: the conversation is lost: {}\n", error.what());
  }

  void save(const std::string& path) {
    if (talk_.messages().empty()) io::reject("/save", "a conversation of at least one message", "none");
    DistinctFiles files;
    files.reads(checkpoint_);
    files.writes("/save", path);
    io::AtomicFile file(path);
    file.write(model::to_json(talk_.messages()));
    file.commit();
    saved_ = talk_.messages();
  }

  void load(const std::string& path) {
    const io::MappedFile file(path, io::Access::copied);
    const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    const std::string shown = io::printable(path);
    talk_.load(model::read_messages(io::parse_json(text, shown, {.bytes = 16U << 20U}), shown), shown);
    saved_ = talk_.messages();
    tell_line(fmt::format("{} messages", talk_.messages().size()));
  }

  const model::Checkpoint& checkpoint_;
  model::ChatTemplate form_;
  model::Conversation talk_;
  std::vector<std::string> stops_;
  model::Limits limits_;
  LineReader lines_;
  std::string asked_;                  // a message whose answer is being made
  std::vector<model::Message> saved_;  // as a file has it
};

void run(const Options& o) {
  model::StopText stops(o.sampling.stops);  // refused before the model is loaded
  o.sampling.read(published);
  Loaded m = load(o.model, o.run);
  Chat chat(o, m);
  go_on_after_interrupts();
  chat.run();
}

}  // namespace

void add_chat(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = *app.add_subcommand("chat", "Talk with an instruct model; a line is a message, answers go to stdout");
  o->chat.add_to(command);
  command.add_option("-n,--tokens", o->tokens, "at most N tokens an answer (default 1024)")->type_name("N");
  o->sampling.add_to(command);
  o->model.add_to(command);
  o->run.add_to(command);
  command.footer("Without settings the model's own are used, or temperature 0.2 and top_p 0.9.\n" + std::string(help) +
                 "Example: lawful chat\n"
                 "         echo \"What is gravity?\" | lawful chat --temperature 0");
  command.callback([o] { run(*o); });
}

}  // namespace lawful::cli
