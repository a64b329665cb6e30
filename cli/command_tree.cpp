#include "cli/command_tree.hpp"

#include "laws/facts.hpp"

namespace lawful::cli {
namespace {

Command described(const CLI::App& app, const std::string& name) {
  Command command{name, app.get_description(), {}};
  for (const CLI::Option* option : app.get_options()) {
    Argument argument{{}, option->get_description(), "", option->get_expected_max() > 1};
    for (const auto& letter : option->get_snames()) argument.names.push_back("-" + letter);
    for (const auto& word : option->get_lnames()) argument.names.push_back("--" + word);
    if (option->get_items_expected_max() > 0) argument.value = option->get_type_name();
    command.arguments.push_back(std::move(argument));
  }
  return command;
}

}  // namespace

std::vector<Command> command_tree(const CLI::App& app) {
  std::vector<Command> tree{described(app, "")};
  for (const CLI::App* command : app.get_subcommands(nullptr)) tree.push_back(described(*command, command->get_name()));
  return tree;
}

Values values_of(const std::string& name) {
  using Kind = Values::Kind;
  if (name == "FILE") return {Kind::file};
  if (name == "DIR") return {Kind::folder};
  Values values{Kind::word};
  if (name == "LAW") {
    for (const auto& law : laws::law_facts()) values.words.emplace_back(law.about.name);
    return values;
  }
  if (name.find('|') == std::string::npos) return {Kind::any};
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('|', at), name.size());
    values.words.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return values;
}

}  // namespace lawful::cli
