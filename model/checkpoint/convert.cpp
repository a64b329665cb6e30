#include "model/checkpoint/convert.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/atomic_file.hpp"
#include "io/atomic_folder.hpp"
#include "io/bad_input.hpp"
#include "io/printable.hpp"
#include "model/checkpoint/gguf_metadata.hpp"
#include "model/checkpoint/gguf_writer.hpp"
#include "model/checkpoint/hugging_face_files.hpp"
#include "model/checkpoint/tensor_names.hpp"
#include "model/checkpoint/tensor_rows.hpp"

namespace lawful::model {
namespace {

using kernels::RowOrder;
using kernels::Storage;
namespace fs = std::filesystem;

/// Bytes done of all, over many tensors.
class Meter {
 public:
  Meter(const io::Progress& progress, std::uint64_t all) : progress_(progress), all_(all) {}
  void add(std::uint64_t bytes) {
    done_ += bytes;
    if (progress_) progress_(done_, all_);
  }

 private:
  const io::Progress& progress_;
  std::uint64_t all_;
  std::uint64_t done_ = 0;
};

std::uint64_t stored_bytes(const StoredTensor& tensor, Storage storage) {
  const auto& block = kernels::block_shape(storage);
  return tensor.value_count() / block.values * block.bytes;
}

Storage gguf_storage(const StoredTensor& tensor, Storage matrices) {
  return tensor.shape.size() == 1 ? Storage::f32 : matrices;
}

std::string name_in_gguf(const StoredTensor& tensor) {
  const auto name = gguf_name(tensor.name);
  if (!name) io::reject("convert", "a tensor of a plain Llama", io::quoted(tensor.name));
  return *name;
}

void convert_to_gguf(const Checkpoint& from, const fs::path& to, Storage storage, const io::Progress& progress) {
  GgufWriter writer;
  write_metadata(writer, from, storage);
  for (const auto& tensor : from.tensors()) {
    writer.tensor(name_in_gguf(tensor), tensor.shape, gguf_storage(tensor, storage));
  }
  io::AtomicFile file(to.string());
  file.write(writer.header());
  Meter meter(progress, writer.data_bytes());
  for (const auto& tensor : from.tensors()) {
    const Storage stored = gguf_storage(tensor, storage);
    const auto order = rows_are_rotated(tensor.name) ? RowOrder::interleaved_pairs : RowOrder::straight;
    each_piece(tensor, stored, order, from.shape().head / 2, [&](std::span<const std::byte> piece) {
      file.write(piece);
      meter.add(piece.size());
    });
    const std::uint64_t size = stored_bytes(tensor, stored);
    file.write(std::string(GgufWriter::padded(size) - size, '\0'));
  }
  from.require_unchanged();
  file.commit();
}

std::string safetensors_header(const Checkpoint& from, Storage storage) {
  nlohmann::ordered_json header;
  header["__metadata__"] = {{"format", "pt"}};  // transformers wants to know
  std::uint64_t at = 0;
  for (const auto& tensor : from.tensors()) {
    const std::uint64_t end = at + stored_bytes(tensor, storage);
    header[tensor.name] = {
        {"dtype", kernels::block_shape(storage).name}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t size = text.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + text;
}

void convert_to_folder(const Checkpoint& from, const fs::path& to, Storage storage, const io::Progress& progress) {
  if (kernels::block_shape(storage).values != 1) {
    io::reject("convert", "F32, F16 or BF16 for a folder of safetensors", kernels::block_shape(storage).name);
  }
  io::AtomicFolder folder(to);
  for (const auto& [name, content] : companion_files(from, storage)) {
    io::AtomicFile file((folder.path() / name).string());
    file.write(content);
    file.commit();
  }
  std::uint64_t all = 0;
  for (const auto& tensor : from.tensors()) all += stored_bytes(tensor, storage);
  Meter meter(progress, all);
  io::AtomicFile file((folder.path() / "model.safetensors").string());
  file.write(safetensors_header(from, storage));
  for (const auto& tensor : from.tensors()) {
    each_piece(tensor, storage, RowOrder::straight, from.shape().head / 2, [&](std::span<const std::byte> piece) {
      file.write(piece);
      meter.add(piece.size());
    });
  }
  from.require_unchanged();
  file.commit();
  folder.commit();
}

}  // namespace

void convert(const Checkpoint& from, const fs::path& to, Storage storage, const io::Progress& progress) {
  if (!can_narrow_to(storage)) {
    io::reject("convert", "F32, F16, BF16 or Q8_0", kernels::block_shape(storage).name);
  }
  if (to.extension() == ".gguf") convert_to_gguf(from, to, storage, progress);
  else convert_to_folder(from, to, storage, progress);
}

}  // namespace lawful::model
