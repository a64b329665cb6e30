// A folder that appears whole or not at all.
#pragma once
#include <filesystem>

namespace lawful::io {

/// Files are put into path(), a temporary folder beside the target; commit() renames it to the target. Without commit
/// it is removed with all that is in it. Throws io::BadInput if the target is there already and is not an empty
/// folder, io::Failure where the machine refuses.
class AtomicFolder {
 public:
  explicit AtomicFolder(std::filesystem::path target);
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;
  ~AtomicFolder();

  const std::filesystem::path& path() const { return temporary_; }
  void commit();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
};

}  // namespace lawful::io
