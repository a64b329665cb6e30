#include "cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lawful::cli {
namespace {

/// Assignments that tell the script what may stand in a place.
std::string offer(const Values& values) {
  switch (values.kind) {
    case Values::Kind::any: return "";
    case Values::Kind::file: return "files=-f";
    case Values::Kind::folder: return "files=-d";
    case Values::Kind::word: return fmt::format("words='{}'", fmt::join(values.words, " "));
  }
  return "";
}

/// The branch of one command: after an option that takes a value the values, else options and what may stand alone.
std::string branch(const Command& command) {
  std::string values, options, alone;
  for (const auto& argument : command.arguments) {
    if (argument.names.empty()) {
      alone = offer(values_of(argument.value));
      continue;
    }
    options += fmt::format("{}{}", options.empty() ? "" : " ", fmt::join(argument.names, " "));
    if (!argument.value.empty())
      values += fmt::format("        {}) {} ;;\n", fmt::join(argument.names, "|"), offer(values_of(argument.value)));
  }
  return fmt::format("    {})\n      case $before in\n{}        *) options='{}' {} ;;\n      esac ;;\n",
                     command.name.empty() ? "''" : command.name, values, options, alone);
}

constexpr std::string_view head = R"(# Completion of lawful's command line in bash: source <(lawful completion bash)
_lawful() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= options= words= files= i
  # bash splits --option=value at the sign.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }
  done
  case $command in
)";

constexpr std::string_view tail = R"(  esac
  [[ -z $word || $word == -* ]] && words+=" $options"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if [[ -n $files && $word != -* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen "$files" -- "$word")
  fi
}
complete -F _lawful lawful
)";

}  // namespace

std::string bash_completion(const std::vector<Command>& tree) {
  std::vector<std::string> names;
  for (const auto& command : tree)
    if (!command.name.empty()) names.push_back(command.name);
  std::string script{head};
  for (const auto& command : tree) {
    Command with_names = command;
    // The program itself is followed by a command, which stands alone as a word.
    if (command.name.empty()) with_names.arguments.push_back({{}, "", fmt::format("{}", fmt::join(names, "|")), false});
    script += branch(with_names);
  }
  script += tail;
  return script;
}

}  // namespace lawful::cli
