// A file that appears whole or not at all.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace lawful::io {

/// Writes under a temporary name beside `path`; commit() syncs and renames. Without commit nothing is left behind.
/// A path that exists and is no regular file (a device, a pipe) is written in place. Throws io::Failure.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  template <class T>
  void write_values(std::span<const T> values) {
    write(std::as_bytes(values));
  }
  void commit();

 private:
  [[noreturn]] void fail(std::string_view what) const;
  std::string path_, temporary_;  // temporary_ is empty where the path is written in place
  int file_ = -1;
};

/// Makes the renames in the folder of `path` last through a power cut, where its file system can do that.
void sync_folder_of(const std::filesystem::path& path);

}  // namespace lawful::io
