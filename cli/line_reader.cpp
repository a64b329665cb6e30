#include "cli/line_reader.hpp"

#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "io/bad_input.hpp"

#include <unistd.h>

#include <cerrno>
#include <clocale>
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
  EditLine* line;
  HistoryW* history;
  std::wstring prompt;

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
  static int next_character(EditLine*, wchar_t* into) {
    try {
      unsigned char byte[4] = {};
      if (read_some(reinterpret_cast<char*>(byte), 1) == 0) return 0;
      const std::size_t length = byte[0] < 0x80 ? 1 : byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
      auto code = static_cast<std::uint32_t>(length == 1 ? byte[0] : byte[0] & (0xffU >> (length + 1)));
      for (std::size_t i = 1; i < length; ++i) {
        if (read_some(reinterpret_cast<char*>(byte + i), 1) == 0) return 0;
        code = code << 6U | (byte[i] & 0x3fU);
      }
      *into = static_cast<wchar_t>(code);
      return 1;
    } catch (const Interrupted&) {
      return -1;  // no exception may pass through the editor; the signal is still to be seen
    } catch (const io::BadInput&) {
      return -1;
    }
  }
};

namespace {

void add_utf8(std::string& out, std::uint32_t c) {
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
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

LineReader::LineReader() {
  if (::isatty(STDIN_FILENO) != 1 || !stderr_is_terminal()) return;
  // The editor asks the locale what is a letter and how wide it is.
  std::setlocale(LC_CTYPE, "");
  if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0) std::setlocale(LC_CTYPE, "C.UTF-8");
  editor_ = std::make_unique<Editor>();
}

std::optional<std::string> LineReader::next(std::string_view prompt) {
  if (editor_ == nullptr) return next_plain();
  editor_->prompt.assign(prompt.begin(), prompt.end());
  int count = 0;
  const wchar_t* typed = el_wgets(editor_->line, &count);
  check_interrupt();
  if (typed == nullptr || count <= 0) return std::nullopt;
  HistEventW event;
  if (typed[0] != L'\n') history_w(editor_->history, &event, H_ENTER, typed);
  std::string out;
  for (int i = 0; i < count; ++i)
    if (typed[i] != L'\n') add_utf8(out, static_cast<std::uint32_t>(typed[i]));
  return out;
}

#else  // another machine's program, built where its libedit is missing

struct LineReader::Editor {};
LineReader::LineReader() = default;
std::optional<std::string> LineReader::next(std::string_view) { return next_plain(); }

#endif

LineReader::~LineReader() = default;

std::optional<std::string> LineReader::next_plain() {
  while (true) {
    if (const std::size_t end = read_.find('\n'); end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    if (ended_ && read_.empty()) return std::nullopt;
    if (ended_) return std::exchange(read_, {});
    char piece[1 << 14];
    const std::size_t got = read_some(piece, sizeof piece);
    ended_ = got == 0;
    read_.append(piece, got);
  }
}

}  // namespace lawful::cli
