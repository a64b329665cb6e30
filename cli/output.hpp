// Results on stdout: every write checked, nothing buffered longer than a call.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::cli {

/// The reader of stdout went away. The program ends quietly.
struct ClosedPipe {};

/// Writes to stdout at once. Throws ClosedPipe, or io::Failure (disk full).
void print(std::string_view text);

/// One line each on stderr.
void warn(const std::vector<std::string>& warnings);

/// Whether a person sits at stderr.
bool stderr_is_terminal();

/// A line about long work, on stderr: what is done, how much of it and how many seconds are left at this rate. Shown on
/// terminals only, from the first second on, replaced by the next one and wiped at the end.
class Progress {
 public:
  explicit Progress(std::string_view what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  void show(std::size_t done, std::size_t total);

 private:
  std::string_view what_;
  double begun_, shown_ = 0.0;
  bool visible_ = false;
};

}  // namespace lawful::cli
