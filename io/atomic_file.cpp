#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "io/bad_input.hpp"

namespace lawful::io {

void sync_folder_of(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  struct stat found {};
  const bool special = ::stat(path_.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
  if (special && S_ISDIR(found.st_mode)) reject(path_, "a file to write", "a folder");
  if (special) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail("cannot be opened for writing");
    return;
  }
  temporary_ = path_ + ".part-XXXXXX";
  file_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (file_ < 0) {
    temporary_.clear();
    fail("cannot be created");
  }
  // mkstemp makes private files; the result gets what any new file would.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file_, 0666 & ~mask);
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(file_, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail("cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
}

void AtomicFile::commit() {
  if (!temporary_.empty() && ::fsync(file_) != 0) fail("cannot be written");
  const int file = std::exchange(file_, -1);
  if (::close(file) != 0) fail("cannot be written");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary_.c_str());
    errno = error;
    fail("cannot be put in place");
  }
  sync_folder_of(path_);
}

void AtomicFile::fail(std::string_view what) const {
  throw Failure(fmt::format("{}: {}: {}", path_, what, std::strerror(errno)));
}

}  // namespace lawful::io
