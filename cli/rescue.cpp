#include "cli/rescue.hpp"

#include "io/atomic_file.hpp"
#include "io/bad_input.hpp"

#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>

namespace lawful::cli {
namespace {

namespace fs = std::filesystem;

/// By the XDG base directory specification, in which a relative folder is ignored; empty where there is none.
fs::path state_folder() {
  const auto folder = [](const char* variable) {
    const char* value = std::getenv(variable);
    const fs::path path(value != nullptr ? value : "");
    return path.is_absolute() ? path : fs::path();
  };
  const fs::path state = folder("XDG_STATE_HOME"), home = folder("HOME");
  if (!state.empty()) return state / "lawful";
  return home.empty() ? home : home / ".local" / "state" / "lawful";
}

std::string file_name() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char date[32];
  std::strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", &utc);
  return fmt::format("chat-{}-{}.json", date, ::getpid());
}

void write(const fs::path& path, std::string_view text) {
  io::AtomicFile file(path.string());
  file.write(text);
  file.commit();
}

}  // namespace

std::string write_rescue_file(std::string_view text) {
  const std::string name = file_name();
  if (const fs::path folder = state_folder(); !folder.empty()) {
    std::error_code unwritable;  // then the file cannot be either
    if (fs::create_directories(folder, unwritable)) fs::permissions(folder, fs::perms::owner_all, unwritable);
    try {
      write(folder / name, text);
      return (folder / name).string();
    } catch (const io::Failure&) {
    }
  }
  write(name, text);
  return fs::absolute(name).string();
}

}  // namespace lawful::cli
