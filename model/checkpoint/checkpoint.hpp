// A SmolLM2 checkpoint, whatever its format: its shape, its tensors where they lie in the file, its tokenizer.
#pragma once
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/checkpoint/contents.hpp"
#include "tokenizer/tokenizer.hpp"

namespace lawful::model {

/// Opened and checked as far as that needs no knowledge of a model: the container is sound, the metadata is a plain
/// Llama's, every tensor lies inside its file. The model then takes each tensor it needs, once, with its shape; what
/// nobody took at the end is refused. Movable; tensor addresses stay.
class Checkpoint {
 public:
  /// `path`: a GGUF file, a safetensors file with config.json beside it, or a folder in the Hugging Face layout.
  /// io::BadInput, naming file and field, for anything else.
  static Checkpoint open(const std::filesystem::path& path, io::Access access = io::Access::mapped);

  const std::string& path() const { return path_; }
  const std::string& format() const { return contents_.format; }
  const Shape& shape() const { return contents_.shape; }
  const std::vector<StoredTensor>& tensors() const { return contents_.tensors; }
  /// Null if there is none of that name.
  const StoredTensor* find(std::string_view name) const;

  /// The ids that end a generation, rising.
  const std::vector<std::uint32_t>& eos() const { return contents_.eos; }
  const SpecialIds& special() const { return contents_.special; }
  const std::optional<std::string>& chat_template() const { return contents_.chat_template; }
  /// The generation settings of a generation_config.json that says whether to sample, or of a GGUF's keys
  /// general.sampling.*.
  const std::optional<Sampling>& sampling() const { return contents_.sampling; }
  const std::vector<std::string>& warnings() const { return contents_.warnings; }
  /// The files behind the checkpoint, for digests: weights first.
  std::span<const io::MappedFile> files() const { return contents_.files; }
  /// io::BadInput naming a file that was written to since it was opened: what was read of it may be of two models.
  void require_unchanged() const;

  bool has_tokenizer() const { return contents_.tokenizer.index() != 0; }
  /// The text of the tokenizer.json, if the tokenizer lies in one.
  std::optional<std::string_view> tokenizer_json() const;
  /// Reads the tokenizer; io::BadInput if there is none, or if it is not SmolLM2's kind, or not of shape().vocab ids.
  tokenizer::Tokenizer tokenizer() const;

  /// The matrix `name`, which must be [rows, cols], as stored. Each tensor may be taken once.
  kernels::StoredMatrix take_matrix(std::string_view name, std::uint64_t rows, std::uint64_t cols);
  /// The vector `name`, which must be [length] and F32, F16 or BF16, widened to F32 (a copy: some kilobytes).
  std::vector<float> take_vector(std::string_view name, std::uint64_t length);
  /// io::BadInput naming a tensor that was not taken: a model with a tensor more is not this model (a bias, say).
  void refuse_leftovers() const;

 private:
  Checkpoint(std::string path, Contents contents);
  const StoredTensor& take(std::string_view name, std::span<const std::uint64_t> shape);

  std::string path_;
  Contents contents_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::vector<bool> taken_;
};

}  // namespace lawful::model
