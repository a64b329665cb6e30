// Lines that people or programs give on stdin.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lawful::cli {

/// On a terminal: lines with an editor and a history (libedit), which shows itself on stderr, since stdout is for
/// results; without them where the terminal cannot move its cursor. Else: lines of stdin as they are. After
/// go_on_after_interrupts().
class LineReader {
 public:
  LineReader();
  ~LineReader();

  /// Whether a person types and sees what is told.
  bool interactive() const { return interactive_; }
  /// Whether stdin was a terminal when the program began.
  bool at_terminal() const { return at_terminal_; }

  /// The next line, without its end (LF or CR LF); nothing at the end of stdin. Ctrl-C where a person has typed something
  /// forgets that and asks again. Throws Interrupted at any other signal, and as if by SIGHUP where the terminal is gone.
  /// Bytes that are no UTF-8 come as they are.
  std::optional<std::string> next(std::string_view prompt);

 private:
  struct Editor;
  std::optional<std::string> next_edited(std::string_view prompt);
  std::optional<std::string> next_plain();
  std::optional<std::string> end() const;

  bool at_terminal_, interactive_;
  std::unique_ptr<Editor> editor_;
  std::string read_;  // from stdin, and not yet given out
  bool ended_ = false;
};

}  // namespace lawful::cli
