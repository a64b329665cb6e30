#include "cli/usage.hpp"

#include "cli/colour.hpp"
#include "cli/command_tree.hpp"
#include "io/printable.hpp"
#include "laws/nearest.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

namespace lawful::cli {
namespace {

/// A line's heading: what ends in a colon and begins at the margin with a capital, in a word or two.
std::size_t heading_length(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || std::isupper(static_cast<unsigned char>(line[0])) == 0) return 0;
  const bool words = std::ranges::all_of(line.substr(0, colon), [](unsigned char c) { return std::isalpha(c) != 0 || c == ' '; });
  return words && colon < 24 ? colon + 1 : 0;
}

/// "; did you mean X?", where one of `names` is so near that a slip of the hand explains the rest.
std::string suggestion(std::string_view found, const std::vector<std::string_view>& names) {
  const auto near = laws::nearest(found, names, 1);
  if (near.empty() || laws::edit_distance(found, near.front()) > std::max<std::size_t>(1, found.size() / 3)) return "";
  return fmt::format("; did you mean {}?", near.front());
}

std::vector<std::string_view> command_names(const std::vector<Command>& tree) {
  std::vector<std::string_view> names;
  for (const auto& command : tree)
    if (!command.name.empty()) names.push_back(command.name);
  return names;
}

/// What is near to an option that a command does not have, or to nothing.
std::string near_option(const std::vector<Command>& tree, std::string_view command, std::string_view found) {
  if (!found.starts_with("--")) return "";  // every letter is near to every other
  std::vector<std::string_view> names;
  for (const auto& one : tree)
    if (one.name == command)
      for (const auto& argument : one.arguments) names.insert(names.end(), argument.names.begin(), argument.names.end());
  return suggestion(found.substr(0, found.find('=')), names);
}

}  // namespace

std::string help(const CLI::App& app) {
  const std::string plain = app.help();
  std::string out;
  for (std::string_view rest = plain; !rest.empty();) {
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    const std::size_t heading = heading_length(line);
    out += heading == 0 ? "" : painted(line.substr(0, heading), Colour::heading, STDOUT_FILENO);
    out += line.substr(heading);
    rest.remove_prefix(line.size());
  }
  return out;
}

std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const auto tree = command_tree(app);
  const auto chosen = app.get_subcommands();
  const auto left = app.remaining(true);
  const std::string first = left.empty() ? "" : left.front(), found = left.empty() ? "none" : io::quoted(first);
  if (chosen.empty()) {
    const auto names = command_names(tree);
    const std::string near = first.starts_with('-') ? near_option(tree, "", first) : suggestion(first, names);
    return fmt::format("expected a command ({}; see lawful --help), found {}{}", fmt::join(names, ", "), found, near);
  }
  const std::string command = chosen.front()->get_name(), what = error.what();
  if (!left.empty())
    return fmt::format("{0}: expected the arguments that lawful {0} --help lists, found {1}{2}", command, found,
                       near_option(tree, command, first));
  if (const auto end = what.find(" is required"); end != std::string::npos)
    return fmt::format("{0}: expected {1} (see lawful {0} --help), found none", command, what.substr(0, end));
  return fmt::format("{0}: expected what lawful {0} --help says, found that {1}", command, what);
}

}  // namespace lawful::cli
