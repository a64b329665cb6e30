#include "props/checkpoint/gguf_image.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace lawful::props {
namespace {

template <class T>
std::string raw(T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  return {bytes, sizeof value};
}

std::string raw_string(std::string_view text) { return raw<std::uint64_t>(text.size()).append(text); }

template <class T>
std::string raw_array(std::uint32_t type, const std::vector<T>& values) {
  std::string out = raw<std::uint32_t>(9) + raw(type) + raw<std::uint64_t>(values.size());
  for (const auto& value : values) {
    if constexpr (std::is_same_v<T, std::string>) out += raw_string(value);
    else out += raw(value);
  }
  return out;
}

void pad(std::string& out, std::uint64_t alignment) {
  out.resize((out.size() + alignment - 1) / alignment * alignment);
}

}  // namespace

std::string gguf_u8(std::uint8_t value) { return raw<std::uint32_t>(0) + raw(value); }
std::string gguf_u32(std::uint32_t value) { return raw<std::uint32_t>(4) + raw(value); }
std::string gguf_i32(std::int32_t value) { return raw<std::uint32_t>(5) + raw(value); }
std::string gguf_u64(std::uint64_t value) { return raw<std::uint32_t>(10) + raw(value); }
std::string gguf_f32(float value) { return raw<std::uint32_t>(6) + raw(value); }
std::string gguf_f64(double value) { return raw<std::uint32_t>(12) + raw(value); }
std::string gguf_bool(bool value) { return raw<std::uint32_t>(7) + raw(static_cast<std::uint8_t>(value)); }
std::string gguf_string(std::string_view value) { return raw<std::uint32_t>(8) + raw_string(value); }
std::string gguf_strings(const std::vector<std::string>& values) { return raw_array(8, values); }
std::string gguf_i32s(const std::vector<std::int32_t>& values) { return raw_array(5, values); }
std::string gguf_u8s(const std::vector<std::uint8_t>& values) { return raw_array(0, values); }
std::string raw_u32(std::uint32_t value) { return raw(value); }
std::string raw_u64(std::uint64_t value) { return raw(value); }

void GgufImage::set(std::string_view key, std::string value) {
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  if (at == entries.end()) entries.push_back({std::string(key), std::move(value)});
  else at->value = std::move(value);
}

void GgufImage::remove(std::string_view key) {
  std::erase_if(entries, [&](const Entry& e) { return e.key == key; });
}

GgufImage::Tensor& GgufImage::tensor(std::string_view name) {
  const auto at = std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; });
  if (at == tensors.end()) throw std::out_of_range("no such tensor in the image");
  return *at;
}

std::string GgufImage::bytes() const {
  std::string out = magic + raw(version) + raw(tensor_count.value_or(tensors.size())) +
                    raw(entry_count.value_or(entries.size()));
  for (const auto& entry : entries) out += raw_string(entry.key) + entry.value;
  std::string data;
  for (const auto& tensor : tensors) {
    out += raw_string(tensor.name) + raw(static_cast<std::uint32_t>(tensor.dims.size()));
    for (const auto dim : tensor.dims) out += raw(dim);
    out += raw(tensor.type) + raw(tensor.offset.value_or(data.size()));
    data += tensor.data;
    pad(data, alignment);
  }
  pad(out, alignment);
  return out + data;
}

}  // namespace lawful::props
