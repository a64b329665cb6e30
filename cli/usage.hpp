// What is said of a command line: help, and what is wrong with it.
#pragma once
#include <CLI/CLI.hpp>

#include <string>

namespace lawful::cli {

/// The help of the command that was chosen, or of the program; its headings stand out on a terminal at stdout.
std::string help(const CLI::App& app);

/// CLI11's complaint about a command line in the form of every other: the command, what was expected, what was found,
/// and what is near to it where a name is misspelt.
std::string complaint(const CLI::App& app, const CLI::ParseError& error);

}  // namespace lawful::cli
