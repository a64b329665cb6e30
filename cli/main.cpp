// The `lawful` program: parses, runs one command, and turns what went wrong into one line and an exit code.
#include "cli/colour.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/usage.hpp"
#include "cli/version.hpp"
#include "io/bad_input.hpp"
#include "io/mapped_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <string>

namespace lawful::cli {
namespace {

enum Exit { done = 0, failed = 1, bad_input = 2, interrupted = 130 };

/// One line on stderr, whatever the message holds.
int complain(std::string message, Exit code) {
  std::ranges::replace(message, '\n', ' ');
  tell_formatted("{} {}\n", painted("lawful:", Colour::error, STDERR_FILENO), message);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app("SmolLM2 in exact F32: proved structure, checked wiring, the same bits everywhere.", "lawful");
  app.require_subcommand(1);
  app.set_version_flag("--version", "lawful", "Print version, build, instruction sets and default model and exit");
  app.footer("lawful COMMAND --help explains a command.\n"
             "Examples: lawful generate -n 32 \"The capital of France is\"\n"
             "          lawful laws gqa_head --prove\n"
             "          lawful trace --html trace.html \"The capital of France is\"\n"
             "Exit: 0 done, 1 failed, 2 bad input or usage, 130 interrupted.");
  add_generate(app);
  add_chat(app);
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
  add_completion(app);
  try {
    app.parse(argc, argv);
    return done;
  } catch (const CLI::CallForHelp&) {
    print(help(app));
    return done;
  } catch (const CLI::CallForVersion&) {
    print(version());
    return done;
  } catch (const CLI::ParseError& error) {
    return complain(complaint(app, error), bad_input);
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
  lawful::cli::hold_standard_descriptors();
  lawful::cli::catch_interrupts();
  lawful::io::stop_on_lost_pages();
  return lawful::cli::guarded(argc, argv);
}
