// Names and values from a file, made safe to print: an error stays one line of plain ASCII, whatever the file holds.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace lawful::io {

/// `text` with everything but printable ASCII written as \xNN, cut after `limit` bytes with "…".
std::string printable(std::string_view text, std::size_t limit = 80);

/// printable() in single quotes.
std::string quoted(std::string_view text, std::size_t limit = 80);

}  // namespace lawful::io
