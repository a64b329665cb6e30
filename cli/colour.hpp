// Colour on terminals.
#pragma once
#include <string>
#include <string_view>

namespace lawful::cli {

enum class Colour { heading, error, warning };

/// `text` in a colour where `descriptor` is a terminal that knows colours and NO_COLOR (no-color.org) is not set to
/// anything; else as it is.
std::string painted(std::string_view text, Colour colour, int descriptor);

/// Whether `descriptor` is a terminal that can move its cursor.
bool is_capable_terminal(int descriptor);

}  // namespace lawful::cli
