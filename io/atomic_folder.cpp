#include "io/atomic_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "io/atomic_file.hpp"
#include "io/bad_input.hpp"
#include "io/printable.hpp"

namespace lawful::io {

namespace fs = std::filesystem;

AtomicFolder::AtomicFolder(fs::path target) : target_(std::move(target)) {
  if (!target_.has_filename()) target_ = target_.parent_path();  // "out/" is "out"
  std::error_code unknown;
  const bool empty_folder = fs::is_directory(target_, unknown) && fs::is_empty(target_, unknown);
  if (fs::exists(target_, unknown) && !empty_folder) {
    reject(printable(target_.string()), "a new or an empty folder to write into", "one that holds something");
  }
  std::string pattern = target_.string() + ".part-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) fail("cannot be created");
  temporary_ = pattern;
  const mode_t mask = umask(0);  // mkdtemp makes private folders; the result gets what any new folder would
  umask(mask);
  if (chmod(temporary_.c_str(), 0777 & ~mask) != 0) fail("cannot be created");
}

AtomicFolder::~AtomicFolder() {
  if (temporary_.empty()) return;
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be put in place");
  temporary_.clear();
  sync_folder_of(target_);
}

void AtomicFolder::fail(const char* what) const {
  throw Failure(fmt::format("{}: {}: {}", printable(target_.string()), what, std::strerror(errno)));
}

}  // namespace lawful::io
