// The `lawful` program: parses, runs one command, and turns what went wrong into one line and an exit code.
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "io/bad_input.hpp"
#include "io/mapped_file.hpp"
#include "io/printable.hpp"
#include "kernels/isa.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

namespace lawful::cli {
namespace {

enum Exit { done = 0, failed = 1, bad_input = 2, interrupted = 130 };

/// One line on stderr, whatever the message holds.
int complain(std::string message, Exit code) {
  std::ranges::replace(message, '\n', ' ');
  fmt::print(stderr, "lawful: {}\n", message);
  return code;
}

std::string version() {
  std::string sets;
  for (const auto name : kernels::instruction_sets()) sets += (sets.empty() ? "" : ", ") + std::string(name);
  return fmt::format("lawful {} ({}; instruction sets here: {}; default model SmolLM2-135M-Instruct, Q4_1)",
                     LAWFUL_VERSION, LAWFUL_COMPILER, sets);
}

/// CLI11's complaint about a command line in the form of every other: the command, what was expected, what was found.
std::string usage(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const auto left = app.remaining(true);
  const std::string found = left.empty() ? "none" : io::quoted(left.front());
  if (chosen.empty()) {
    std::string names;
    for (const CLI::App* command : app.get_subcommands(nullptr)) names += (names.empty() ? "" : ", ") + command->get_name();
    return fmt::format("expected a command ({}; see lawful --help), found {}", names, found);
  }
  const std::string command = chosen.front()->get_name();
  const std::string complaint = error.what();
  if (!left.empty()) return fmt::format("{0}: expected the arguments that lawful {0} --help lists, found {1}", command, found);
  if (const auto end = complaint.find(" is required"); end != std::string::npos)
    return fmt::format("{0}: expected {1} (see lawful {0} --help), found none", command, complaint.substr(0, end));
  return fmt::format("{0}: expected what lawful {0} --help says, found that {1}", command, complaint);
}

int run(int argc, char** argv) {
  CLI::App app("SmolLM2 in exact F32: proved structure, checked wiring, the same bits everywhere.", "lawful");
  app.require_subcommand(1);
  app.set_version_flag("--version", version());
  app.footer("lawful COMMAND --help explains a command.\n"
             "Exit: 0 done, 1 failed, 2 bad input or usage, 130 interrupted.");
  add_generate(app);
  add_tokenize(app);
  add_detokenize(app);
  add_logits(app);
  add_trace(app);
  add_inspect(app);
  add_convert(app);
  add_verify(app);
  add_batch(app);
  add_laws(app);
  add_bench(app);
  try {
    app.parse(argc, argv);
    return done;
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    print(chosen.empty() ? app.help() : chosen.front()->help());
    return done;
  } catch (const CLI::CallForVersion&) {
    print(version() + "\n");
    return done;
  } catch (const CLI::ParseError& error) {
    return complain(usage(app, error), bad_input);
  }
}

int guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const io::BadInput& error) {
    return complain(error.what(), bad_input);
  } catch (const ClosedPipe&) {
    return done;
  } catch (const Interrupted&) {
    return interrupted;
  } catch (const std::bad_alloc&) {
    return complain("the machine has no more memory", failed);
  } catch (const std::exception& error) {
    return complain(error.what(), failed);
  }
}

}  // namespace
}  // namespace lawful::cli

int main(int argc, char** argv) {
  lawful::cli::catch_interrupts();
  lawful::io::stop_on_lost_pages();
  return lawful::cli::guarded(argc, argv);
}
