#include "model/checkpoint/checkpoint.hpp"

#include <fmt/ranges.h>

#include <array>
#include <cstring>

#include "io/bad_input.hpp"
#include "io/printable.hpp"
#include "model/checkpoint/gguf_checkpoint.hpp"
#include "model/checkpoint/hugging_face.hpp"

namespace lawful::model {
namespace {

bool begins_as_gguf(const io::MappedFile& file) {
  return file.bytes().size() >= 4 && std::memcmp(file.bytes().data(), "GGUF", 4) == 0;
}

/// Eight bytes of a length that the file can hold, then the JSON object.
bool begins_as_safetensors(const io::MappedFile& file) {
  return file.bytes().size() > 8 && file.bytes()[8] == std::byte{'{'};
}

}  // namespace

Checkpoint Checkpoint::open(const std::filesystem::path& path, io::Access access) {
  if (path.empty()) io::reject("the model", "a file or a folder", "an empty name");
  std::error_code unreadable;  // MappedFile names what is wrong with the path
  if (std::filesystem::is_directory(path, unreadable)) return {path.string(), read_hugging_face_folder(path, access)};
  io::MappedFile file(path, access);
  if (begins_as_gguf(file)) return {path.string(), read_gguf_checkpoint(std::move(file))};
  if (begins_as_safetensors(file)) return {path.string(), read_safetensors_checkpoint(std::move(file), access)};
  io::reject(io::printable(path.string()), "a GGUF file, a safetensors file or a folder with config.json",
             "a file of another kind");
}

Checkpoint::Checkpoint(std::string path, Contents contents)
    : path_(std::move(path)), contents_(std::move(contents)), taken_(contents_.tensors.size()) {
  for (std::size_t i = 0; i < contents_.tensors.size(); ++i) by_name_.emplace(contents_.tensors[i].name, i);
}

const StoredTensor* Checkpoint::find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : &contents_.tensors[at->second];
}

void Checkpoint::require_unchanged() const {
  for (const auto& file : contents_.files) file.require_unchanged();
}

std::optional<std::string_view> Checkpoint::tokenizer_json() const {
  const auto* json = std::get_if<TokenizerJson>(&contents_.tokenizer);
  return json != nullptr ? std::optional(json->text) : std::nullopt;
}

const StoredTensor& Checkpoint::take(std::string_view name, std::span<const std::uint64_t> shape) {
  const std::string what = io::printable(path_) + ": tensor " + io::quoted(name);
  const auto at = by_name_.find(name);
  if (at == by_name_.end()) io::reject(what, fmt::format("shape [{}]", fmt::join(shape, ", ")), "no such tensor");
  const StoredTensor& tensor = contents_.tensors[at->second];
  if (!std::equal(shape.begin(), shape.end(), tensor.shape.begin(), tensor.shape.end())) {
    io::reject(what, fmt::format("shape [{}]", fmt::join(shape, ", ")),
               fmt::format("[{}]", fmt::join(tensor.shape, ", ")));
  }
  if (taken_[at->second]) io::reject(what, "one use", "a second");
  taken_[at->second] = true;
  return tensor;
}

kernels::StoredMatrix Checkpoint::take_matrix(std::string_view name, std::uint64_t rows, std::uint64_t cols) {
  const StoredTensor& tensor = take(name, std::array{rows, cols});
  return {tensor.bytes, rows, cols, tensor.storage, tensor.row_order};
}

std::vector<float> Checkpoint::take_vector(std::string_view name, std::uint64_t length) {
  const StoredTensor& tensor = take(name, std::array{length});
  if (kernels::block_shape(tensor.storage).values != 1) {
    io::reject(io::printable(path_) + ": tensor " + io::quoted(name), "F32, F16 or BF16",
               kernels::block_shape(tensor.storage).name);
  }
  std::vector<float> values(length);
  kernels::widen(tensor.storage, tensor.bytes, length, values.data());
  return values;
}

void Checkpoint::refuse_leftovers() const {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    io::reject(io::printable(path_), "only the tensors of the model",
               "tensor " + io::quoted(contents_.tensors[i].name));
  }
}

}  // namespace lawful::model
