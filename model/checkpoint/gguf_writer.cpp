#include "model/checkpoint/gguf_writer.hpp"

#include <bit>
#include <cstring>

#include "model/checkpoint/gguf.hpp"
#include "model/checkpoint/gguf_types.hpp"

namespace lawful::model {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as the machine's own");

template <class T>
void append(std::string& out, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

void append_string(std::string& out, std::string_view text) {
  append(out, static_cast<std::uint64_t>(text.size()));
  out.append(text);
}

void append_key(std::string& out, std::string_view key, GgufType type) {
  append_string(out, key);
  append(out, type);
}

void append_array_key(std::string& out, std::string_view key, GgufType element, std::size_t count) {
  append_key(out, key, GgufType::array);
  append(out, element);
  append(out, static_cast<std::uint64_t>(count));
}

}  // namespace

void GgufWriter::unsigned_integer(std::string_view key, std::uint32_t value) {
  append_key(entries_, key, GgufType::u32);
  append(entries_, value);
  ++entry_count_;
}

void GgufWriter::real(std::string_view key, float value) {
  append_key(entries_, key, GgufType::f32);
  append(entries_, value);
  ++entry_count_;
}

void GgufWriter::boolean(std::string_view key, bool value) {
  append_key(entries_, key, GgufType::boolean);
  append(entries_, static_cast<std::uint8_t>(value));
  ++entry_count_;
}

void GgufWriter::string(std::string_view key, std::string_view value) {
  append_key(entries_, key, GgufType::string);
  append_string(entries_, value);
  ++entry_count_;
}

void GgufWriter::strings(std::string_view key, const std::vector<std::string>& values) {
  append_array_key(entries_, key, GgufType::string, values.size());
  for (const auto& value : values) append_string(entries_, value);
  ++entry_count_;
}

void GgufWriter::integers(std::string_view key, const std::vector<std::int32_t>& values) {
  append_array_key(entries_, key, GgufType::i32, values.size());
  for (const auto value : values) append(entries_, value);
  ++entry_count_;
}

void GgufWriter::tensor(std::string_view name, const std::vector<std::uint64_t>& shape, kernels::Storage storage) {
  append_string(tensors_, name);
  append(tensors_, static_cast<std::uint32_t>(shape.size()));
  std::uint64_t values = 1;
  for (auto dim = shape.rbegin(); dim != shape.rend(); ++dim) {
    append(tensors_, *dim);
    values *= *dim;
  }
  append(tensors_, gguf_tensor_type(storage));
  append(tensors_, data_bytes_);
  const auto& block = kernels::block_shape(storage);
  data_bytes_ += padded(values / block.values * block.bytes);
  ++tensor_count_;
}

std::string GgufWriter::header() const {
  std::string out = "GGUF";
  append(out, std::uint32_t{3});
  append(out, tensor_count_);
  append(out, entry_count_);
  out += entries_;
  out += tensors_;
  out.resize(padded(out.size()));
  return out;
}

}  // namespace lawful::model
