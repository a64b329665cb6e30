#include "model/tensor_file.hpp"

#include <nlohmann/json.hpp>

#include <bit>
#include <cstdint>

namespace lawful::model {

static_assert(std::endian::native == std::endian::little, "safetensors is little endian");

TensorFile::TensorFile(std::string path, const std::vector<TensorPlan>& plan) : file_(std::move(path)) {
  nlohmann::ordered_json header;
  header["__metadata__"] = {{"format", "pt"}};
  std::uint64_t at = 0;
  for (const auto& tensor : plan) {
    const std::uint64_t end = at + tensor.rows * tensor.width * sizeof(float);
    header[tensor.name] = {{"dtype", "F32"}, {"shape", {tensor.rows, tensor.width}}, {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t size = text.size();
  file_.write(std::as_bytes(std::span(&size, 1)));
  file_.write(text);
}

}  // namespace lawful::model
