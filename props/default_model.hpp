// Where the tests find the default model: as the command ./check says, or in the user's cache folder.
#pragma once
#include <cstdlib>
#include <filesystem>

namespace lawful::props {

inline std::filesystem::path default_model() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
  };
  if (const char* path = set("LAWFUL_MODEL")) return path;
  const char* cache = set("XDG_CACHE_HOME");
  const char* home = set("HOME");
  const auto folder = cache != nullptr ? std::filesystem::path(cache)
                                       : std::filesystem::path(home != nullptr ? home : "/") / ".cache";
  return folder / "lawful" / "SmolLM2-135M-Instruct.Q4_1.gguf";
}

}  // namespace lawful::props
