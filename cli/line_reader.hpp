// Lines that people or programs give on stdin.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lawful::cli {

/// On a terminal: lines with an editor and a history (libedit), which shows itself on stderr, since stdout is for
/// results. Else: lines of stdin as they are. After go_on_after_interrupts().
class LineReader {
 public:
  LineReader();
  ~LineReader();

  /// Whether a person types.
  bool interactive() const { return editor_ != nullptr; }

  /// The next line, without its end; nothing at the end of stdin. Throws Interrupted at a signal.
  std::optional<std::string> next(std::string_view prompt);

 private:
  struct Editor;
  std::optional<std::string> next_plain();

  std::unique_ptr<Editor> editor_;
  std::string read_;  // from stdin, and not yet given out
  bool ended_ = false;
};

}  // namespace lawful::cli
