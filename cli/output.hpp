// Results on stdout: every write checked, nothing buffered longer than a call. Words on stderr: as far as they get.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lawful::cli {

/// The reader of stdout went away. The program ends quietly.
struct ClosedPipe {};

/// Writes to stdout at once. Throws ClosedPipe, or io::Failure (disk full).
void print(std::string_view text);

/// Writes to stderr at once. What cannot be written there (a full disk, a terminal that went away) is not told at all:
/// no exception, and the program's status stays what it is.
void tell(std::string_view text) noexcept;
template <class... Values>
void tell_formatted(fmt::format_string<Values...> form, Values&&... values) noexcept try {
  tell(fmt::format(form, std::forward<Values>(values)...));
} catch (...) {  // no memory for the words
}

/// Gives the descriptors 0, 1 and 2 to /dev/null where they are closed, so that no file that is opened later becomes one of
/// them. It is opened the wrong way round: what reads or writes it is told so, as with a closed one.
void hold_standard_descriptors();

/// One line each on stderr.
void warn(const std::vector<std::string>& warnings);

/// On a capable terminal: the line is empty and the cursor at its beginning.
inline constexpr std::string_view wiped_line = "\r\x1b[K";

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
