#include "cli/line_reader.hpp"

#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "io/bad_input.hpp"
#include "io/utf8.hpp"

#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#ifdef LAWFUL_LINE_EDITOR
#include <histedit.h>
#include <langinfo.h>
#endif

namespace lawful::cli {
namespace {

/// One read() of stdin; 0 at its end. Throws Interrupted at a signal.
std::size_t read_some(char* into, std::size_t most) {
  while (true) {
    wait_for_input();
    const ssize_t got = ::read(STDIN_FILENO, into, most);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EIO) return 0;  // the terminal went away
    if (errno != EINTR) throw io::BadInput(fmt::format("stdin: cannot be read: {}", std::strerror(errno)));
  }
}

}  // namespace

#ifdef LAWFUL_LINE_EDITOR

struct LineReader::Editor {
  /// Surrogates that no text has: a line keeps its invalid bytes as Python's "surrogateescape" does.
  static constexpr std::uint32_t stray = 0xdc00;

  EditLine* line;
  HistoryW* history;
  std::wstring prompt;
  std::string unread;       // bytes of stdin behind a stray one
  bool was_typing = false;  // when a signal came

  Editor() : line(el_init("lawful", stdin, stderr, stderr)), history(history_winit()) {
    if (line == nullptr || history == nullptr) throw io::Failure("the terminal: no line editor can be started");
    HistEventW event;
    history_w(history, &event, H_SETSIZE, 1000);
    el_wset(line, EL_CLIENTDATA, this);
    el_wset(line, EL_EDITOR, L"emacs");
    el_wset(line, EL_HIST, history_w, history);
    el_wset(line, EL_PROMPT, &shown_prompt);
    el_wset(line, EL_GETCFN, &next_character);
  }
  ~Editor() {
    if (line != nullptr) el_end(line);  // gives the terminal its settings back
    if (history != nullptr) history_wend(history);
  }

  static Editor& of(EditLine* line) {
    void* self = nullptr;
    el_wget(line, EL_CLIENTDATA, &self);
    return *static_cast<Editor*>(self);
  }
  static wchar_t* shown_prompt(EditLine* line) { return of(line).prompt.data(); }

  /// The editor's own reader waits on after a signal; this one ends the line.
  static int next_character(EditLine* line, wchar_t* into) {
    Editor& self = of(line);
    try {
      const auto character = self.next();
      if (!character) return 0;
      *into = *character;
      return 1;
    } catch (const Interrupted&) {
      const LineInfoW* info = el_wline(line);
      self.was_typing = info->lastchar != info->buffer;
      return -1;  // no exception may pass through the editor; the signal is still to be seen
    } catch (const io::BadInput&) {
      return -1;
    }
  }

  /// A character of stdin, or a byte that is part of none as stray + byte; nothing at the end.
  std::optional<wchar_t> next() {
    std::string bytes;
    do {
      char byte = 0;
      if (!unread.empty())
        byte = unread.front(), unread.erase(0, 1);
      else if (read_some(&byte, 1) == 0)
        return std::nullopt;
      bytes += byte;
    } while (io::unfinished_utf8_suffix(bytes) == bytes.size());
    const auto first = static_cast<unsigned char>(bytes[0]);
    if (io::valid_utf8_prefix(bytes) < bytes.size()) {
      unread.insert(0, bytes, 1);
      return static_cast<wchar_t>(stray + first);
    }
    std::uint32_t code = bytes.size() == 1 ? first : first & (0xffU >> (bytes.size() + 1));
    for (std::size_t i = 1; i < bytes.size(); ++i) code = code << 6U | (static_cast<unsigned char>(bytes[i]) & 0x3fU);
    return static_cast<wchar_t>(code);
  }
};

namespace {

/// What was read as `c`: its UTF-8, or the byte that was no part of any.
void add_bytes(std::string& out, std::uint32_t c, std::uint32_t stray) {
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80 || (c >= stray + 0x80 && c <= stray + 0xff)) return add(c & 0xffU);
  if (c >= 0x10000) {
    add(0xf0U | c >> 18U);
    add(0x80U | (c >> 12U & 0x3fU));
  } else if (c >= 0x800) {
    add(0xe0U | c >> 12U);
  }
  if (c >= 0x800)
    add(0x80U | (c >> 6U & 0x3fU));
  else
    add(0xc0U | c >> 6U);
  add(0x80U | (c & 0x3fU));
}

}  // namespace

LineReader::LineReader() : at_terminal_(::isatty(STDIN_FILENO) == 1), interactive_(at_terminal_ && ::isatty(STDERR_FILENO) == 1) {
  if (!interactive_ || !stderr_is_terminal()) return;
  // The editor asks the locale what is a letter and how wide it is.
  std::setlocale(LC_CTYPE, "");
  if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0) std::setlocale(LC_CTYPE, "C.UTF-8");
  editor_ = std::make_unique<Editor>();
}

std::optional<std::string> LineReader::next_edited(std::string_view prompt) {
  editor_->prompt.assign(prompt.begin(), prompt.end());
  int count = 0;
  const wchar_t* typed = nullptr;
  while (true) {
    editor_->was_typing = false;
    typed = el_wgets(editor_->line, &count);
    if (typed != nullptr || !editor_->was_typing || !take_interrupt()) break;
    tell("^C\n");
  }
  check_interrupt();
  if (typed == nullptr || count <= 0) return end();
  HistEventW event;
  if (typed[0] != L'\n') history_w(editor_->history, &event, H_ENTER, typed);
  std::string out;
  for (int i = 0; i < count; ++i)
    if (typed[i] != L'\n') add_bytes(out, static_cast<std::uint32_t>(typed[i]), Editor::stray);
  return out;
}

#else  // another machine's program, built where its libedit is missing

struct LineReader::Editor {};
LineReader::LineReader() : at_terminal_(::isatty(STDIN_FILENO) == 1), interactive_(at_terminal_ && ::isatty(STDERR_FILENO) == 1) {}
std::optional<std::string> LineReader::next_edited(std::string_view) { return std::nullopt; }

#endif

LineReader::~LineReader() = default;

std::optional<std::string> LineReader::next(std::string_view prompt) {
  if (editor_ != nullptr) return next_edited(prompt);
  for (bool again = false;; again = true) {
    if (interactive_) tell(prompt);
    try {
      return next_plain();
    } catch (const Interrupted&) {
      // Whether something was typed only the terminal knows, which forgot it.
      if (!interactive_ || again || !take_interrupt()) throw;
      read_.clear();
      tell("\nCtrl-C again leaves.\n");
    }
  }
}

/// What a read of nothing means: Ctrl-D, or that the terminal is there no more.
std::optional<std::string> LineReader::end() const {
  if (at_terminal_ && ::isatty(STDIN_FILENO) != 1) throw Interrupted{SIGHUP};
  return std::nullopt;
}

std::optional<std::string> LineReader::next_plain() {
  while (true) {
    if (const std::size_t end = read_.find('\n'); end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    if (ended_ && read_.empty()) return end();
    if (ended_) return std::exchange(read_, {});
    char piece[1 << 14];
    const std::size_t got = read_some(piece, sizeof piece);
    ended_ = got == 0;
    read_.append(piece, got);
  }
}

}  // namespace lawful::cli
