#include "io/available_memory.hpp"

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

std::size_t of_system() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, line; file >> name; std::getline(file, line)) {
    std::size_t kib = 0;
    if (name == "MemAvailable:" && file >> kib) return kib * 1024;
  }
  return 0;
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
      if (most && now) least = std::min(least, *most - std::min(*most, *now));
      if (group.empty()) break;
    }
  }
  return least;
}

}  // namespace

std::size_t available_memory() { return std::min(of_system(), of_groups()); }

}  // namespace lawful::io
