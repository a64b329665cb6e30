#include "cli/output.hpp"

#include "cli/clock.hpp"
#include "cli/colour.hpp"
#include "io/bad_input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
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

void tell(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t wrote = ::write(STDERR_FILENO, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void hold_standard_descriptors() {
  // open() takes the lowest descriptor that is free.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
}

void warn(const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings)
    tell_formatted("lawful: {} {}\n", painted("warning:", Colour::warning, STDERR_FILENO), warning);
}

bool stderr_is_terminal() { return is_capable_terminal(STDERR_FILENO); }

Progress::Progress(std::string_view what) : what_(what), begun_(seconds()) {}

Progress::~Progress() {
  if (visible_) tell(wiped_line);
}

void Progress::show(std::size_t done, std::size_t total) {
  const double now = seconds();
  if (!stderr_is_terminal() || now - begun_ < 1.0 || now - shown_ < 0.1) return;
  shown_ = now;
  visible_ = true;
  const double share = total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
  const std::string left = done == 0 ? "" : fmt::format(", {:.0f} s left", (now - begun_) * (1.0 / share - 1.0));
  tell_formatted("{}{}: {} of {} ({:.0f} %{})", wiped_line, what_, done, total, 100.0 * share, left);
}

}  // namespace lawful::cli
