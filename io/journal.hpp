// A file of records, one line each, that a killed program goes on with: a record is in it whole or not at all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace lawful::io {

class Journal {
 public:
  /// Where a record lies, without the end of its line.
  struct Place {
    std::uint64_t begin;
    std::size_t size;
  };

  /// Opens `path`, or makes it, and locks it until the end of this object. What stands after the last end of a line is
  /// a record that a kill or a full disk tore, and is cut off. Throws Failure where another process has it, or where it
  /// cannot be written; BadInput where it is no regular file.
  explicit Journal(std::string path);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// Calls each(record, place) for every record that was there when the journal was opened.
  void each(const std::function<void(std::string_view, Place)>& each) const;

  /// Adds a record, which has no end of line in it. Throws Failure (full disk); what was added before stays.
  Place append(std::string_view record);

  /// Makes what was added last through a power cut, where the file system can do that.
  void sync();

  /// Writes the records at `places`, in this order, to `path`, which appears whole or not at all, and removes the journal.
  void finish(std::span<const Place> places, const std::string& path);

 private:
  std::string read(Place place) const;
  [[noreturn]] void fail(std::string_view what) const;
  std::string path_;
  std::uint64_t size_ = 0;
  int file_ = -1;
};

}  // namespace lawful::io
