// The commands and their arguments as the parser knows them, for completion and for suggestions.
#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace lawful::cli {

/// An option, a flag or a positional argument.
struct Argument {
  std::vector<std::string> names;  ///< "-m", "--model"; none where it is positional
  std::string what;                ///< a sentence of the help
  std::string value;               ///< the name of its value in the help, "FILE"; none where it takes no value
  bool many = false;               ///< whether it may be given several times
};

struct Command {
  std::string name;  ///< empty: the program itself
  std::string what;
  std::vector<Argument> arguments;
};

/// The program and then its commands, in the order of the help.
std::vector<Command> command_tree(const CLI::App& app);

/// What a value's name in the help says of the values that there are.
struct Values {
  enum class Kind { any, file, folder, word } kind;
  std::vector<std::string> words{};
};

/// FILE: files; DIR: folders; LAW: the laws; "a|b|c": these words; any other: nothing is known.
Values values_of(const std::string& name);

}  // namespace lawful::cli
