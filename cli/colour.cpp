#include "cli/colour.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace lawful::cli {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

std::string_view code(Colour colour) {
  switch (colour) {
    case Colour::heading: return "1";      // bold
    case Colour::error: return "1;31";     // bold red
    case Colour::warning: return "1;33";   // bold yellow
  }
  return "";
}

}  // namespace

bool is_capable_terminal(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && !(terminal != nullptr && std::string_view(terminal) == "dumb");
}

std::string painted(std::string_view text, Colour colour, int descriptor) {
  if (!is_capable_terminal(descriptor) || is_set("NO_COLOR")) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code(colour), text);
}

}  // namespace lawful::cli
