// A file's bytes, read-only: mapped, or copied into memory for files that another program may still be writing.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace lawful::io {

/// How a file's bytes are held.
enum class Access {
  /// Mapped: no copy, and the pages are shared with every process that reads the file. Whoever rewrites the file in
  /// place changes the bytes under the reader; a file cut short ends the process through stop_on_lost_pages().
  mapped,
  /// Copied into private memory when opened: later changes of the file are not seen. Costs the file's size in memory.
  copied,
};

/// A regular, non-empty file, opened for reading. Movable; the bytes keep their address.
class MappedFile {
 public:
  /// Throws BadInput naming `path` where it is missing, unreadable, a directory, a pipe, a device or empty.
  explicit MappedFile(const std::filesystem::path& path, Access access = Access::mapped);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

  /// Whether the file on disk still has the size and the time of change that it had when it was opened.
  bool unchanged() const;
  /// BadInput naming the file if its bytes may have changed under the reader: it is mapped, and not unchanged().
  void require_unchanged() const;

 private:
  void release() noexcept;

  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;
  Access access_ = Access::mapped;
  long long changed_s_ = 0;
  long long changed_ns_ = 0;
};

/// Installs the handler of SIGBUS that a program with mapped files needs: where a page of a mapped file is gone (the
/// file was cut short, or its disk failed), it prints one line naming the file and ends the process with status 2.
/// Any other SIGBUS keeps its default action. Safe to call more than once.
void stop_on_lost_pages();

}  // namespace lawful::io
