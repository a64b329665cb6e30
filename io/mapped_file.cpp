#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <utility>

#include "io/bad_input.hpp"
#include "io/printable.hpp"

namespace lawful::io {
namespace {

/// What a signal handler may read about a mapping: plain atomics, and the path in fixed storage.
struct WatchedMapping {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::array<char, 256> path{};
};
// A sharded checkpoint has a handful of files. A mapping beyond the table is not watched: its loss ends the process
// by the default action of SIGBUS instead of by a message.
std::array<WatchedMapping, 64> watched;

void watch(const std::byte* data, std::size_t size, const std::string& path) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  for (auto& slot : watched) {
    std::uintptr_t free = 0;
    if (!slot.begin.compare_exchange_strong(free, address)) continue;
    const std::string shown = printable(path, slot.path.size() / 5);
    std::memcpy(slot.path.data(), shown.c_str(), std::min(shown.size() + 1, slot.path.size()));
    slot.path.back() = '\0';
    slot.end = address + size;
    return;
  }
}

void unwatch(const std::byte* data) {
  for (auto& slot : watched) {
    if (slot.begin != reinterpret_cast<std::uintptr_t>(data)) continue;
    slot.end = 0;
    slot.begin = 0;
  }
}

void print_from_handler(const char* text) {
  const auto ignored = write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(ignored);
}

void on_bus_error(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const auto& slot : watched) {
    if (address < slot.begin || address >= slot.end) continue;
    print_from_handler("lawful: ");
    print_from_handler(slot.path.data());
    print_from_handler(": expected the file to stay as it was when opened, found it cut short or unreadable\n");
    _exit(2);
  }
  std::signal(SIGBUS, SIG_DFL);  // not ours: the faulting instruction runs again under the default action
}

/// Closes on every way out of the constructor but success.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

std::byte* read_all(int descriptor, std::size_t size, const std::string& path) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Failure(printable(path) + ": no memory for a copy: " + std::strerror(errno));
  auto* data = static_cast<std::byte*>(memory);
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = pread(descriptor, data + done, size - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      const std::string found = got == 0 ? fmt::format("{} bytes: it was cut short", done) : std::strerror(errno);
      munmap(memory, size);
      reject(printable(path), fmt::format("{} bytes", size), found);
    }
    done += static_cast<std::size_t>(got);
  }
  return data;
}

const std::byte* map_all(int descriptor, std::size_t size, const std::string& path) {
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (memory == MAP_FAILED) throw Failure(printable(path) + ": cannot be mapped: " + std::strerror(errno));
  return static_cast<const std::byte*>(memory);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path, Access access) : path_(path.string()), access_(access) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  Descriptor opened{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (opened.number < 0) reject(printable(path_), "a readable file", std::strerror(errno));
  struct stat status {};
  if (fstat(opened.number, &status) != 0) reject(printable(path_), "a readable file", std::strerror(errno));
  if (!S_ISREG(status.st_mode)) reject(printable(path_), "a file", kind_of(status.st_mode));
  if (status.st_size == 0) reject(printable(path_), "a file", "an empty one");
  size_ = static_cast<std::size_t>(status.st_size);
  changed_s_ = status.st_mtim.tv_sec;
  changed_ns_ = status.st_mtim.tv_nsec;
  data_ = access == Access::copied ? read_all(opened.number, size_, path_) : map_all(opened.number, size_, path_);
  descriptor_ = std::exchange(opened.number, -1);
  if (access == Access::mapped) watch(data_, size_, path_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      access_(other.access_),
      changed_s_(other.changed_s_),
      changed_ns_(other.changed_ns_) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this == &other) return *this;
  release();
  path_ = std::move(other.path_);
  data_ = std::exchange(other.data_, nullptr);
  size_ = std::exchange(other.size_, 0);
  descriptor_ = std::exchange(other.descriptor_, -1);
  access_ = other.access_;
  changed_s_ = other.changed_s_;
  changed_ns_ = other.changed_ns_;
  return *this;
}

MappedFile::~MappedFile() { release(); }

void MappedFile::release() noexcept {
  if (data_ != nullptr) {
    unwatch(data_);
    munmap(const_cast<std::byte*>(data_), size_);
  }
  if (descriptor_ >= 0) close(descriptor_);
}

bool MappedFile::unchanged() const {
  struct stat status {};
  return fstat(descriptor_, &status) == 0 && static_cast<std::size_t>(status.st_size) == size_ &&
         status.st_mtim.tv_sec == changed_s_ && status.st_mtim.tv_nsec == changed_ns_;
}

void MappedFile::require_unchanged() const {
  if (access_ == Access::copied || unchanged()) return;
  reject(printable(path_), "the file to stay as it was when opened", "it rewritten meanwhile");
}

void stop_on_lost_pages() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace lawful::io
