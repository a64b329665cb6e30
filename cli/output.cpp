#include "cli/output.hpp"

#include "cli/clock.hpp"
#include "io/bad_input.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace lawful::cli {

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(STDOUT_FILENO, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EPIPE) throw ClosedPipe{};
    if (wrote < 0) throw io::Failure(fmt::format("stdout: cannot be written: {}", std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void warn(const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) fmt::print(stderr, "lawful: warning: {}\n", warning);
}

bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

Progress::~Progress() {
  if (visible_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::show(std::size_t done, std::size_t total) {
  const double now = seconds();
  if (begun_ == 0.0) begun_ = now;
  if (!stderr_is_terminal() || now - begun_ < 1.0 || now - shown_ < 0.1) return;
  shown_ = now;
  visible_ = true;
  fmt::print(stderr, "\r\x1b[K{}: {} of {} ({} %)", what_, done, total, total == 0 ? 100 : 100 * done / total);
  std::fflush(stderr);
}

}  // namespace lawful::cli
