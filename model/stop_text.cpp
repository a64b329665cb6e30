#include "model/stop_text.hpp"

#include "io/bad_input.hpp"
#include "io/utf8.hpp"

#include <algorithm>
#include <utility>

namespace lawful::model {

StopText::StopText(std::vector<std::string> stops) : stops_(std::move(stops)) {
  for (const auto& stop : stops_) {
    if (stop.empty()) io::reject("stop", "a text of at least one character", "an empty one");
    io::require_utf8(stop, "stop");
  }
}

/// The length of the longest stop text that what is held ends with, or 0.
std::size_t StopText::longest_at_end() const {
  std::size_t longest = 0;
  for (const auto& stop : stops_)
    if (held_.ends_with(stop)) longest = std::max(longest, stop.size());
  return longest;
}

/// The length of the longest end of what is held that a stop text begins with.
std::size_t StopText::longest_begun() const {
  std::size_t longest = 0;
  for (const std::string_view stop : stops_) {
    std::size_t length = std::min(stop.size() - 1, held_.size());
    while (length > longest && !held_.ends_with(stop.substr(0, length))) --length;
    longest = std::max(longest, length);
  }
  return longest;
}

std::string StopText::push(std::string_view text) {
  if (found_) return {};
  if (stops_.empty()) return std::string(text);
  for (const char c : text) {
    held_ += c;
    if (const std::size_t stop = longest_at_end(); stop != 0) {
      found_ = true;
      held_.resize(held_.size() - stop);
      return std::exchange(held_, {});
    }
  }
  const std::size_t keep = longest_begun();
  std::string out = held_.substr(0, held_.size() - keep);
  held_.erase(0, out.size());
  return out;
}

std::string StopText::finish() { return std::exchange(held_, {}); }

}  // namespace lawful::model
