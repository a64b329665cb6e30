#include "cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lawful::cli {
namespace {

/// `text` within single quotes, where each of `special` is to be taken as it is.
std::string quoted(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return out;
}

std::string action(const Argument& argument) {
  const Values values = values_of(argument.value);
  switch (values.kind) {
    // What may stand alone is no option: without the guard zsh would not complete one.
    case Values::Kind::any: return argument.names.empty() ? fmt::format("_guard \"[^-]*\" {}", argument.value) : " ";
    case Values::Kind::file: return "_files";
    case Values::Kind::folder: return "_files -/";
    case Values::Kind::word: return fmt::format("({})", fmt::join(values.words, " "));
  }
  return " ";
}

/// An argument as _arguments wants it: names of one option exclude each other; the value may follow after = or a space;
/// what stands alone is counted from `place` 1, unless any number of it may.
std::string specification(const Argument& argument, int place) {
  std::string message;
  if (!argument.value.empty())
    message = fmt::format(":{}:{}", quoted(argument.value.substr(0, argument.value.find('|')), ":"),
                          action(argument));
  if (argument.names.empty()) return fmt::format("      '{}{}'", argument.many ? "*" : fmt::to_string(place), message);
  std::string lines;
  for (const auto& name : argument.names) {
    const std::string suffix = argument.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
    const std::string times = argument.many ? "*" : fmt::format("({})", fmt::join(argument.names, " "));
    lines += fmt::format("{}      '{}{}{}[{}]{}'", lines.empty() ? "" : " \\\n", times, name, suffix,
                         quoted(argument.what, "[]"), message);
  }
  return lines;
}

std::string arguments(const Command& command) {
  std::string lines;
  int place = 1;
  for (const auto& argument : command.arguments) {
    lines += " \\\n" + specification(argument, place);
    place += argument.names.empty() ? 1 : 0;
  }
  return lines;
}

}  // namespace

std::string zsh_completion(const std::vector<Command>& tree) {
  std::string names, branches;
  for (const auto& command : tree) {
    if (command.name.empty()) continue;
    names += fmt::format("    '{}:{}'\n", command.name, quoted(command.what, ""));
    branches += fmt::format("    {}) _arguments -s -S{} ;;\n", command.name, arguments(command));
  }
  return fmt::format(R"(#compdef lawful
# Completion of lawful's command line in zsh: source <(lawful completion zsh) after compinit
_lawful() {{
  local curcontext=$curcontext state
  local -a line commands
  commands=(
{}  )
  _arguments -C '1: :->command' '*:: :->arguments'{} && return
  if [[ $state == command ]]; then
    _describe command commands
    return
  fi
  case $words[1] in
{}  esac
}}
if [[ $funcstack[1] == _lawful ]]; then _lawful "$@"; else compdef _lawful lawful; fi
)",
                     names, arguments(tree.front()), branches);
}

}  // namespace lawful::cli
