#include "io/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "io/atomic_file.hpp"
#include "io/bad_input.hpp"

namespace lawful::io {
namespace {

constexpr std::size_t piece = 1U << 20U;

[[noreturn]] void fail_at(const std::string& path, std::string_view what) {
  throw Failure(fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

void write_all(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(file, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail_at(path, "cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

/// A new file in place of any that is there; closed at the end.
class Fresh {
 public:
  explicit Fresh(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (file_ < 0) fail_at(path_, "cannot be created");
  }
  Fresh(const Fresh&) = delete;
  Fresh& operator=(const Fresh&) = delete;
  ~Fresh() { ::close(file_); }
  void write(std::string_view bytes) { write_all(file_, bytes, path_); }
  void sync() {
    if (::fsync(file_) != 0) fail_at(path_, "cannot be written");
  }

 private:
  const std::string& path_;
  int file_;
};

}  // namespace

Journal::Journal(std::string path) : path_(std::move(path)) {
  struct stat found {};
  if (::stat(path_.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) reject(path_, "a regular file", "something else");
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail("cannot be opened for writing");
  try {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) fail("cannot be locked");
      throw Failure(path_ + ": another process is writing it");
    }
    struct stat mine {}, named {};
    if (::fstat(file_, &mine) != 0) fail("cannot be read");
    // Whoever had the lock until now may have finished and removed the file.
    if (::stat(path_.c_str(), &named) != 0 || named.st_ino != mine.st_ino || named.st_dev != mine.st_dev)
      throw Failure(path_ + ": another process was writing it");
    std::uint64_t whole = 0;
    size_ = static_cast<std::uint64_t>(mine.st_size);
    each([&](std::string_view, Place place) { whole = place.begin + place.size + 1; });
    if (whole != size_ && ::ftruncate(file_, static_cast<off_t>(whole)) != 0) fail("cannot be cut");
    size_ = whole;
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() { ::close(file_); }

void Journal::each(const std::function<void(std::string_view, Place)>& each) const {
  std::string line, some;
  std::uint64_t begin = 0;  // of `line`
  for (std::uint64_t at = 0; at < size_; at += some.size()) {
    some = read({at, static_cast<std::size_t>(std::min<std::uint64_t>(piece, size_ - at))});
    std::string_view rest = some;
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
      line += rest.substr(0, end);
      each(line, {begin, line.size()});
      begin += line.size() + 1;
      line.clear();
    }
    line += rest;
  }
}

Journal::Place Journal::append(std::string_view record) {
  const Place place{size_, record.size()};
  std::string line(record);
  line += '\n';
  write_all(file_, line, path_);
  size_ += line.size();
  return place;
}

void Journal::sync() {
  if (::fsync(file_) != 0 && errno != EINVAL && errno != EROFS) fail("cannot be written");
}

void Journal::finish(std::span<const Place> places, const std::string& path) {
  const std::string sorted = path_ + ".sorted";
  {
    Fresh file(sorted);
    std::string some;
    for (const Place place : places) {
      some += read(place);
      some += '\n';
      if (some.size() < piece) continue;
      file.write(some);
      some.clear();
    }
    file.write(some);
    file.sync();
  }
  if (std::rename(sorted.c_str(), path.c_str()) != 0) fail_at(path, "cannot be put in place");
  sync_folder_of(path);
  ::unlink(path_.c_str());
}

std::string Journal::read(Place place) const {
  std::string out(place.size, '\0');
  for (std::size_t done = 0; done < out.size();) {
    const ssize_t got = ::pread(file_, out.data() + done, out.size() - done, static_cast<off_t>(place.begin + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot be read");
    if (got == 0) throw Failure(path_ + ": was cut short meanwhile");
    done += static_cast<std::size_t>(got);
  }
  return out;
}

void Journal::fail(std::string_view what) const { fail_at(path_, what); }

}  // namespace lawful::io
