// Test models as files: GGUF and the Hugging Face layout, in every storage.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "props/checkpoint/gguf_image.hpp"
#include "props/checkpoint/test_model.hpp"

namespace lawful::props {

/// The vocabulary of the test models: 256 ids. 0 to 2 are SmolLM2's first specials; then the 235 bytes that SmolLM2
/// has tokens for, in rising order and GPT-2's spelling; then what 18 merges make.
struct TestVocabulary {
  std::vector<std::string> tokens;
  std::vector<std::string> merges;  ///< "left right"
};
TestVocabulary test_vocabulary();

struct GgufOptions {
  /// Of all matrices; those whose rows are not whole blocks are Q8_0 instead, as llama.cpp's quantizer does it.
  kernels::Storage matrices = kernels::Storage::q8_0;
  std::uint32_t version = 3;
  std::uint32_t alignment = 32;
};
GgufImage gguf_image(const TestModel& model, const GgufOptions& options = {});

struct FolderOptions {
  kernels::Storage storage = kernels::Storage::bf16;  ///< F32, F16 or BF16
  std::size_t header_spaces = 0;                      ///< 1 puts the data at an odd address
  std::size_t shards = 1;
  bool merges_as_pairs = false;  ///< ["a","b"] instead of "a b"
};
/// config.json, generation_config.json, tokenizer.json, and the weights.
void write_folder(const TestModel& model, const std::filesystem::path& folder, const FolderOptions& options = {});

/// The same, in parts.
nlohmann::json config_json(const TestModel& model);
nlohmann::json tokenizer_json(bool merges_as_pairs);
std::string safetensors_file(const std::vector<TestTensor>& tensors, const FolderOptions& options);

void write_file(const std::filesystem::path& path, const std::string& content);

}  // namespace lawful::props
