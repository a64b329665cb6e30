#include "io/printable.hpp"

#include <fmt/format.h>

namespace lawful::io {

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (const char c : text.substr(0, limit)) {
    if (c >= ' ' && c <= '~' && c != '\\') out += c;
    else out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (text.size() > limit) out += "…";
  return out;
}

std::string quoted(std::string_view text, std::size_t limit) { return fmt::format("'{}'", printable(text, limit)); }

}  // namespace lawful::io
