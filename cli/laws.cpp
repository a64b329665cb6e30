#include "laws/command.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "io/bad_input.hpp"

#include <iostream>
#include <memory>
#include <sstream>

namespace lawful::cli {
namespace {

void run(const laws::Options& o) {
  std::ostringstream results;
  const int status = laws::run(o, results, std::cerr);
  print(results.str());
  if (status != 0) throw io::Failure("not every law is proved in all three ways");
}

}  // namespace

void add_laws(CLI::App& app) {
  auto o = std::make_shared<laws::Options>();
  auto& command = *app.add_subcommand("laws", "The laws of the model: read, explained, proved");
  command.add_option("NAME", o->name, "a law to explain; all in a list without it")->type_name("LAW");
  command.add_flag("--prove", o->prove, "search at random and ask the solver, now");
  command.add_flag("--json", o->json, "print one JSON array");
  command.add_option("--smtlib", o->smtlib, "write the proof obligations to files NAME.smt2 in this folder")
      ->type_name("DIR");
  command.add_flag("--markdown", o->markdown, "print the page docs/laws.md");
  command.footer("Examples: lawful laws gqa_head\n"
                 "          lawful laws --prove --json\n"
                 "          lawful laws --smtlib obligations && cvc5 obligations/gqa_head.smt2");
  command.callback([o] { run(*o); });
}

}  // namespace lawful::cli
