#include "cli/batch_lines.hpp"

#include "cli/options.hpp"
#include "io/bad_input.hpp"
#include "io/printable.hpp"

#include <algorithm>

namespace lawful::cli {

Shard shard_of(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) io::reject("--shard", "I/N, as in 1/8", io::printable(text));
  const std::size_t of = whole_number("--shard: N", text.substr(slash + 1), 1, 1'000'000'000);
  return {whole_number("--shard: I", text.substr(0, slash), 1, of), of};
}

std::optional<BatchLines::Line> BatchLines::next() {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    if (shard_.has(number_) && line.find_first_not_of(" \t\r") != std::string_view::npos) return Line{number_, line};
  }
  return std::nullopt;
}

}  // namespace lawful::cli
