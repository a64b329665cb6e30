// Files of one command: what it writes is none of the others, by whatever name, link or hard link.
#pragma once
#include "model/checkpoint/checkpoint.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace lawful::cli {

/// Told of all files that a command reads and writes, in any order and before it writes one, it throws io::BadInput for
/// one that is written and is another of them. An empty path is no file; devices and pipes are any number of files.
class DistinctFiles {
 public:
  void reads(const std::string& what, const std::filesystem::path& path) { add({what, path, false}); }
  void reads(const model::Checkpoint& checkpoint);
  /// `what` names it in an error: the option.
  void writes(const std::string& what, const std::filesystem::path& path) { add({what, path, true}); }

 private:
  struct File {
    std::string what;
    std::filesystem::path path;
    bool is_written;
  };
  void add(File file);
  std::vector<File> files_;
};

}  // namespace lawful::cli
