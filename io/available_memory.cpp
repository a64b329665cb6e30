#include "io/available_memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace lawful::io {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::optional<std::size_t> number_in(const std::filesystem::path& path) {
  std::size_t number = 0;
  return std::ifstream(path) >> number ? std::optional(number) : std::nullopt;  // "max" is no number
}

/// The number after `word` in a file of the kernel's.
std::optional<std::size_t> number_after(const std::filesystem::path& path, const std::string& word) {
  std::ifstream file(path);
  for (std::string found; file >> found;)
    if (std::size_t number = 0; found == word && file >> number) return number;
  return std::nullopt;
}

std::size_t left(std::size_t most, std::size_t taken) { return most - std::min(most, taken); }

std::size_t of_system() {
  const auto kib = number_after("/proc/meminfo", "MemAvailable:");
  return kib ? *kib * 1024 : unlimited;
}

/// What this process's group and those above it leave, the least of them.
std::size_t of_groups() {
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::size_t least = unlimited;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("0::/")) continue;
    for (std::filesystem::path group = line.substr(4);; group = group.parent_path()) {
      const auto most = number_in(root / group / "memory.max"), now = number_in(root / group / "memory.current");
      // What a group holds counts files in the page cache too, which give way.
      const auto files = number_after(root / group / "memory.stat", "file");
      if (most && now) least = std::min(least, left(*most, left(*now, files.value_or(0))));
      if (group.empty()) break;
    }
  }
  return least;
}

std::size_t of_address_space() {
  struct rlimit limit {};
  const auto kib = number_after("/proc/self/status", "VmSize:");
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || !kib) return unlimited;
  return left(limit.rlim_cur, *kib * 1024);
}

}  // namespace

std::size_t available_memory() { return std::min({of_system(), of_groups(), of_address_space()}); }

}  // namespace lawful::io
