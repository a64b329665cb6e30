#include "cli/distinct_files.hpp"

#include "io/bad_input.hpp"
#include "io/printable.hpp"

#include <array>
#include <system_error>
#include <utility>

namespace lawful::cli {
namespace {

namespace fs = std::filesystem;

/// What a folder in the Hugging Face layout has beside its weights and the tokenizer.
constexpr std::array companions{"config.json", "generation_config.json", "tokenizer_config.json", "chat_template.jinja",
                                "model.safetensors.index.json"};

bool is_same(const fs::path& one, const fs::path& other) {
  std::error_code none;
  if (fs::equivalent(one, other, none) && !none) return fs::is_regular_file(one, none);
  // Of files that are not there yet only the names can be compared.
  const auto whole = [&](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path, none), none); };
  return !fs::exists(one, none) && !fs::exists(other, none) && whole(one) == whole(other);
}

}  // namespace

void DistinctFiles::reads(const model::Checkpoint& checkpoint) {
  for (const auto& file : checkpoint.files()) reads("the model", file.path());
  if (checkpoint.files().empty() || checkpoint.format().starts_with("GGUF")) return;
  const fs::path folder = fs::path(checkpoint.files().front().path()).parent_path();
  for (const char* name : companions) reads("the model", folder / name);
}

void DistinctFiles::add(File file) {
  if (file.path.empty()) return;
  for (const File& other : files_) {
    if (!(file.is_written || other.is_written) || !is_same(file.path, other.path)) continue;
    const auto& [written, taken] = file.is_written ? std::pair(file, other) : std::pair(other, file);
    io::reject(written.what, "another file than " + taken.what, io::printable(written.path.string()));
  }
  files_.push_back(std::move(file));
}

}  // namespace lawful::cli
