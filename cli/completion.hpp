// Scripts that let a shell complete the program's command line.
#pragma once
#include "cli/command_tree.hpp"

#include <string>
#include <vector>

namespace lawful::cli {

/// For bash 4 and later: a function _lawful and its registration.
std::string bash_completion(const std::vector<Command>& tree);

/// For zsh: to be sourced after compinit, or a file _lawful in a folder of $fpath.
std::string zsh_completion(const std::vector<Command>& tree);

}  // namespace lawful::cli
