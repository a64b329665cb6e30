#include "cli/batch_progress.hpp"

#include "cli/clock.hpp"
#include "cli/output.hpp"

#include <fmt/format.h>

namespace lawful::cli {
namespace {

constexpr double on_terminals = 0.2, in_logs = 60.0;  // seconds from line to line

std::string duration(double seconds) {
  const auto s = static_cast<std::size_t>(seconds + 0.5);
  if (s >= 3600) return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
  if (s >= 60) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} s", s);
}

}  // namespace

std::string batch_progress_line(std::size_t done, std::size_t total, std::size_t made, std::size_t tokens,
                                double seconds) {
  std::string line = fmt::format("{} of {} requests, {:.0f} tokens/s", done, total, static_cast<double>(tokens) / seconds);
  if (made > 0)
    line += ", " + duration(seconds / static_cast<double>(made) * static_cast<double>(total - done)) + " left";
  return line;
}

BatchProgress::BatchProgress(std::size_t done, std::size_t total)
    : before_(done), total_(total), begun_(seconds()), shown_(begun_), terminal_(stderr_is_terminal()) {}

BatchProgress::~BatchProgress() {
  if (visible_) tell(wiped_line);
}

void BatchProgress::show(std::size_t done, std::size_t tokens) {
  const double now = seconds();
  if (now - begun_ < 1.0 || now - shown_ < (terminal_ ? on_terminals : in_logs)) return;
  shown_ = now;
  const std::string line = batch_progress_line(done, total_, done - before_, tokens, now - begun_);
  if (!terminal_) return tell_formatted("lawful: {}\n", line);
  visible_ = true;
  tell_formatted("{}{}", wiped_line, line);
}

}  // namespace lawful::cli
